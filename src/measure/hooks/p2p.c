/* Point-to-point calls. Hooks of functions that change no table are not called while recording is off. */
#include "hooks.h"
#include "measure/call/status.h"
#include "measure/handles/communicators.h"
#include "measure/handles/request_table.h"
#include "measure/hooks/poll.h"
#include "measure/pattern/data.h"

/* Bit 63 marks handles of matched messages, as requests may have the same handles (MPICH takes both from one pool). */
#define MESSAGE_KEY(message) (MORA_KEY(message) | UINT64_C(1) << 63)

/* Pattern mode: what a receive asked for. */
static inline void data_received(struct mora_call* call, int count, MPI_Datatype type, int source, int tag) {
  if (mora_has_data(call))
    mora_write_data_with(call, 0, MORA_NO_COUNT, mora_data_type(call, type), count,
                         mora_pair(mora_peer(source), mora_tag(tag)));
}

static int failed(const struct mora_call* call) { return __builtin_expect(call->rc != MPI_SUCCESS, 0); }

static int truncated(const struct mora_call* call) {
  int class = 0;
  return PMPI_Error_class(call->rc, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE;
}

/* Words peer-and-tag and bytes of a message that this process sends. */
static inline void fill_sent(struct mora_call* call, uint64_t* words, int dest, int tag, int count, MPI_Datatype type) {
  if (__builtin_expect(dest == MPI_PROC_NULL || failed(call), 0)) {
    call->flags |= MORA_FLAG_NO_PEER;
    words[0] = mora_pair(MORA_PEER_NONE, tag);
    words[1] = 0;
  } else {
    words[0] = mora_pair(dest, tag);
    words[1] = mora_type_bytes(type, (uint64_t)count);
  }
}

/* The same for a received one. */
static inline void fill_received(struct mora_call* call, uint64_t* words, const MPI_Status* status) {
  if (__builtin_expect((failed(call) && !truncated(call)) || status->MPI_SOURCE == MPI_PROC_NULL, 0)) {
    call->flags |= MORA_FLAG_NO_PEER;
    words[0] = mora_pair(MORA_PEER_NONE, MORA_TAG_ANY);
    words[1] = 0;
  } else {
    words[0] = mora_pair(status->MPI_SOURCE, status->MPI_TAG);
    words[1] = mora_status_bytes(status);
  }
}

/* A call as most are: not in pattern mode, without error, on the communicator of the call before it. What ends such a
 * call calls nothing. */
static inline int is_usual(const struct mora_call* call, MPI_Comm comm) {
  return __builtin_expect(!mora_pattern && call->rc == MPI_SUCCESS && mora_self.last_comm->key == MORA_KEY(comm), 1);
}

/* Ends one of them: peer and tag, bytes. */
static inline void finish_usual(struct mora_call* call, uint64_t peer_tag, uint64_t bytes, int without_peer,
                                unsigned shape) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  if (__builtin_expect(without_peer, 0)) {
    call->flags |= MORA_FLAG_NO_PEER;
    bytes = 0;
  }
  record[4] = peer_tag;
  record[5] = bytes;
  mora_fill(record, call, mora_self.last_comm->id);
  mora_publish_last(call, record, 6, shape);
}

__attribute__((noinline)) static void finish_send(struct mora_call* call, int count, MPI_Datatype datatype, int dest,
                                                  int tag, MPI_Comm comm) {
  const uint32_t id = mora_comm_id(call, comm); /* first: it may write a definition */
  mora_data_sent(call, count, datatype);
  uint64_t* record = mora_journal_small(mora_self.journal);
  fill_sent(call, record + 4, dest, tag, count, datatype);
  mora_fill(record, call, id);
  mora_publish_last(call, record, 6, MORA_SHAPE_SEND);
}

void mora_post_send(struct mora_call* call, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  const uint64_t size = mora_basic_type_bytes(datatype);
  if (is_usual(call, comm) && __builtin_expect(size != 0, 1))
    finish_usual(call, mora_pair(dest == MPI_PROC_NULL ? MORA_PEER_NONE : dest, tag), size * (uint64_t)count,
                 dest == MPI_PROC_NULL, MORA_SHAPE_SEND);
  else
    finish_send(call, count, datatype, dest, tag, comm);
}

__attribute__((noinline)) static void finish_recv(struct mora_call* call, int count, MPI_Datatype datatype, int source,
                                                  int tag, MPI_Comm comm, const MPI_Status* status) {
  const uint32_t id = mora_comm_id(call, comm);
  data_received(call, count, datatype, source, tag);
  uint64_t* record = mora_journal_small(mora_self.journal);
  fill_received(call, record + 4, status);
  mora_fill(record, call, id);
  mora_publish_last(call, record, 6, MORA_SHAPE_RECV);
}

void mora_post_recv(struct mora_call* call, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                    MPI_Status* status) {
  const int nobody = status->MPI_SOURCE == MPI_PROC_NULL;
  if (is_usual(call, comm))
    finish_usual(call,
                 nobody ? mora_pair(MORA_PEER_NONE, MORA_TAG_ANY) : mora_pair(status->MPI_SOURCE, status->MPI_TAG),
                 mora_status_bytes(status), nobody, MORA_SHAPE_RECV);
  else
    finish_recv(call, count, datatype, source, tag, comm, status);
}

/* Enters a request with the message that fill_sent or fill_posted described; then mora_requests_release. */
static struct mora_request* remember(const struct mora_call* call, MPI_Request request, enum mora_request_kind kind,
                                     uint64_t number, const uint64_t* words, uint32_t comm, int persistent) {
  struct mora_request* entry = mora_request_made(call, request, kind, persistent, number, comm);
  if (!entry) return NULL;
  entry->peer = (int32_t)words[0];
  entry->tag = (int32_t)(words[0] >> 32);
  entry->bytes = words[1];
  return entry;
}

/* A persistent one. Pattern mode: type and count are kept, as every MPI_Start records them again. */
static void remember_init(const struct mora_call* call, MPI_Request request, enum mora_request_kind kind,
                          const uint64_t* words, uint32_t comm, MPI_Datatype type, int count) {
  struct mora_request* entry = remember(call, request, kind, 0, words, comm, 1);
  if (mora_pattern && entry) {
    entry->type = mora_type_id(type);
    entry->count = count;
  }
  mora_requests_release();
}

void mora_post_isend(struct mora_call* call, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  const uint32_t id = mora_comm_id(call, comm);
  mora_data_sent(call, count, datatype);
  uint64_t* record = mora_journal_small(mora_self.journal);
  fill_sent(call, record + 4, dest, tag, count, datatype);
  record[6] = mora_request_next();
  remember(call, *request, MORA_REQUEST_SEND, record[6], record + 4, id, 0);
  mora_requests_release();
  mora_fill(record, call, id);
  mora_publish_last(call, record, 7, MORA_SHAPE_ISEND);
}

/* Peer, tag and capacity as posted. */
static inline void fill_posted(struct mora_call* call, uint64_t* words, int source, int tag, int count,
                               MPI_Datatype type) {
  const int without_peer = failed(call) || source == MPI_PROC_NULL;
  if (without_peer) call->flags |= MORA_FLAG_NO_PEER;
  words[0] = mora_pair(without_peer ? MORA_PEER_NONE : mora_peer(source), mora_tag(tag));
  words[1] = without_peer ? 0 : mora_type_bytes(type, (uint64_t)count);
}

void mora_post_irecv(struct mora_call* call, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  const uint32_t id = mora_comm_id(call, comm);
  data_received(call, count, datatype, source, tag);
  uint64_t* record = mora_journal_small(mora_self.journal);
  fill_posted(call, record + 4, source, tag, count, datatype);
  record[6] = mora_request_next();
  remember(call, *request, MORA_REQUEST_RECV, record[6], record + 4, id, 0);
  mora_requests_release();
  mora_fill(record, call, id);
  mora_publish_last(call, record, 7, MORA_SHAPE_IRECV);
}

void mora_post_send_init(struct mora_call* call, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const uint32_t id = mora_comm_id(call, comm);
  uint64_t words[2];
  fill_sent(call, words, dest, tag, count, datatype);
  remember_init(call, *request, MORA_REQUEST_SEND, words, id, datatype, count);
  mora_data_sent(call, count, datatype);
  mora_finish_object(call, id);
}

void mora_post_recv_init(struct mora_call* call, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const uint32_t id = mora_comm_id(call, comm);
  uint64_t words[2];
  fill_posted(call, words, source, tag, count, datatype);
  remember_init(call, *request, MORA_REQUEST_RECV, words, id, datatype, count);
  data_received(call, count, datatype, source, tag);
  mora_finish_object(call, id);
}

static inline void data_exchanged(struct mora_call* call, int n_sent, MPI_Datatype sent, int n_received,
                                  MPI_Datatype received, int source, int tag) {
  if (!mora_has_data(call)) return;
  const uint32_t first = mora_data_type(call, sent), second = mora_data_type(call, received);
  mora_write_data_with(call, first, n_sent, second, n_received, mora_pair(mora_peer(source), mora_tag(tag)));
}

/* Both messages in one record; a side with MPI_PROC_NULL has peer -1. */
static void finish_sendrecv(struct mora_call* call, const uint64_t* sent, uint32_t id, const MPI_Status* status) {
  const uint8_t without_dest = call->flags & MORA_FLAG_NO_PEER;
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[4] = sent[0];
  record[5] = sent[1];
  call->flags &= (uint8_t)~MORA_FLAG_NO_PEER;
  fill_received(call, record + 6, status);
  if (!without_dest) call->flags &= (uint8_t)~MORA_FLAG_NO_PEER; /* the flag: neither message took place */
  mora_fill(record, call, id);
  mora_publish_last(call, record, 8, MORA_SHAPE_SENDRECV);
}

void mora_post_sendrecv(struct mora_call* call, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                        int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                        MPI_Status* status) {
  uint64_t sent[2];
  fill_sent(call, sent, dest, sendtag, sendcount, sendtype);
  const uint32_t id = mora_comm_id(call, comm);
  data_exchanged(call, sendcount, sendtype, recvcount, recvtype, source, recvtag);
  finish_sendrecv(call, sent, id, status);
}

void mora_post_sendrecv_replace(struct mora_call* call, int count, MPI_Datatype datatype, int dest, int sendtag,
                                int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  uint64_t sent[2];
  fill_sent(call, sent, dest, sendtag, count, datatype);
  const uint32_t id = mora_comm_id(call, comm);
  data_exchanged(call, count, datatype, count, datatype, source, recvtag);
  finish_sendrecv(call, sent, id, status);
}

/* Pattern mode: what a probe asked for. */
static inline void data_asked(struct mora_call* call, int source, int tag) {
  if (mora_has_data(call))
    mora_write_data_with(call, 0, MORA_NO_COUNT, 0, MORA_NO_COUNT, mora_pair(mora_peer(source), mora_tag(tag)));
}

void mora_post_probe(struct mora_call* call, int source, int tag, MPI_Comm comm) {
  const uint32_t id = mora_comm_id(call, comm);
  data_asked(call, source, tag);
  mora_finish_object(call, id);
}

void mora_post_iprobe(struct mora_call* call, int source, int tag, MPI_Comm comm, int* flag) {
  const uint32_t id = mora_comm_id(call, comm);
  if (failed(call) || !*flag) {
    mora_finish_poll(call, id, MORA_SHAPE_CALL);
    return;
  }
  data_asked(call, source, tag);
  mora_finish_object(call, id);
}

/* A matched message is a receive that was posted here: its number comes back in Mrecv or in Imrecv's completion. */
static void finish_matched(struct mora_call* call, int source, int tag, MPI_Comm comm, MPI_Message message,
                           const MPI_Status* status) {
  const uint32_t id = mora_comm_id(call, comm);
  uint64_t words[2];
  fill_received(call, words, status);
  const uint64_t number = call->silent ? 0 : mora_request_next();
  struct mora_request* entry =
      failed(call) || message == MPI_MESSAGE_NO_PROC ? NULL : mora_request_add(MESSAGE_KEY(message));
  if (entry) {
    entry->number = number;
    entry->begun = call->begin;
    entry->comm = id;
    entry->peer = (int32_t)words[0];
    entry->tag = (int32_t)(words[0] >> 32);
    entry->bytes = words[1];
    entry->active = 0;
  }
  mora_requests_release();
  if (!call->silent) {
    data_asked(call, source, tag);
    uint64_t* record = mora_journal_small(mora_self.journal);
    record[4] = words[0];
    record[5] = words[1];
    record[6] = number;
    mora_fill(record, call, id);
    mora_publish(call, record, 7, MORA_SHAPE_IRECV);
  }
  mora_leave();
}

void mora_post_mprobe(struct mora_call* call, int source, int tag, MPI_Comm comm, MPI_Message* message,
                      MPI_Status* status) {
  finish_matched(call, source, tag, comm, *message, status);
}

void mora_post_improbe(struct mora_call* call, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                       MPI_Status* status) {
  if (!failed(call) && *flag) {
    finish_matched(call, source, tag, comm, *message, status);
    return;
  }
  mora_finish_poll(call, mora_comm_id(call, comm), MORA_SHAPE_CALL);
}

void mora_pre_mrecv(struct mora_call* call, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  (void)count, (void)type, (void)status;
  call->key = MESSAGE_KEY(*message);
}

/* The matched message that a call took: forgotten if `taken`. */
static struct mora_request message_of(const struct mora_call* call, int taken) {
  const struct mora_request* found = mora_request_find(call->key);
  const struct mora_request message =
      found ? *found : (struct mora_request){.comm = MORA_NO_COMM, .peer = MORA_PEER_NONE, .tag = MORA_TAG_ANY};
  if (found && taken) mora_request_remove(call->key);
  mora_requests_release();
  return message;
}

void mora_post_mrecv(struct mora_call* call, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  (void)message;
  const struct mora_request entry = message_of(call, !failed(call) || truncated(call));
  if (!call->silent) {
    if (mora_has_data(call))
      mora_write_data_with(call, 0, MORA_NO_COUNT, mora_data_type(call, type), count, entry.number);
    uint64_t* record = mora_journal_small(mora_self.journal);
    fill_received(call, record + 4, status);
    record[6] = entry.number;
    mora_fill(record, call, entry.comm);
    mora_publish(call, record, 7, MORA_SHAPE_RECV);
  }
  mora_leave();
}

void mora_pre_imrecv(struct mora_call* call, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  (void)count, (void)type, (void)request;
  call->key = MESSAGE_KEY(*message);
}

void mora_post_imrecv(struct mora_call* call, int count, MPI_Datatype type, MPI_Message* message,
                      MPI_Request* request) {
  (void)message;
  const struct mora_request entry = message_of(call, !failed(call));
  if (!failed(call)) {
    const uint64_t words[2] = {mora_pair(entry.peer, entry.tag), entry.bytes};
    remember(call, *request, MORA_REQUEST_RECV, entry.number, words, entry.comm, 0);
    mora_requests_release();
  }
  if (mora_has_data(call))
    mora_write_data_with(call, 0, MORA_NO_COUNT, mora_data_type(call, type), count, entry.number);
  mora_finish_object(call, entry.comm);
}
