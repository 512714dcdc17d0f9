/* One-sided communication: windows, epochs, transfers. */
#include "measure/pattern/data.h"
#include "measure/pattern/threads.h"
#include "measure/runtime/communicators.h"
#include "measure/runtime/hooks.h"
#include "measure/runtime/names.h"
#include "measure/runtime/request_table.h"
#include "measure/runtime/status.h"
#include "measure/runtime/windows.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

static int32_t rmaid; /* of this process: 1, 2, … */

/* MPI's assertions in the journal's bits (enum mora_assert). */
static int assertions(int assert) {
  return (assert& MPI_MODE_NOCHECK ? MORA_ASSERT_NOCHECK : 0) | (assert& MPI_MODE_NOSTORE ? MORA_ASSERT_NOSTORE : 0) |
         (assert& MPI_MODE_NOPUT ? MORA_ASSERT_NOPUT : 0) | (assert& MPI_MODE_NOPRECEDE ? MORA_ASSERT_NOPRECEDE : 0) |
         (assert& MPI_MODE_NOSUCCEED ? MORA_ASSERT_NOSUCCEED : 0);
}

static void finish_collective(struct mora_call* call, uint32_t window, int assert) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, window);
    record[4] = mora_pair(assertions(assert), 0);
    mora_publish(call, record, 5, MORA_SHAPE_WIN_COLLECTIVE);
  }
  mora_leave();
}

static void made(struct mora_call* call, MPI_Comm comm, int disp_unit, const MPI_Win* win) {
  finish_collective(
      call, call->rc == MPI_SUCCESS ? mora_window_made(comm, *win, call->function, disp_unit) : MORA_NO_WINDOW, 0);
}

void mora_post_win_create(struct mora_call* call, void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                          MPI_Comm comm, MPI_Win* win) {
  made(call, comm, disp_unit, win);
}

void mora_post_win_allocate(struct mora_call* call, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void* baseptr, MPI_Win* win) {
  made(call, comm, disp_unit, win);
}

void mora_post_win_create_dynamic(struct mora_call* call, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  made(call, comm, 1, win);
}

void mora_pre_win_free(struct mora_call* call, MPI_Win* win) {
  call->key = MORA_KEY(*win);
  mora_threads_lock();
  call->object = mora_window_id(*win); /* MPI resets the handle */
  mora_threads_unlock();
}

void mora_post_win_free(struct mora_call* call, MPI_Win* win) {
  if (call->rc == MPI_SUCCESS) mora_window_forget(call->key);
  finish_collective(call, call->object, 0);
}

void mora_post_win_fence(struct mora_call* call, int assert, MPI_Win win) {
  finish_collective(call, mora_window_id(win), assert);
}

void mora_post_win_set_name(struct mora_call* call, MPI_Win win, const char* win_name) {
  const uint32_t id = mora_window_id(win);
  if (call->rc == MPI_SUCCESS) mora_write_name(id, 1, win_name);
  mora_finish_object(call, id);
}

static void finish_group(struct mora_call* call, uint32_t window, uint32_t group, int assert) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, window);
    record[4] = mora_pair((int32_t)group, assertions(assert));
    mora_publish(call, record, 5, MORA_SHAPE_WIN_GROUP);
  }
  mora_leave();
}

void mora_post_win_post(struct mora_call* call, MPI_Group group, int assert, MPI_Win win) {
  const uint32_t id = call->rc == MPI_SUCCESS ? mora_group_id(group) : UINT32_MAX;
  struct mora_window* window = mora_window_of(win);
  if (window && call->rc == MPI_SUCCESS) window->exposure_group = id;
  finish_group(call, window ? window->id : MORA_NO_WINDOW, id, assert);
}

void mora_post_win_start(struct mora_call* call, MPI_Group group, int assert, MPI_Win win) {
  const uint32_t id = call->rc == MPI_SUCCESS ? mora_group_id(group) : UINT32_MAX;
  struct mora_window* window = mora_window_of(win);
  if (window && call->rc == MPI_SUCCESS) window->access_group = id;
  finish_group(call, window ? window->id : MORA_NO_WINDOW, id, assert);
}

/* Writes the record with the group that was kept when the epoch was opened; `closed`: the group is then forgotten. */
static void finish_epoch(struct mora_call* call, struct mora_window* window, uint32_t* group, int closed) {
  const uint32_t id = group ? *group : UINT32_MAX;
  if (closed) {
    call->flags |= MORA_FLAG_EPOCH_CLOSED;
    if (group) *group = UINT32_MAX;
  }
  finish_group(call, window ? window->id : MORA_NO_WINDOW, id, 0);
}

void mora_post_win_complete(struct mora_call* call, MPI_Win win) {
  struct mora_window* window = mora_window_of(win);
  finish_epoch(call, window, window ? &window->access_group : NULL, call->rc == MPI_SUCCESS);
}

void mora_post_win_wait(struct mora_call* call, MPI_Win win) {
  struct mora_window* window = mora_window_of(win);
  finish_epoch(call, window, window ? &window->exposure_group : NULL, call->rc == MPI_SUCCESS);
}

void mora_post_win_test(struct mora_call* call, MPI_Win win, int* flag) {
  struct mora_window* window = mora_window_of(win);
  const int closed = call->rc == MPI_SUCCESS && *flag;
  if (!closed) call->flags |= MORA_FLAG_UNSUCCESSFUL;
  finish_epoch(call, window, window ? &window->exposure_group : NULL, closed);
}

static void finish_lock(struct mora_call* call, uint32_t window, int32_t target, int type, int assert) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, window);
    record[4] = mora_pair(target, type);
    record[5] = (uint64_t)assertions(assert);
    mora_publish(call, record, 6, MORA_SHAPE_WIN_LOCK);
  }
  mora_leave();
}

static int32_t lock_target(struct mora_call* call, int rank) {
  if (rank != MPI_PROC_NULL) return rank;
  call->flags |= MORA_FLAG_NO_PEER;
  return MORA_PEER_NONE;
}

void mora_post_win_lock(struct mora_call* call, int lock_type, int rank, int assert, MPI_Win win) {
  const uint32_t id = mora_window_id(win);
  const int exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
  if (call->rc == MPI_SUCCESS) mora_window_locked(id, rank, exclusive);
  finish_lock(call, id, lock_target(call, rank), exclusive, assert);
}

void mora_post_win_unlock(struct mora_call* call, int rank, MPI_Win win) {
  const uint32_t id = mora_window_id(win);
  finish_lock(call, id, lock_target(call, rank), call->rc == MPI_SUCCESS ? mora_window_unlocked(id, rank) : -1, 0);
}

/* MPI_Rput and the like: a request that completes nothing but itself. */
static uint64_t remember(const struct mora_call* call, MPI_Request request) {
  const uint64_t number = ++mora_request_number;
  struct mora_request* entry =
      call->rc != MPI_SUCCESS || request == MPI_REQUEST_NULL ? NULL : mora_request_add(MORA_KEY(request));
  if (!entry) return number;
  *entry = (struct mora_request){.number = number,
                                 .peer = MORA_PEER_NONE,
                                 .tag = MORA_TAG_ANY,
                                 .comm = MORA_NO_COMM,
                                 .kind = MORA_REQUEST_OTHER,
                                 .active = 1,
                                 .next = entry->next,
                                 .tail = entry->tail};
  mora_requests_live++;
  return number;
}

static void finish_transfer(struct mora_call* call, MPI_Win win, int target, int origin_count, MPI_Datatype origin_type,
                            MPI_Aint displacement, int target_count, MPI_Datatype target_type,
                            const MPI_Request* request) {
  const int nothing = target == MPI_PROC_NULL || call->rc != MPI_SUCCESS;
  if (nothing) call->flags |= MORA_FLAG_NO_PEER;
  mora_data_both(call, origin_count, origin_type, target_count, target_type);
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill(record, call, mora_window_id(win));
  record[4] = mora_pair(nothing ? MORA_PEER_NONE : target, ++rmaid);
  record[5] = nothing ? 0 : mora_type_bytes(origin_type, (uint64_t)origin_count);
  record[6] = nothing ? 0 : mora_type_bytes(target_type, (uint64_t)target_count);
  record[7] = nothing ? 0 : (uint64_t)displacement;
  record[8] = record[9] = 0;
  if (!nothing && target_count > 0) mora_type_range(target_type, (uint64_t)target_count, record + 8);
  if (request) record[10] = remember(call, *request);
  mora_publish(call, record, request ? 11 : 10, MORA_SHAPE_RMA);
  mora_leave();
}

void mora_post_put(struct mora_call* call, const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  finish_transfer(call, win, target_rank, origin_count, origin_datatype, target_disp, target_count, target_datatype,
                  NULL);
}

void mora_post_get(struct mora_call* call, void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  finish_transfer(call, win, target_rank, origin_count, origin_datatype, target_disp, target_count, target_datatype,
                  NULL);
}

void mora_post_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                          MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                          MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  finish_transfer(call, win, target_rank, origin_count, origin_datatype, target_disp, target_count, target_datatype,
                  NULL);
}

void mora_post_rput(struct mora_call* call, const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                    MPI_Request* request) {
  finish_transfer(call, win, target_rank, origin_count, origin_datatype, target_disp, target_count, target_datatype,
                  request);
}

void mora_post_rget(struct mora_call* call, void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                    MPI_Request* request) {
  finish_transfer(call, win, target_rank, origin_count, origin_datatype, target_disp, target_count, target_datatype,
                  request);
}

void mora_post_raccumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                           MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  finish_transfer(call, win, target_rank, origin_count, origin_datatype, target_disp, target_count, target_datatype,
                  request);
}

/* Data move both ways: the bytes at the target are what comes back. */
void mora_post_get_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                              MPI_Datatype origin_datatype, void* result_addr, int result_count,
                              MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                              MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  finish_transfer(call, win, target_rank, op == MPI_NO_OP ? 0 : origin_count,
                  op == MPI_NO_OP ? MPI_DATATYPE_NULL : origin_datatype, target_disp, target_count, target_datatype,
                  NULL);
}

void mora_post_rget_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                               MPI_Datatype origin_datatype, void* result_addr, int result_count,
                               MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                               MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  finish_transfer(call, win, target_rank, op == MPI_NO_OP ? 0 : origin_count,
                  op == MPI_NO_OP ? MPI_DATATYPE_NULL : origin_datatype, target_disp, target_count, target_datatype,
                  request);
}

void mora_post_fetch_and_op(struct mora_call* call, const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                            int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  finish_transfer(call, win, target_rank, op != MPI_NO_OP, datatype, target_disp, 1, datatype, NULL);
}

void mora_post_compare_and_swap(struct mora_call* call, const void* origin_addr, const void* compare_addr,
                                void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                                MPI_Win win) {
  finish_transfer(call, win, target_rank, 1, datatype, target_disp, 1, datatype, NULL);
}

/* Target -1 without the flag NO_PEER: all. */
void mora_post_win_lock_all(struct mora_call* call, int assert, MPI_Win win) {
  finish_lock(call, mora_window_id(win), -1, 0, assert);
}

void mora_post_win_unlock_all(struct mora_call* call, MPI_Win win) { finish_lock(call, mora_window_id(win), -1, 0, 0); }

/* Target -1 without the flag NO_PEER: all. The record's function distinguishes MPI_Win_flush and MPI_Win_flush_local.
 */
static void finish_flush(struct mora_call* call, MPI_Win win, int32_t target) {
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill(record, call, mora_window_id(win));
  record[4] = mora_pair(target, 0);
  mora_publish(call, record, 5, MORA_SHAPE_WIN_FLUSH);
  mora_leave();
}

void mora_post_win_flush(struct mora_call* call, int rank, MPI_Win win) {
  finish_flush(call, win, lock_target(call, rank));
}

void mora_post_win_flush_all(struct mora_call* call, MPI_Win win) { finish_flush(call, win, -1); }
