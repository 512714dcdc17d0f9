/* One-sided communication: windows, epochs, transfers. */
#include "hooks.h"
#include "measure/call/status.h"
#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/names.h"
#include "measure/handles/request_table.h"
#include "measure/handles/windows.h"
#include "measure/pattern/data.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

/* MPI's assertions in the journal's bits (enum mora_assert). */
static int assertions(int assert) {
  return (assert& MPI_MODE_NOCHECK ? MORA_ASSERT_NOCHECK : 0) | (assert& MPI_MODE_NOSTORE ? MORA_ASSERT_NOSTORE : 0) |
         (assert& MPI_MODE_NOPUT ? MORA_ASSERT_NOPUT : 0) | (assert& MPI_MODE_NOPRECEDE ? MORA_ASSERT_NOPRECEDE : 0) |
         (assert& MPI_MODE_NOSUCCEED ? MORA_ASSERT_NOSUCCEED : 0);
}

static void finish_collective(struct mora_call* call, uint32_t window, int assert) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(mora_self.journal);
    mora_fill(record, call, window);
    record[4] = mora_pair(assertions(assert), 0);
    mora_publish(call, record, 5, MORA_SHAPE_WIN_COLLECTIVE);
  }
  mora_leave();
}

static void made(struct mora_call* call, MPI_Comm comm, int disp_unit, const MPI_Win* win, int is_dynamic) {
  finish_collective(
      call,
      call->rc == MPI_SUCCESS ? mora_window_made(comm, *win, call->function, disp_unit, is_dynamic) : MORA_NO_WINDOW,
      0);
}

void mora_post_win_create(struct mora_call* call, int disp_unit, MPI_Comm comm, MPI_Win* win) {
  made(call, comm, disp_unit, win, 0);
}

void mora_post_win_create_dynamic(struct mora_call* call, MPI_Comm comm, MPI_Win* win) { made(call, comm, 1, win, 1); }

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
    uint64_t* record = mora_journal_small(mora_self.journal);
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
    uint64_t* record = mora_journal_small(mora_self.journal);
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

/* In the journal's numbers (mpi::Reduction); 0: none. */
static uint64_t reduction_of(MPI_Op op) {
  const MPI_Op all[] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                        MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  if (op == MPI_OP_NULL) return 0;
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    if (op == all[i]) return i + 1;
  }
  return 0;
}

void mora_post_transfer(struct mora_call* call, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                        MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                        MPI_Request* request) {
  const int nothing = target_rank == MPI_PROC_NULL || call->rc != MPI_SUCCESS;
  if (nothing) call->flags |= MORA_FLAG_NO_PEER;
  mora_data_both(call, origin_count, origin_datatype, target_count, target_datatype);
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, mora_window_id(win));
  record[4] = mora_pair(nothing ? MORA_PEER_NONE : target_rank, ++mora_self.thread->numbers->transfers);
  record[5] = nothing ? 0 : mora_type_bytes(origin_datatype, (uint64_t)origin_count);
  record[6] = nothing ? 0 : mora_type_bytes(target_datatype, (uint64_t)target_count);
  record[7] = nothing ? 0 : (uint64_t)target_disp;
  record[8] = record[9] = 0;
  if (!nothing && target_count > 0) mora_type_range(target_datatype, (uint64_t)target_count, record + 8);
  if (!nothing) record[9] |= reduction_of(op) << 56;
  if (request) {
    record[10] = mora_request_next();
    mora_request_made(call, *request, MORA_REQUEST_OTHER, 0, record[10], MORA_NO_COMM);
    mora_requests_release();
  }
  mora_publish(call, record, request ? 11 : 10, MORA_SHAPE_RMA);
  mora_leave();
}

/* Data move both ways: the bytes at the target are what comes back. */
void mora_post_get_accumulate(struct mora_call* call, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                              MPI_Win win, MPI_Request* request) {
  mora_post_transfer(call, op == MPI_NO_OP ? 0 : origin_count, op == MPI_NO_OP ? MPI_DATATYPE_NULL : origin_datatype,
                     target_rank, target_disp, target_count, target_datatype, op, win, request);
}

void mora_post_fetch_and_op(struct mora_call* call, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                            MPI_Op op, MPI_Win win) {
  mora_post_transfer(call, op != MPI_NO_OP, datatype, target_rank, target_disp, 1, datatype, op, win, NULL);
}

void mora_post_compare_and_swap(struct mora_call* call, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                                MPI_Win win) {
  mora_post_transfer(call, 1, datatype, target_rank, target_disp, 1, datatype, MPI_OP_NULL, win, NULL);
}

/* Target -1 without the flag NO_PEER: all. */
void mora_post_win_lock_all(struct mora_call* call, int assert, MPI_Win win) {
  finish_lock(call, mora_window_id(win), -1, 0, assert);
}

void mora_post_win_unlock_all(struct mora_call* call, MPI_Win win) { finish_lock(call, mora_window_id(win), -1, 0, 0); }

/* Target -1 without the flag NO_PEER: all. The record's function distinguishes MPI_Win_flush and MPI_Win_flush_local.
 */
static void finish_flush(struct mora_call* call, MPI_Win win, int32_t target) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, mora_window_id(win));
  record[4] = mora_pair(target, 0);
  mora_publish(call, record, 5, MORA_SHAPE_WIN_FLUSH);
  mora_leave();
}

void mora_post_win_flush(struct mora_call* call, int rank, MPI_Win win) {
  finish_flush(call, win, lock_target(call, rank));
}

void mora_post_win_flush_all(struct mora_call* call, MPI_Win win) { finish_flush(call, win, -1); }
