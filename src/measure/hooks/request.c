/* Starting, completing, cancelling and freeing requests. MPI sets completed handles to MPI_REQUEST_NULL: the pre hooks
 * keep what they were. Inactive and null requests complete nothing. */
#include <string.h>

#include "hooks.h"
#include "measure/call/status.h"
#include "measure/handles/handle_map.h"
#include "measure/handles/request_table.h"
#include "measure/hooks/poll.h"
#include "measure/pattern/data.h"
#include "measure/recorder/recorder.h"

enum { words_per_completion = sizeof(struct mora_completion) / 8, largest_part = 250 };

static uint64_t key_of(MPI_Request request) { return request == MPI_REQUEST_NULL ? 0 : MORA_KEY(request); }

static inline void keep(struct mora_call* call, int count, const MPI_Request* requests) {
  call->count = count;
  call->requests = NULL;
  struct mora_room* room = &mora_self.thread->rooms[MORA_ROOM_REQUESTS];
  if (count <= 0) return;
  if (__builtin_expect(room->capacity < (uint32_t)count, 0) &&
      !mora_reserve(&room->memory, &room->capacity, (uint32_t)count, sizeof *requests))
    return;
  call->requests = room->memory;
  memcpy(call->requests, requests, (size_t)count * sizeof *requests);
}

/* 1: a failing Wait or Test did complete its request (a truncated message), and its status is valid. */
static int completed_in_error(int rc) {
  int class = MPI_ERR_REQUEST;
  PMPI_Error_class(rc, &class);
  return class == MPI_ERR_TRUNCATE;
}

static void describe(uint64_t* out, uint64_t number, uint64_t peer_tag, uint64_t bytes, uint32_t comm, int kind) {
  out[0] = number;
  out[1] = peer_tag;
  out[2] = bytes;
  out[3] = mora_pair((int32_t)comm, kind);
}

/* One request is complete: writes its words and removes its entry (persistent ones: makes it inactive). `entry`: NULL
 * if it is still to be found. 0: it was null or inactive. */
static int complete_entry(uint64_t* out, uint64_t key, struct mora_request* entry, const MPI_Status* status) {
  if (key == 0) return 0;
  if (!entry) entry = mora_request_find(key);
  if (!entry) {
    __atomic_add_fetch(&mora_unknown_requests, 1, __ATOMIC_RELAXED);
    describe(out, 0, mora_pair(MORA_PEER_NONE, MORA_TAG_ANY), 0, UINT32_MAX, MORA_COMPLETED_OTHER);
    return 1;
  }
  if (!entry->active) return 0;
  const uint64_t own = mora_pair(entry->peer, entry->tag);
  if (entry->cancelled && mora_status_cancelled(status))
    describe(out, entry->number, own, 0, entry->comm, MORA_CANCELLED);
  else if (entry->kind == MORA_REQUEST_SEND)
    describe(out, entry->number, own, entry->bytes, entry->comm, MORA_COMPLETED_SEND);
  else if (entry->kind == MORA_REQUEST_OTHER || entry->kind == MORA_REQUEST_IO)
    describe(out, entry->number, own, entry->kind == MORA_REQUEST_IO ? mora_status_bytes(status) : 0, entry->comm,
             MORA_COMPLETED_OTHER);
  else if (entry->peer == MORA_PEER_NONE || status->MPI_SOURCE == MPI_PROC_NULL)
    describe(out, entry->number, mora_pair(MORA_PEER_NONE, MORA_TAG_ANY), 0, entry->comm, MORA_COMPLETED_RECV);
  else
    describe(out, entry->number, mora_pair(status->MPI_SOURCE, status->MPI_TAG), mora_status_bytes(status), entry->comm,
             MORA_COMPLETED_RECV);
  if (entry->persistent)
    mora_request_rests(entry);
  else
    mora_request_remove(key);
  return 1;
}

static inline int complete(uint64_t* out, uint64_t key, struct mora_request* entry, const MPI_Status* status) {
  const int completed = complete_entry(out, key, entry, status);
  mora_requests_release();
  return completed;
}

/* The record of a call that completes at most one request. */
static void finish_one(struct mora_call* call, uint64_t key, struct mora_request* entry, const MPI_Status* status,
                       int completed) {
  uint64_t scratch[4 + words_per_completion];
  uint64_t* record = call->silent ? scratch : mora_journal_small(mora_self.journal);
  const int n = completed ? complete(record + 4, key, entry, status) : 0;
  if (!call->silent) {
    mora_fill(record, call, 0);
    mora_publish(call, record, 4 + words_per_completion * (unsigned)n, MORA_SHAPE_COMPLETE);
  }
  mora_leave();
}

/* A list that grows record by record. */
struct list {
  struct mora_call* call;
  unsigned shape, n, room, continues;
  uint64_t* record;
  uint64_t scratch[words_per_completion];
};

static void open_part(struct list* list, int expected) {
  list->n = 0;
  list->room = expected < 1 ? 1 : expected > largest_part ? largest_part : (unsigned)expected;
  if (list->call->silent) return;
  list->record = mora_journal_big(mora_self.journal, 4 + words_per_completion * list->room);
  mora_fill(list->record, list->call, 0);
}

static void publish_part(struct list* list, unsigned flags) {
  if (list->call->silent) return;
  if (!flags && !list->continues) {
    mora_publish(list->call, list->record, 4 + words_per_completion * list->n, list->shape);
    return;
  }
  list->continues = 1;
  mora_journal_publish(mora_self.journal, list->record, 4 + words_per_completion * list->n, list->call->function,
                       list->shape, list->call->flags | flags);
}

static struct list begin_list(struct mora_call* call, unsigned shape, int expected) {
  struct list list = {.call = call, .shape = shape};
  open_part(&list, expected);
  return list;
}

/* Where the next element goes; `left` elements may still come, this one included. */
static uint64_t* next_element(struct list* list, int left) {
  if (list->call->silent) return list->scratch;
  if (list->n == list->room) {
    publish_part(list, MORA_FLAG_CONTINUED);
    open_part(list, left);
  }
  return list->record + 4 + words_per_completion * list->n;
}

static void end_list(struct list* list) {
  publish_part(list, 0);
  mora_leave();
}

void mora_post_wait(struct mora_call* call, MPI_Request* request, MPI_Status* status) {
  (void)request;
  finish_one(call, call->key, call->request, status, call->rc == MPI_SUCCESS || completed_in_error(call->rc));
}

/* A test that found nothing, as most do that are made in a loop; what else is to be done stands in functions of its
 * own, so that nothing is kept on the stack for it. */
static inline int found_nothing(const struct mora_call* call, const int* flag) {
  return __builtin_expect(call->rc == MPI_SUCCESS && !*flag, 1);
}

static __attribute__((noinline)) void finish_test(struct mora_call* call, const MPI_Status* status) {
  if (call->rc == MPI_SUCCESS || completed_in_error(call->rc))
    finish_one(call, call->key, call->request, status, 1);
  else
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
}

void mora_post_test(struct mora_call* call, MPI_Request* request, int* flag, MPI_Status* status) {
  (void)request;
  if (found_nothing(call, flag))
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
  else
    finish_test(call, status);
}

/* Waitall, Testall. With MPI_ERR_IN_STATUS those whose status says MPI_ERR_PENDING are not complete (MPI-3.1, 3.7.5).
 */
static void finish_all(struct mora_call* call, const MPI_Status* statuses, int completed) {
  const int in_status = call->rc != MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE;
  struct list list = begin_list(call, MORA_SHAPE_COMPLETE, completed ? call->count : 0);
  static const MPI_Status nothing;
  for (int i = 0; completed && call->requests && i < call->count; i++) {
    if (in_status && statuses[i].MPI_ERROR == MPI_ERR_PENDING) continue;
    const MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? &nothing : &statuses[i];
    list.n += (unsigned)complete(next_element(&list, call->count - i), key_of(call->requests[i]), NULL, status);
  }
  end_list(&list);
}

/* 1: the call succeeded, or its statuses say which requests failed. */
static int error_is_in_status(int rc) {
  int class = 0;
  return rc == MPI_SUCCESS || (PMPI_Error_class(rc, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS);
}

void mora_pre_waitall(struct mora_call* call, int count, MPI_Request array_of_requests[],
                      MPI_Status* array_of_statuses) {
  (void)array_of_statuses;
  keep(call, count, array_of_requests);
}

void mora_post_waitall(struct mora_call* call, int count, MPI_Request array_of_requests[],
                       MPI_Status* array_of_statuses) {
  (void)count, (void)array_of_requests;
  finish_all(call, array_of_statuses, error_is_in_status(call->rc));
}

void mora_pre_testall(struct mora_call* call, int count, MPI_Request array_of_requests[], int* flag,
                      MPI_Status array_of_statuses[]) {
  (void)flag, (void)array_of_statuses;
  keep(call, count, array_of_requests);
}

static __attribute__((noinline)) void finish_testall(struct mora_call* call, const MPI_Status* statuses) {
  if (error_is_in_status(call->rc))
    finish_all(call, statuses, 1);
  else
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
}

void mora_post_testall(struct mora_call* call, int count, MPI_Request array_of_requests[], int* flag,
                       MPI_Status array_of_statuses[]) {
  (void)count, (void)array_of_requests;
  if (found_nothing(call, flag))
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
  else
    finish_testall(call, array_of_statuses);
}

/* Of one request the wrapper has told the key. */
static inline void keep_of_any(struct mora_call* call, int count, const MPI_Request* requests) {
  if (count == 1)
    call->count = 1;
  else
    keep(call, count, requests);
}

static void finish_any(struct mora_call* call, int index, const MPI_Status* status, int completed) {
  const int known = completed && index != MPI_UNDEFINED && index >= 0 && index < call->count;
  if (call->count == 1)
    finish_one(call, call->key, call->request, status, known);
  else if (known && call->requests)
    finish_one(call, key_of(call->requests[index]), NULL, status, 1);
  else
    finish_one(call, 0, NULL, status, 0);
}

void mora_pre_waitany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index,
                      MPI_Status* status) {
  (void)index, (void)status;
  keep_of_any(call, count, array_of_requests);
}

void mora_post_waitany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index,
                       MPI_Status* status) {
  (void)count, (void)array_of_requests;
  finish_any(call, *index, status, call->rc == MPI_SUCCESS || completed_in_error(call->rc));
}

void mora_pre_testany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index, int* flag,
                      MPI_Status* status) {
  (void)index, (void)flag, (void)status;
  keep_of_any(call, count, array_of_requests);
}

static __attribute__((noinline)) void finish_testany(struct mora_call* call, int index, const MPI_Status* status) {
  if (call->rc == MPI_SUCCESS || completed_in_error(call->rc))
    finish_any(call, index, status, 1);
  else
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
}

void mora_post_testany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index, int* flag,
                       MPI_Status* status) {
  (void)count, (void)array_of_requests;
  if (found_nothing(call, flag))
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
  else
    finish_testany(call, *index, status);
}

static void finish_some(struct mora_call* call, int n, const int* indices, const MPI_Status* statuses) {
  static const MPI_Status nothing;
  struct list list = begin_list(call, MORA_SHAPE_COMPLETE, n);
  for (int i = 0; call->requests && i < n; i++) {
    if (indices[i] < 0 || indices[i] >= call->count) continue;
    const MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? &nothing : &statuses[i];
    list.n += (unsigned)complete(next_element(&list, n - i), key_of(call->requests[indices[i]]), NULL, status);
  }
  end_list(&list);
}

/* How many requests a Waitsome or Testsome completed. */
static int some(const struct mora_call* call, int outcount) {
  return !error_is_in_status(call->rc) || outcount == MPI_UNDEFINED ? 0 : outcount;
}

void mora_pre_waitsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                       int array_of_indices[], MPI_Status array_of_statuses[]) {
  (void)outcount, (void)array_of_indices, (void)array_of_statuses;
  keep(call, incount, array_of_requests);
}

void mora_post_waitsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                        int array_of_indices[], MPI_Status array_of_statuses[]) {
  (void)incount, (void)array_of_requests;
  finish_some(call, some(call, *outcount), array_of_indices, array_of_statuses);
}

void mora_pre_testsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                       int array_of_indices[], MPI_Status array_of_statuses[]) {
  (void)outcount, (void)array_of_indices, (void)array_of_statuses;
  keep(call, incount, array_of_requests);
}

void mora_post_testsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                        int array_of_indices[], MPI_Status array_of_statuses[]) {
  (void)incount, (void)array_of_requests;
  const int n = some(call, *outcount);
  if (n == 0) {
    mora_finish_poll(call, 0, MORA_SHAPE_COMPLETE);
    return;
  }
  finish_some(call, n, array_of_indices, array_of_statuses);
}

static const int started_kinds[] = {[MORA_REQUEST_SEND] = MORA_COMPLETED_SEND,
                                    [MORA_REQUEST_RECV] = MORA_COMPLETED_RECV,
                                    [MORA_REQUEST_OTHER] = MORA_COMPLETED_OTHER,
                                    [MORA_REQUEST_IO] = MORA_COMPLETED_OTHER};

/* Pattern mode: one DATA record for each element of the list that follows. */
static void write_started_data(const struct mora_call* call, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; i++) {
    const struct mora_request* found = mora_request_find(key_of(requests[i]));
    const struct mora_request copy = found ? *found : (struct mora_request){0};
    const struct mora_request* entry = &copy;
    mora_requests_release();
    if (!entry->persistent) continue;
    const uint64_t posted = mora_pair(entry->peer, entry->tag);
    if (entry->kind == MORA_REQUEST_SEND)
      mora_write_data_of_element(call, entry->type, entry->count, 0, MORA_NO_COUNT, NULL);
    else if (entry->kind == MORA_REQUEST_RECV)
      mora_write_data_of_element(call, 0, MORA_NO_COUNT, entry->type, entry->count, &posted);
    else
      mora_write_data_of_element(call, 0, MORA_NO_COUNT, 0, MORA_NO_COUNT, NULL);
  }
}

/* MPI_Start, MPI_Startall: every started request gets a new number. */
static void start_all(struct mora_call* call, int count, const MPI_Request* requests) {
  if (mora_has_data(call) && call->rc == MPI_SUCCESS) write_started_data(call, count, requests);
  struct list list = begin_list(call, MORA_SHAPE_START, call->rc == MPI_SUCCESS ? count : 0);
  for (int i = 0; call->rc == MPI_SUCCESS && i < count; i++) {
    struct mora_request* entry = mora_request_find(key_of(requests[i]));
    if (entry && entry->persistent) { /* else made by a call that was not seen */
      mora_request_started(entry, call->silent ? 0 : mora_request_next());
      describe(next_element(&list, count - i), entry->number, mora_pair(entry->peer, entry->tag), entry->bytes,
               entry->comm, started_kinds[entry->kind]);
      list.n++;
    }
    mora_requests_release();
  }
  end_list(&list);
}

void mora_post_start(struct mora_call* call, MPI_Request* request) { start_all(call, 1, request); }

void mora_post_startall(struct mora_call* call, int count, MPI_Request array_of_requests[]) {
  start_all(call, count, array_of_requests);
}

void mora_post_cancel(struct mora_call* call, MPI_Request* request) {
  struct mora_request* entry = call->rc == MPI_SUCCESS ? mora_request_find(key_of(*request)) : NULL;
  const uint32_t comm = entry ? entry->comm : UINT32_MAX;
  if (entry) entry->cancelled = 1;
  mora_requests_release();
  mora_finish_object(call, comm);
}

void mora_pre_request_free(struct mora_call* call, MPI_Request* request) { call->key = key_of(*request); }

void mora_post_request_free(struct mora_call* call, MPI_Request* request) {
  (void)request;
  const struct mora_request* found = call->rc == MPI_SUCCESS ? mora_request_find(call->key) : NULL;
  const struct mora_request entry = found ? *found : (struct mora_request){.comm = UINT32_MAX};
  if (found) mora_request_remove(call->key);
  mora_requests_release();
  if (!entry.active) {
    mora_finish_object(call, entry.comm);
    return;
  }
  if (!call->silent) {
    uint64_t* record = mora_journal_small(mora_self.journal);
    describe(record + 4, entry.number, mora_pair(entry.peer, entry.tag), entry.bytes, entry.comm, MORA_FREED);
    mora_fill(record, call, 0);
    mora_publish(call, record, 4 + words_per_completion, MORA_SHAPE_COMPLETE);
  }
  mora_leave();
}
