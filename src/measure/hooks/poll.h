/* Tests and probes that found nothing. */
#ifndef MORA_MEASURE_HOOKS_POLL_H
#define MORA_MEASURE_HOOKS_POLL_H

#include "measure/call/sink.h"

enum { MORA_ONE_POLL = 4 }; /* words of its record */

/* The row of polls that may go on. */
extern struct mora_polls {
  uint64_t* record; /* the journal's last one, if nothing else was written since; NULL: none */
  uint64_t end;     /* of the last poll */
  uint64_t slack;   /* by how much the polls took longer than the gaps between them: the longest gap that may follow */
} mora_polls;

/* Lets the record of the row grow by this poll, whose gap is no longer than the slack. 0: it is of another row. */
int mora_polls_grow(struct mora_call* call, uint32_t object, unsigned shape);

/* Ends a call with flag UNSUCCESSFUL: writes its record (`shape`, without payload), or lets that of the polls before it
 * grow. Called by the recorded thread, or under the lock of call/threads.h. */
static inline void mora_finish_poll(struct mora_call* call, uint32_t object, unsigned shape) {
  const uint64_t gap = call->begin - mora_polls.end; /* of a clock that goes back: more than any slack */
  if (!call->silent && (gap > mora_polls.slack || !mora_polls_grow(call, object, shape))) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, object);
    mora_polls.record = record;
    mora_polls.end = call->end;
    mora_polls.slack = call->end - call->begin;
    mora_publish(call, record, MORA_ONE_POLL, shape);
  }
  mora_leave_poll(); /* a reading would end the row */
}

#endif
