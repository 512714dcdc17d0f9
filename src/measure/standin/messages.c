/* Messages to oneself are matched as MPI says: in order of sending and of posting. Others' messages come when a receive
 * is completed, as late as possible: so a receive with MPI_ANY_SOURCE takes a message to oneself that is sent before
 * its completion. */
#include "measure/standin/messages.h"

#include <stdlib.h>
#include <string.h>

#include "measure/standin/assumed_messages.h"
#include "measure/standin/rank0_messages.h"

static struct standin_message *first_message, **last_message = &first_message;
static struct standin_receive *first_posted, **last_posted = &first_posted;

int standin_is_self(const struct standin_comm* comm, int peer) { return comm->remote_size == 0 && peer == comm->rank; }

int standin_check_message(const struct standin_comm* comm, int count, MPI_Datatype type, int peer, int tag,
                          int receives) {
  if (count < 0) return MPI_ERR_COUNT;
  if (type == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if ((peer < 0 || peer >= standin_peers(comm)) && peer != MPI_PROC_NULL && !(receives && peer == MPI_ANY_SOURCE))
    return MPI_ERR_RANK;
  if (tag < 0 && !(receives && tag == MPI_ANY_TAG)) return MPI_ERR_TAG;
  return MPI_SUCCESS;
}

uint64_t standin_next_start(void) {
  static uint64_t starts;
  return ++starts;
}

static int takes(const struct standin_comm* comm, int source, int tag, uint32_t id, int sent_tag) {
  return comm->id == id && (source == MPI_ANY_SOURCE || standin_is_self(comm, source)) &&
         (tag == MPI_ANY_TAG || tag == sent_tag);
}

struct standin_message* standin_message_to_self(const struct standin_comm* comm, int source, int tag, int take) {
  for (struct standin_message** link = &first_message; *link; link = &(*link)->next) {
    struct standin_message* message = *link;
    if (!takes(comm, source, tag, message->comm, message->tag)) continue;
    if (take) {
      *link = message->next;
      if (last_message == &message->next) last_message = link;
    }
    return message;
  }
  return NULL;
}

static void unlist(struct standin_receive* receive) {
  for (struct standin_receive** link = &first_posted; *link; link = &(*link)->next) {
    if (*link != receive) continue;
    *link = receive->next;
    if (last_posted == &receive->next) last_posted = link;
    receive->listed = 0;
    return;
  }
}

static void done(struct standin_receive* receive, int source, int tag, size_t bytes, int code) {
  struct standin_request* request = receive->request;
  standin_receive_buffer_free(&receive->into);
  if (receive->listed) unlist(receive);
  if (!request) {
    free(receive);
    return;
  }
  standin_set_status(&request->status, source, tag, bytes, 0);
  request->status.MPI_ERROR = code;
  request->done = 1;
}

/* Fills the buffer; *n becomes the bytes that fit. MPI_ERR_TRUNCATE if they were too many. */
static int fill(const struct standin_receive_buffer* into, const void* data, size_t* n) {
  standin_receive_buffer_fill(into, data, *n);
  if (*n <= into->capacity) return MPI_SUCCESS;
  *n = into->capacity;
  return MPI_ERR_TRUNCATE;
}

static void deliver(struct standin_receive* receive, struct standin_message* message) {
  size_t n = message->size;
  const int code = fill(&receive->into, message->bytes, &n);
  done(receive, receive->comm.rank, message->tag, n, code);
}

static void send_to_self(const char* function, struct standin_comm* comm, const void* buffer, int count,
                         MPI_Datatype type, int tag) {
  const size_t size = standin_bytes(count, type);
  struct standin_message* message = standin_alloc(sizeof *message + size);
  message->comm = comm->id;
  message->tag = tag;
  message->size = size;
  message->next = NULL;
  standin_pack(buffer, count, type, message->bytes);
  for (struct standin_receive* posted = first_posted; posted; posted = posted->next)
    if (takes(&posted->comm, posted->source, posted->tag, comm->id, tag)) {
      deliver(posted, message);
      free(message);
      return;
    }
  if (strcmp(function, "MPI_Ssend") == 0)
    standin_stop(function,
                 "a synchronous message to oneself (tag %d) that no receive was posted for: it would wait for ever",
                 tag);
  *last_message = message;
  last_message = &message->next;
}

void standin_send_data(const char* function, struct standin_comm* comm, const void* buffer, int count,
                       MPI_Datatype type, int peer, int tag) {
  if (standin_is_self(comm, peer)) {
    send_to_self(function, comm, buffer, count, type, tag);
  } else {
    standin_remember_sent(comm, peer, tag, buffer, count, type);
    standin_publish_rank0_message(comm, peer, tag, buffer, count, type);
  }
}

/* From another rank. Returns the status' values. */
static struct standin_assumed_message from_others(const struct standin_comm* comm,
                                                  const struct standin_receive_buffer* into, int source, int tag) {
  const struct standin_assumed_message seen = standin_assume_message(comm, source, tag, into->capacity, 1);
  if (seen.data)
    standin_receive_buffer_fill(into, seen.data, seen.bytes);
  else
    standin_receive_buffer_zero(into);
  return seen;
}

/* 1: only this process could send what is asked for. */
static int from_self_only(const struct standin_comm* comm, int source) {
  return standin_is_self(comm, source) || (source == MPI_ANY_SOURCE && comm->remote_size == 0 && comm->size == 1);
}

static void __attribute__((noreturn)) would_hang(const char* function, int tag) {
  standin_stop(function, "waits for ever for a message of this rank to itself%s, which it did not send before",
               tag == MPI_ANY_TAG ? "" : " with its tag");
}

int standin_receive_now(const char* function, struct standin_comm* comm, void* buffer, int count, MPI_Datatype type,
                        int source, int tag, MPI_Status* status) {
  struct standin_receive_buffer into;
  standin_receive_buffer_set(&into, buffer, count, type, 0);
  struct standin_message* message = standin_message_to_self(comm, source, tag, 1);
  if (message) {
    size_t n = message->size;
    const int code = fill(&into, message->bytes, &n);
    standin_set_status(status, comm->rank, message->tag, n, 0);
    free(message);
    return code;
  }
  if (from_self_only(comm, source)) would_hang(function, tag);
  const struct standin_assumed_message seen = from_others(comm, &into, source, tag);
  standin_set_status(status, seen.source, seen.tag, seen.bytes, 0);
  return MPI_SUCCESS;
}

/* The request was freed: the receive stays listed if only this process can send to it. */
void standin_receive_forget(struct standin_request* request) {
  struct standin_receive* receive = request->more;
  receive->request = NULL;
  if (receive->listed && from_self_only(&receive->comm, receive->source)) return;
  if (receive->listed) unlist(receive);
  standin_receive_buffer_free(&receive->into);
  free(receive);
}

void standin_receive_post(struct standin_request* request, struct standin_comm* comm, void* buffer, int count,
                          MPI_Datatype type, int source, int tag) {
  struct standin_receive* receive = request->more;
  if (!receive) receive = request->more = standin_alloc(sizeof *receive);
  if (!request->release) request->release = standin_receive_forget;
  memset(receive, 0, sizeof *receive);
  standin_receive_buffer_set(&receive->into, buffer, count, type, 1);
  receive->comm = *comm;
  receive->source = source;
  receive->tag = tag;
  receive->request = request;
  struct standin_message* message = standin_message_to_self(comm, source, tag, 1);
  if (message) {
    deliver(receive, message);
    free(message);
  } else if (source == MPI_ANY_SOURCE || standin_is_self(comm, source)) {
    receive->listed = 1;
    *last_posted = receive;
    last_posted = &receive->next;
  }
}

int standin_receive_is_ready(const struct standin_request* request) {
  const struct standin_receive* receive = request->more;
  return request->done || !from_self_only(&receive->comm, receive->source);
}

const char standin_arrival_is_guessed[] =
    "MPI_Iprobe and tests of receives from MPI_ANY_SOURCE: whether a message has come is guessed";

int standin_receive_has_come(const struct standin_request* request) {
  static int refusals;
  const struct standin_receive* receive = request->more;
  if (!standin_receive_is_ready(request)) return 0;
  if (request->done || receive->source != MPI_ANY_SOURCE ||
      standin_is_unanswered(&receive->comm, MPI_ANY_SOURCE, receive->tag))
    return 1;
  standin_note(standin_arrival_is_guessed);
  /* with MPI_ANY_TAG the tag would be a guess, and programs look at it: so they get such messages very rarely */
  if (++refusals < (receive->tag == MPI_ANY_TAG ? 1000 * STANDIN_EMPTY_POLLS : STANDIN_EMPTY_POLLS)) return 0;
  refusals = 0;
  return 1;
}

int standin_receive_complete(struct standin_request* request) {
  struct standin_receive* receive = request->more;
  if (request->done) return 1;
  if (!standin_receive_is_ready(request)) return 0;
  const struct standin_assumed_message seen =
      from_others(&receive->comm, &receive->into, receive->source, receive->tag);
  done(receive, seen.source, seen.tag, seen.bytes, MPI_SUCCESS);
  return 1;
}

void standin_receive_cancel(struct standin_request* request) {
  struct standin_receive* receive = request->more;
  if (request->done) return;
  done(receive, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, MPI_SUCCESS);
  PMPI_Status_set_cancelled(&request->status, 1);
}

struct standin_request* standin_done_request(enum standin_request_kind kind, MPI_Request* handle) {
  struct standin_request* request;
  *handle = standin_request_new(kind, &request);
  request->started = standin_next_start();
  request->done = 1;
  standin_set_empty_status(&request->status);
  request->status.MPI_ERROR = MPI_SUCCESS;
  return request;
}
