/* Messages to oneself are matched as MPI says: in order of sending and of posting. Others' messages come when a receive
 * is completed, as late as possible: so a receive with MPI_ANY_SOURCE takes a message to oneself that is sent before
 * its completion. */
#include "measure/standin/messages/messages.h"

#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "measure/standin/assumed/assumed_messages.h"
#include "measure/standin/assumed/rank0_messages.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/shared.h"

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

static int takes(const struct standin_comm* comm, int source, int tag, const struct standin_message* message) {
  return comm->identity == message->context && (source == MPI_ANY_SOURCE || source == message->source) &&
         (tag == MPI_ANY_TAG || tag == message->tag);
}

static void take_in(void);

struct standin_message* standin_message_here(const struct standin_comm* comm, int source, int tag, int take) {
  if (standin_plan.together) take_in();
  for (struct standin_message** link = &first_message; *link; link = &(*link)->next) {
    struct standin_message* message = *link;
    if (!takes(comm, source, tag, message)) continue;
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
  done(receive, message->source, message->tag, n, code);
  standin_message_received(message);
}

static struct standin_message* new_message(const struct standin_comm* comm, const void* buffer, int count,
                                           MPI_Datatype type, int tag) {
  struct standin_message* message = standin_message_new(standin_bytes(count, type));
  message->context = comm->identity;
  message->source = comm->rank;
  message->tag = tag;
  standin_pack(buffer, count, type, message->bytes);
  return message;
}

/* To the receive that is posted for it (1), or to the messages here. */
static int arrive(struct standin_message* message) {
  for (struct standin_receive* posted = first_posted; posted; posted = posted->next)
    if (takes(&posted->comm, posted->source, posted->tag, message)) {
      deliver(posted, message);
      return 1;
    }
  message->next = NULL;
  *last_message = message;
  last_message = &message->next;
  return 0;
}

/* What others sent meanwhile. */
static void take_in(void) {
  for (struct standin_message *message = standin_messages_that_came(), *next; message; message = next) {
    next = message->next;
    arrive(message);
  }
}

static void send_to_self(struct standin_comm* comm, const void* buffer, int count, MPI_Datatype type, int tag) {
  if (!arrive(new_message(comm, buffer, count, type, tag)) && standin_progress->function == MORA_FN_MPI_Ssend)
    standin_stop("a synchronous message to oneself (tag %d) that no receive was posted for: it would wait for ever",
                 tag);
}

void standin_send_data(struct standin_comm* comm, const void* buffer, int count, MPI_Datatype type, int peer, int tag) {
  if (standin_plan.together) {
    standin_message_post(new_message(comm, buffer, count, type, tag), standin_peer(comm, peer));
  } else if (standin_is_self(comm, peer)) {
    send_to_self(comm, buffer, count, type, tag);
  } else {
    standin_remember_sent(comm, peer, tag, buffer, count, type);
    standin_publish_rank0_message(comm, peer, tag, buffer, count, type);
  }
}

struct unreceived {
  struct standin_pending pending;
  struct standin_message* message;
  int world_rank, tag;
};

static int was_received(struct standin_pending* self) {
  struct unreceived* mine = (struct unreceived*)self;
  take_in();
  if (!__atomic_load_n(&mine->message->received, __ATOMIC_SEQ_CST)) return 0;
  standin_message_free(mine->message);
  return 1;
}

static struct standin_awaited a_receive(const struct standin_pending* self) {
  const struct unreceived* mine = (const struct unreceived*)self;
  const struct standin_awaited awaited = {mine->world_rank, mine->tag, "waits for a receive of its message by rank"};
  return awaited;
}

struct standin_pending* standin_send_synchronously(struct standin_comm* comm, const void* buffer, int count,
                                                   MPI_Datatype type, int peer, int tag) {
  if (!standin_plan.together) {
    standin_send_data(comm, buffer, count, type, peer, tag);
    return NULL;
  }
  struct unreceived* mine = standin_alloc(sizeof *mine);
  mine->pending = (struct standin_pending){was_received, a_receive};
  mine->message = new_message(comm, buffer, count, type, tag);
  mine->message->synchronous = standin_world_rank;
  mine->message->owners = 2;
  mine->world_rank = standin_peer(comm, peer);
  mine->tag = tag;
  standin_message_post(mine->message, mine->world_rank);
  return &mine->pending;
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

static void __attribute__((noreturn)) would_hang(int tag) {
  standin_stop("waits for ever for a message of this rank to itself%s, which it did not send before",
               tag == MPI_ANY_TAG ? "" : " with its tag");
}

/* Posts a receive and waits for it. */
static int receive_message(struct standin_comm* comm, void* buffer, int count, MPI_Datatype type, int source, int tag,
                           MPI_Status* status) {
  struct standin_request request = {.kind = STANDIN_RECV, .active = 1};
  standin_receive_post(&request, comm, buffer, count, type, source, tag);
  for (;;) {
    const uint32_t seen = standin_events();
    if (standin_request_has_come(&request)) break;
    standin_sleep(seen, standin_request_awaits(&request));
  }
  free(request.more);
  if (status != MPI_STATUS_IGNORE) {
    const int error = status->MPI_ERROR;
    *status = request.status;
    status->MPI_ERROR = error;
  }
  return request.status.MPI_ERROR;
}

int standin_receive_now(struct standin_comm* comm, void* buffer, int count, MPI_Datatype type, int source, int tag,
                        MPI_Status* status) {
  if (standin_plan.together) return receive_message(comm, buffer, count, type, source, tag, status);
  struct standin_receive_buffer into;
  standin_receive_buffer_set(&into, buffer, count, type, 0);
  struct standin_message* message = standin_message_here(comm, source, tag, 1);
  if (message) {
    size_t n = message->size;
    const int code = fill(&into, message->bytes, &n);
    standin_set_status(status, comm->rank, message->tag, n, 0);
    standin_message_received(message);
    return code;
  }
  if (from_self_only(comm, source)) would_hang(tag);
  const struct standin_assumed_message seen = from_others(comm, &into, source, tag);
  standin_set_status(status, seen.source, seen.tag, seen.bytes, 0);
  return MPI_SUCCESS;
}

/* The request was freed: the receive stays listed if it can only be completed by a message that is really delivered. */
void standin_receive_forget(struct standin_request* request) {
  struct standin_receive* receive = request->more;
  receive->request = NULL;
  if (receive->listed && (standin_plan.together || from_self_only(&receive->comm, receive->source))) return;
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
  struct standin_message* message = standin_message_here(comm, source, tag, 1);
  if (message) {
    deliver(receive, message);
  } else if (standin_plan.together || source == MPI_ANY_SOURCE || standin_is_self(comm, source)) {
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

void standin_started_request(enum standin_request_kind kind, MPI_Request* handle) {
  struct standin_request* request = standin_done_request(kind, handle);
  request->pending = standin_what_was_started();
  request->done = !request->pending;
}

int standin_request_has_come(struct standin_request* request) {
  take_in();
  if (request->pending && request->pending->has_come(request->pending)) {
    free(request->pending);
    request->pending = NULL;
    request->done = 1;
  }
  return request->done;
}

static struct standin_awaited a_message(const struct standin_comm* comm, int source, int tag) {
  const int rank = source == MPI_ANY_SOURCE ? -1 : standin_peer(comm, source);
  const struct standin_awaited awaited = {
      rank, tag == MPI_ANY_TAG ? -1 : tag,
      rank < 0 ? "waits for a message from any rank" : "waits for a message from rank"};
  return awaited;
}

struct standin_awaited standin_request_awaits(const struct standin_request* request) {
  if (request->pending) return request->pending->awaited(request->pending);
  const struct standin_receive* receive = request->more;
  return a_message(&receive->comm, receive->source, receive->tag);
}

struct standin_message* standin_await_message(const struct standin_comm* comm, int source, int tag) {
  for (;;) {
    const uint32_t seen = standin_events();
    struct standin_message* message = standin_message_here(comm, source, tag, 0);
    if (message) return message;
    standin_sleep(seen, a_message(comm, source, tag));
  }
}
