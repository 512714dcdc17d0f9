/* Probes. A message to oneself is found if it was sent. Of the others' messages a blocking probe finds what a receive
 * would take (assumed_messages.h).
 *
 * MPI_Iprobe and MPI_Improbe ask whether something has come, which a dry run cannot know. They find as many messages as
 * this rank sent with that tag and got no answer to (sparse exchanges end after as many messages as were sent), and
 * else every thousandth time in a row one more: a loop that polls until a message comes ends, one that polls while
 * messages come ends, too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/assumed/assumed_messages.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/messages/messages.h"

/* A message that a matched probe took. */
struct taken {
  struct standin_comm comm; /* a copy: only its size, rank and handle are used */
  int source, tag;
  size_t bytes;
  void* data; /* NULL: not known */
};

static struct mora_map by_handle; /* message handle → struct taken */

#ifdef OPEN_MPI
/* The handle is that of an empty message on a communicator of our own, so that it has a Fortran number. */
static MPI_Message new_handle(void) {
  static MPI_Comm own = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  int flag = 0;
  if (!own && PMPI_Comm_dup(MPI_COMM_SELF, &own) != MPI_SUCCESS) standin_stop("the MPI library gives no communicator");
  if (PMPI_Isend(NULL, 0, MPI_BYTE, 0, 0, own, &request) != MPI_SUCCESS)
    standin_stop("the MPI library does not send to itself");
  PMPI_Request_free(&request);
  while (!flag)
    if (PMPI_Improbe(0, 0, own, &flag, &message, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      standin_stop("the MPI library gives no message");
  return message;
}

static void end_handle(MPI_Message* message) { PMPI_Mrecv(NULL, 0, MPI_BYTE, message, MPI_STATUS_IGNORE); }
#else
/* MPICH's handles are numbers, the same in Fortran, and only matched receives look at those of messages: any number of
 * our own will do. */
static MPI_Message new_handle(void) {
  static int last;
  last = last % 0xffffff + 1;
  return 0x2f000000 | last;
}

static void end_handle(MPI_Message* message) { *message = MPI_MESSAGE_NULL; }
#endif

static struct taken* taken_of(MPI_Message message) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, MORA_KEY(message));
  return slot ? (struct taken*)(uintptr_t)slot->value : NULL;
}

static int from_self_only(const struct standin_comm* comm, int source) {
  return comm->remote_size == 0 && (source == comm->rank || (source == MPI_ANY_SOURCE && comm->size == 1));
}

/* What a probe sees; `take` also takes it out of its queue. */
static struct taken look(const struct standin_comm* comm, int source, int tag, int take) {
  struct taken found = {.comm = *comm};
  struct standin_message* message = standin_message_here(comm, source, tag, take);
  if (message) {
    found.source = message->source;
    found.tag = message->tag;
    found.bytes = message->size;
    if (take) {
      found.data = standin_copy(message->bytes, message->size);
      standin_message_received(message);
    }
    return found;
  }
  const struct standin_assumed_message seen = standin_assume_message(comm, source, tag, SIZE_MAX, take);
  found.source = seen.source;
  found.tag = seen.tag;
  found.bytes = seen.bytes;
  if (take && seen.data) found.data = standin_copy(seen.data, seen.bytes);
  return found;
}

/* 1: there is something now. */
static int is_there(const struct standin_comm* comm, int source, int tag) {
  static int refusals;
  if (standin_message_here(comm, source, tag, 0)) return 1;
  standin_found_nothing();
  if (standin_plan.together) return standin_message_here(comm, source, tag, 0) != NULL;
  if (from_self_only(comm, source)) return 0;
  standin_note(standin_arrival_is_guessed);
  if (!standin_is_unanswered(comm, source, tag) && ++refusals < STANDIN_EMPTY_POLLS) return 0;
  refusals = 0;
  return 1;
}

static void must_come(const struct standin_comm* comm, int source, int tag) {
  if (standin_plan.together)
    standin_await_message(comm, source, tag);
  else if (from_self_only(comm, source) && !standin_message_here(comm, source, tag, 0))
    standin_stop("waits for ever for a message of this rank to itself");
}

static int nobody(MPI_Status* status) {
  standin_set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, 0);
  return MPI_SUCCESS;
}

int standin_Probe(int source, int tag, struct standin_comm* comm, MPI_Status* status) {
  const int wrong = standin_check_message(comm, 0, MPI_BYTE, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  if (source == MPI_PROC_NULL) return nobody(status);
  must_come(comm, source, tag);
  const struct taken seen = look(comm, source, tag, 0);
  standin_set_status(status, seen.source, seen.tag, seen.bytes, 0);
  return MPI_SUCCESS;
}

int standin_Iprobe(int source, int tag, struct standin_comm* comm, int* flag, MPI_Status* status) {
  const int wrong = standin_check_message(comm, 0, MPI_BYTE, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  *flag = 1;
  if (source == MPI_PROC_NULL) return nobody(status);
  *flag = is_there(comm, source, tag);
  if (!*flag) return MPI_SUCCESS;
  const struct taken seen = look(comm, source, tag, 0);
  standin_set_status(status, seen.source, seen.tag, seen.bytes, 0);
  return MPI_SUCCESS;
}

static void take(const struct standin_comm* comm, int source, int tag, MPI_Message* message, MPI_Status* status) {
  const struct taken seen = look(comm, source, tag, 1);
  *message = new_handle();
  if (!mora_map_set(&by_handle, MORA_KEY(*message), (uint64_t)(uintptr_t)standin_copy(&seen, sizeof seen)))
    standin_stop("no memory");
  standin_set_status(status, seen.source, seen.tag, seen.bytes, 0);
}

int standin_Mprobe(int source, int tag, struct standin_comm* comm, MPI_Message* message, MPI_Status* status) {
  const int wrong = standin_check_message(comm, 0, MPI_BYTE, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    return nobody(status);
  }
  must_come(comm, source, tag);
  take(comm, source, tag, message, status);
  return MPI_SUCCESS;
}

int standin_Improbe(int source, int tag, struct standin_comm* comm, int* flag, MPI_Message* message,
                    MPI_Status* status) {
  const int wrong = standin_check_message(comm, 0, MPI_BYTE, source, tag, 1);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    return nobody(status);
  }
  *flag = is_there(comm, source, tag);
  if (*flag) take(comm, source, tag, message, status);
  return MPI_SUCCESS;
}

/* Gives the taken message to the buffer; the handle becomes MPI_MESSAGE_NULL. */
static int receive(struct taken* taken, void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                   MPI_Status* status) {
  struct standin_receive_buffer into;
  int code = MPI_SUCCESS;
  standin_receive_buffer_set(&into, buffer, count, type, 0);
  size_t n = taken->bytes;
  if (n > into.capacity) {
    n = into.capacity;
    code = MPI_ERR_TRUNCATE;
  }
  if (taken->data)
    standin_receive_buffer_fill(&into, taken->data, n);
  else
    standin_receive_buffer_zero(&into);
  standin_set_status(status, taken->source, taken->tag, n, 0);
  mora_map_remove(&by_handle, MORA_KEY(*message));
  end_handle(message);
  free(taken->data);
  free(taken);
  return code;
}

int standin_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  struct taken* taken = taken_of(*message);
  if (!taken) return PMPI_Mrecv(buf, count, type, message, status);
  const struct standin_comm* comm = standin_comm_of(taken->comm.handle);
  if (count < 0) return standin_error(comm, MPI_ERR_COUNT);
  const int code = receive(taken, buf, count, type, message, status);
  return code == MPI_SUCCESS ? code : standin_error(comm, code);
}

int standin_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  struct taken* taken = taken_of(*message);
  if (!taken) return PMPI_Imrecv(buf, count, type, message, request);
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  struct standin_request* mine = standin_done_request(STANDIN_RECV, request);
  mine->status.MPI_ERROR = receive(taken, buf, count, type, message, &mine->status);
  return MPI_SUCCESS;
}
