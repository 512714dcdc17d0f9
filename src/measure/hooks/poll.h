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

/* The thread's row of polls that may go on. */
struct mora_polls {
  uint64_t end; /* of the last poll */
  uint64_t* record;
  uint64_t slack;   /* by how much the polls took longer than the gaps between them: the longest gap that may follow */
  uint64_t records; /* of the journal: no more of them, its record is still the last one. UINT64_MAX: no such row */
  uint64_t single;  /* the same of a row that is one poll so far */
  uint64_t begin;   /* of the first poll */
  void* site;
  uint64_t place; /* word 2 of its record without the duration */
  uint32_t object;
  uint32_t kind; /* of struct mora_call */
};
extern MORA_HIDDEN __thread struct mora_polls mora_polls;

/* Ends a poll that does not go on with a row of several: the second one, or the first of a row. */
void mora_finish_poll_slow(struct mora_call* call, uint32_t object, unsigned shape);

/* Whether the call goes on with the row, which it does if the journal has `records`: same call and place, the gap
 * before it no longer than may be, and no clock that goes back by more. */
static inline int mora_polls_go_on(const struct mora_polls* row, const struct mora_call* call, uint32_t object,
                                   uint64_t records, uint64_t gap, uint64_t slack) {
  return gap <= row->slack && mora_self.journal->records == records && call->kind == row->kind &&
         call->site == row->site && object == row->object && slack >> 63 == 0;
}

/* Ends a call that found nothing: lets the record of the polls before it grow, if it goes on with their row, else
 * writes its own (`shape`, without payload). Called in pattern mode under the lock of call/threads.h. */
static inline void mora_finish_poll(struct mora_call* call, uint32_t object, unsigned shape) {
  struct mora_polls* row = &mora_polls;
  const uint64_t end = call->end;
  const uint64_t gap = call->begin - row->end; /* of a clock that goes back: more than any slack */
  const uint64_t slack = row->slack - gap + (end - call->begin);
  if (__builtin_expect(!mora_polls_go_on(row, call, object, row->records, gap, slack), 0)) {
    mora_finish_poll_slow(call, object, shape);
    return;
  }
  const uint64_t duration = end - row->begin; /* not below 0: it is at least the slack */
  uint64_t* record = row->record;
  row->end = end;
  row->slack = slack;
  record[MORA_POLL_COUNT]++;
  record[MORA_POLL_BETWEEN] += gap;
  record[2] = row->place | duration >> 32 << 48;
  record[3] = object | duration << 32;
  __atomic_store_n(&mora_self.journal->state->call, 0, __ATOMIC_RELAXED);
  mora_self.gate = mora_self.gate_resting; /* there are no rows in pattern mode */
}

#endif
