/* Sends, receives and their persistent forms. What is checked is what the real library checks: its error classes, its
 * error handlers. */
#include <stdlib.h>

#include "measure/standin/messages/messages.h"

static int send_now(const void* buffer, int count, MPI_Datatype type, int peer, int tag, struct standin_comm* comm) {
  const int wrong = standin_check_message(comm, count, type, peer, tag, 0);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  if (peer != MPI_PROC_NULL) standin_send_data(comm, buffer, count, type, peer, tag);
  return MPI_SUCCESS;
}

#define SEND(X)                                                                                                  \
  int standin_##X(const void* buf, int count, MPI_Datatype type, int dest, int tag, struct standin_comm* comm) { \
    return send_now(buf, count, type, dest, tag, comm);                                                          \
  }

SEND(Send)
SEND(Bsend)
SEND(Rsend)

int standin_Ssend(const void* buf, int count, MPI_Datatype type, int dest, int tag, struct standin_comm* comm) {
  const int wrong = standin_check_message(comm, count, type, dest, tag, 0);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  struct standin_pending* pending = standin_send_synchronously(comm, buf, count, type, dest, tag);
  return pending ? standin_settle(pending) : MPI_SUCCESS;
}

static int receive_now(void* buffer, int count, MPI_Datatype type, int source, int tag, struct standin_comm* comm,
                       MPI_Status* status) {
  const int wrong = standin_check_message(comm, count, type, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  if (source == MPI_PROC_NULL) {
    standin_set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, 0);
    return MPI_SUCCESS;
  }
  const int rc = standin_receive_now(comm, buffer, count, type, source, tag, status);
  return rc == MPI_SUCCESS ? rc : standin_error(comm, rc);
}

int standin_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, struct standin_comm* comm,
                 MPI_Status* status) {
  return receive_now(buf, count, type, source, tag, comm, status);
}

static void post(struct standin_request* request, void* buffer, int count, MPI_Datatype type, int source, int tag,
                 struct standin_comm* comm) {
  request->started = standin_next_start();
  if (source != MPI_PROC_NULL) {
    standin_receive_post(request, comm, buffer, count, type, source, tag);
    return;
  }
  request->done = 1;
  standin_set_status(&request->status, MPI_PROC_NULL, MPI_ANY_TAG, 0, 0);
  request->status.MPI_ERROR = MPI_SUCCESS;
}

int standin_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, struct standin_comm* comm,
                  MPI_Request* request) {
  const int wrong = standin_check_message(comm, count, type, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  struct standin_request* mine;
  *request = standin_request_new(STANDIN_RECV, &mine);
  post(mine, buf, count, type, source, tag, comm);
  return MPI_SUCCESS;
}

int standin_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int source, int recvtag, struct standin_comm* comm,
                     MPI_Status* status) {
  const int wrong = standin_check_message(comm, recvcount, recvtype, source, recvtag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  const int rc = send_now(sendbuf, sendcount, sendtype, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? receive_now(recvbuf, recvcount, recvtype, source, recvtag, comm, status) : rc;
}

int standin_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                             struct standin_comm* comm, MPI_Status* status) {
  const int wrong = standin_check_message(comm, count, type, source, recvtag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  const int rc = send_now(buf, count, type, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? receive_now(buf, count, type, source, recvtag, comm, status) : rc;
}

#ifndef OPEN_MPI
int standin_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, int source, int recvtag, struct standin_comm* comm,
                      MPI_Request* request) {
  const int rc = send_now(sendbuf, sendcount, sendtype, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? standin_Irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, request) : rc;
}

int standin_Isendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                              struct standin_comm* comm, MPI_Request* request) {
  const int rc = send_now(buf, count, type, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? standin_Irecv(buf, count, type, source, recvtag, comm, request) : rc;
}
#endif

/* ---- persistent ---- */

static void start_send_as(struct standin_request* request, int synchronous) {
  request->started = standin_next_start();
  request->done = 1;
  standin_set_empty_status(&request->status);
  request->status.MPI_ERROR = MPI_SUCCESS;
  if (request->peer == MPI_PROC_NULL) return;
  if (synchronous)
    request->pending = standin_send_synchronously(request->comm, request->buffer, request->count, request->type,
                                                  request->peer, request->tag);
  else
    standin_send_data(request->comm, request->buffer, request->count, request->type, request->peer, request->tag);
  request->done = !request->pending;
}

static int start_send(struct standin_request* request) {
  start_send_as(request, 0);
  return MPI_SUCCESS;
}

static int start_receive(struct standin_request* request) {
  request->done = 0;
  post(request, (void*)(uintptr_t)request->buffer, request->count, request->type, request->peer, request->tag,
       request->comm);
  return MPI_SUCCESS;
}

/* Its type is a copy: the program may free its own. */
static void forget_type(struct standin_request* request) {
  PMPI_Type_free(&request->type);
  free(request->comm);
  if (request->kind == STANDIN_RECV && request->more) standin_receive_forget(request);
}

static int make_persistent(enum standin_request_kind kind, const void* buffer, int count, MPI_Datatype type, int peer,
                           int tag, struct standin_comm* comm, MPI_Request* handle) {
  const int wrong = standin_check_message(comm, count, type, peer, tag, kind == STANDIN_RECV);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  struct standin_request* request;
  *handle = standin_request_new(kind, &request);
  request->persistent = 1;
  request->active = 0;
  request->buffer = buffer;
  request->count = count;
  if (PMPI_Type_dup(type, &request->type) != MPI_SUCCESS) standin_stop("the MPI library gives no datatype");
  request->release = forget_type;
  request->peer = peer;
  request->tag = tag;
  request->comm = standin_copy(comm, sizeof *comm); /* the program may free that, too */
  request->start = kind == STANDIN_RECV ? start_receive : start_send;
  return MPI_SUCCESS;
}

#define SEND_INIT(X)                                                                                           \
  int standin_##X(const void* buf, int count, MPI_Datatype type, int dest, int tag, struct standin_comm* comm, \
                  MPI_Request* request) {                                                                      \
    return make_persistent(STANDIN_SEND, buf, count, type, dest, tag, comm, request);                          \
  }

SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Rsend_init)

static int start_synchronous_send(struct standin_request* request) {
  start_send_as(request, 1);
  return MPI_SUCCESS;
}

int standin_Ssend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, struct standin_comm* comm,
                       MPI_Request* request) {
  const int rc = make_persistent(STANDIN_SEND, buf, count, type, dest, tag, comm, request);
  if (rc == MPI_SUCCESS) standin_request_of(*request)->start = start_synchronous_send;
  return rc;
}

int standin_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, struct standin_comm* comm,
                      MPI_Request* request) {
  return make_persistent(STANDIN_RECV, buf, count, type, source, tag, comm, request);
}

int standin_Start(MPI_Request* handle) {
  struct standin_request* request = standin_request_of(*handle);
  if (!request) return PMPI_Start(handle);
  if (!request->persistent || request->active) return standin_error(NULL, MPI_ERR_REQUEST);
  request->active = 1;
  request->cancelled = 0;
  return request->start(request);
}

int standin_Startall(int count, MPI_Request handles[]) {
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  for (int i = 0; i < count; i++) {
    const int rc = standin_Start(&handles[i]);
    if (rc != MPI_SUCCESS) return rc;
  }
  return MPI_SUCCESS;
}
