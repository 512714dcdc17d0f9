/* MPI_Init, MPI_Finalize, MPI_Abort, MPI_Pcontrol. */
#include "hooks.h"
#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/recorder/recorder.h"
#include "measure/user/marks.h"

void mora_pre_init(struct mora_call* call) { mora_recorder_before_init(call); }
void mora_post_init(struct mora_call* call) { mora_recorder_start(call, NULL); }
void mora_pre_finalize(struct mora_call* call) { mora_recorder_before_finalize(call); }
void mora_post_finalize(struct mora_call* call) { mora_recorder_after_finalize(call); }

/* MPI_Abort may not return: all records are written to the file, and then its Enter. */
void mora_pre_abort(struct mora_call* call, MPI_Comm comm) {
  mora_threads_lock();
  mora_recorder_flush();
  call->begin = mora_self.journal->state->begin = mora_ticks();
  if (!call->silent) {
    uint64_t* record = mora_journal_small(mora_self.journal);
    call->end = call->begin;
    call->rc = MPI_ERR_COMM; /* an unknown communicator is not defined now */
    mora_fill(record, call, mora_comm_id(call, comm));
    mora_journal_publish(mora_self.journal, record, 4, call->function, MORA_SHAPE_CALL, call->flags | MORA_FLAG_OPEN);
  }
  mora_threads_unlock();
}

void mora_post_abort(struct mora_call* call, MPI_Comm comm) { mora_finish_object(call, mora_comm_id(call, comm)); }

/* The record's object is the level: programs mark intervals with it, also while recording is off. Level 2 is level 1,
 * and all records are written to the file (MPI-3.1, 14.2.4). */
void mora_post_pcontrol(struct mora_call* call, const int level) {
  const int was_on = mora_self.gate_resting == MORA_GATE_OPEN; /* other threads may have switched it meanwhile */
  if (mora_is_mark_level(level)) call->silent = 0;
  mora_finish_object(call, (uint32_t)level);
  if (call->rc != MPI_SUCCESS || level < 0 || level > 2) return;
  mora_threads_lock();
  if ((level != 0) != was_on) {
    mora_recorder_switch(level != 0);
    mora_self.gate = mora_self.gate_resting;
  }
  if (level == 2) mora_recorder_flush();
  mora_threads_unlock();
}
