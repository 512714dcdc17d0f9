/* Sends, receives and their persistent forms. What is checked is what the real library checks: its error classes, its
 * error handlers. */
#include <stdlib.h>

#include "measure/standin/messages.h"

static int send_now(const char* function, const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                    struct standin_comm* comm) {
  const int wrong = standin_check_message(comm, count, type, peer, tag, 0);
  if (wrong != MPI_SUCCESS) return standin_error(comm->handle, function, wrong);
  if (peer != MPI_PROC_NULL) standin_send_data(function, comm, buffer, count, type, peer, tag);
  return MPI_SUCCESS;
}

#define SEND(X)                                                                                        \
  int standin_##X(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm handle) { \
    struct standin_comm* comm = standin_comm_of(handle);                                               \
    if (!comm) return PMPI_##X(buf, count, type, dest, tag, handle);                                   \
    return send_now("MPI_" #X, buf, count, type, dest, tag, comm);                                     \
  }

#define ISEND(X)                                                                                     \
  int standin_##X(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm handle, \
                  MPI_Request* request) {                                                            \
    struct standin_comm* comm = standin_comm_of(handle);                                             \
    if (!comm) return PMPI_##X(buf, count, type, dest, tag, handle, request);                        \
    const int rc = send_now("MPI_" #X, buf, count, type, dest, tag, comm);                           \
    if (rc == MPI_SUCCESS) standin_done_request(STANDIN_SEND, request);                              \
    return rc;                                                                                       \
  }

SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

static int receive_now(const char* function, void* buffer, int count, MPI_Datatype type, int source, int tag,
                       struct standin_comm* comm, MPI_Status* status) {
  const int wrong = standin_check_message(comm, count, type, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm->handle, function, wrong);
  if (source == MPI_PROC_NULL) {
    standin_set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, 0);
    return MPI_SUCCESS;
  }
  const int rc = standin_receive_now(function, comm, buffer, count, type, source, tag, status);
  return rc == MPI_SUCCESS ? rc : standin_error(comm->handle, function, rc);
}

int standin_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle, MPI_Status* status) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Recv(buf, count, type, source, tag, handle, status);
  return receive_now("MPI_Recv", buf, count, type, source, tag, comm, status);
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

int standin_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle, MPI_Request* request) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Irecv(buf, count, type, source, tag, handle, request);
  const int wrong = standin_check_message(comm, count, type, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(handle, "MPI_Irecv", wrong);
  struct standin_request* mine;
  *request = standin_request_new(STANDIN_RECV, &mine);
  post(mine, buf, count, type, source, tag, comm);
  return MPI_SUCCESS;
}

int standin_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm handle,
                     MPI_Status* status) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm)
    return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                         handle, status);
  const int wrong = standin_check_message(comm, recvcount, recvtype, source, recvtag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(handle, "MPI_Sendrecv", wrong);
  const int rc = send_now("MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? receive_now("MPI_Sendrecv", recvbuf, recvcount, recvtype, source, recvtag, comm, status)
                           : rc;
}

int standin_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                             MPI_Comm handle, MPI_Status* status) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, handle, status);
  const int wrong = standin_check_message(comm, count, type, source, recvtag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(handle, "MPI_Sendrecv_replace", wrong);
  const int rc = send_now("MPI_Sendrecv_replace", buf, count, type, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? receive_now("MPI_Sendrecv_replace", buf, count, type, source, recvtag, comm, status) : rc;
}

#ifndef OPEN_MPI
int standin_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm handle,
                      MPI_Request* request) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm)
    return PMPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                          handle, request);
  const int rc = send_now("MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? standin_Irecv(recvbuf, recvcount, recvtype, source, recvtag, handle, request) : rc;
}

int standin_Isendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                              MPI_Comm handle, MPI_Request* request) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Isendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, handle, request);
  const int rc = send_now("MPI_Isendrecv_replace", buf, count, type, dest, sendtag, comm);
  return rc == MPI_SUCCESS ? standin_Irecv(buf, count, type, source, recvtag, handle, request) : rc;
}
#endif

/* ---- persistent ---- */

static int start_send(struct standin_request* request) {
  request->started = standin_next_start();
  request->done = 1;
  standin_set_empty_status(&request->status);
  request->status.MPI_ERROR = MPI_SUCCESS;
  if (request->peer != MPI_PROC_NULL)
    standin_send_data("MPI_Start", request->comm, request->buffer, request->count, request->type, request->peer,
                      request->tag);
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

static int make_persistent(const char* function, enum standin_request_kind kind, const void* buffer, int count,
                           MPI_Datatype type, int peer, int tag, struct standin_comm* comm, MPI_Request* handle) {
  const int wrong = standin_check_message(comm, count, type, peer, tag, kind == STANDIN_RECV);
  if (wrong != MPI_SUCCESS) return standin_error(comm->handle, function, wrong);
  struct standin_request* request;
  *handle = standin_request_new(kind, &request);
  request->persistent = 1;
  request->active = 0;
  request->buffer = buffer;
  request->count = count;
  if (PMPI_Type_dup(type, &request->type) != MPI_SUCCESS) standin_stop(function, "the MPI library gives no datatype");
  request->release = forget_type;
  request->peer = peer;
  request->tag = tag;
  request->comm = standin_copy(comm, sizeof *comm); /* the program may free that, too */
  request->start = kind == STANDIN_RECV ? start_receive : start_send;
  return MPI_SUCCESS;
}

#define SEND_INIT(X)                                                                                 \
  int standin_##X(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm handle, \
                  MPI_Request* request) {                                                            \
    struct standin_comm* comm = standin_comm_of(handle);                                             \
    if (!comm) return PMPI_##X(buf, count, type, dest, tag, handle, request);                        \
    return make_persistent("MPI_" #X, STANDIN_SEND, buf, count, type, dest, tag, comm, request);     \
  }

SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)

int standin_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
                      MPI_Request* request) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Recv_init(buf, count, type, source, tag, handle, request);
  return make_persistent("MPI_Recv_init", STANDIN_RECV, buf, count, type, source, tag, comm, request);
}

int standin_Start(MPI_Request* handle) {
  struct standin_request* request = standin_request_of(*handle);
  if (!request) return PMPI_Start(handle);
  if (!request->persistent || request->active) return standin_error(MPI_COMM_WORLD, "MPI_Start", MPI_ERR_REQUEST);
  request->active = 1;
  request->cancelled = 0;
  return request->start(request);
}

int standin_Startall(int count, MPI_Request handles[]) {
  if (count < 0) return standin_error(MPI_COMM_WORLD, "MPI_Startall", MPI_ERR_COUNT);
  for (int i = 0; i < count; i++) {
    const int rc = standin_Start(&handles[i]);
    if (rc != MPI_SUCCESS) return rc;
  }
  return MPI_SUCCESS;
}
