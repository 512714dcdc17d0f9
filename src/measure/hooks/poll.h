/* Tests and probes that found nothing. */
#ifndef MORA_MEASURE_HOOKS_POLL_H
#define MORA_MEASURE_HOOKS_POLL_H

#include "measure/call/sink.h"

enum {
  MORA_ONE_POLL = 4, /* words of its record */
  /* of a row of polls: two places more, and how many words there are */
  MORA_POLL_COUNT = MORA_ONE_POLL,
  MORA_POLL_BETWEEN,
  MORA_POLLS
};

/* The row of polls that may go on. */
struct mora_polls {
  uint64_t end;   /* of the last poll */
  uint64_t slack; /* by how much the polls took longer than the gaps between them: the longest gap that may follow */
  uint64_t* record;
  uint64_t records; /* of the journal: no more of them, its record is still the last one. UINT64_MAX: there is no row */
  uint64_t begin;   /* of the first poll */
  void* site;
  uint32_t object;
  uint32_t call; /* mora_call_word */
  int is_several;
};
extern MORA_HIDDEN struct mora_polls mora_polls;

/* A poll that begins a row: writes its record (`shape`, without payload). */
void mora_polls_begin(struct mora_call* call, uint32_t object, unsigned shape);
/* The second poll of a row: its record grows by the count and the time between polls. */
void mora_polls_widen(struct mora_call* call, uint32_t object, uint64_t gap);

/* Function, flags, and whether nothing is recorded. */
static inline uint32_t mora_call_word(const struct mora_call* call) {
  return (uint32_t)call->function | (uint32_t)call->flags << 16 | (uint32_t)call->silent << 24;
}

/* Ends a call with flag UNSUCCESSFUL: lets the record of the polls before it grow, if it goes on with their row, else
 * writes its own. Called by the recorded thread, or under the lock of call/threads.h. */
static inline void mora_finish_poll(struct mora_call* call, uint32_t object, unsigned shape) {
  struct mora_polls* row = &mora_polls;
  const uint64_t gap = call->begin - row->end; /* of a clock that goes back: more than any slack */
  const uint64_t slack = row->slack - gap + (call->end - call->begin);
  if (gap <= row->slack && mora_journal.records == row->records && mora_call_word(call) == row->call &&
      call->site == row->site && object == row->object && call->end >= call->begin && slack >> 63 == 0) {
    row->end = call->end;
    row->slack = slack;
    call->begin = row->begin;
    if (__builtin_expect(row->is_several, 1)) {
      uint64_t* record = row->record;
      record[MORA_POLL_COUNT]++;
      record[MORA_POLL_BETWEEN] += gap;
      mora_fill(record, call, object);
    } else {
      mora_polls_widen(call, object, gap);
    }
  } else if (!call->silent) {
    mora_polls_begin(call, object, shape);
  }
  mora_leave_poll(); /* a reading would end the row */
}

#endif
