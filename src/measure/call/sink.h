/* Where records go. There is one recorder: the same hooks, tables of handles and calls below serve both of its sinks,
 * and what is not a call (definitions, notes) is the same record in both.
 *
 *   timed journal   the record as it is
 *   pattern mode    no time: the words `begin` and duration name data and repeats instead; a record that was written
 *                   before is written as a REPEAT of two words (measure/pattern)
 *
 * Outside pattern mode the choice costs one branch. The journal is that of the calling thread; in pattern mode it
 * is shared, and the caller holds the lock of threads.h. */
#ifndef MORA_MEASURE_CALL_SINK_H
#define MORA_MEASURE_CALL_SINK_H

#include "measure/call/call.h"

/* The pattern sink, for records of calls that mora_fill has begun and that continue no list; `held`: the next record
 * belongs to it (mora_journal_publish_held). Rule `pattern-journals` (docs/rules.md). */
void mora_publish_pattern(uint64_t* record, unsigned words, unsigned function, unsigned shape, unsigned flags);
void mora_publish_pattern_held(uint64_t* record, unsigned words, unsigned function, unsigned shape, unsigned flags);

static inline uint64_t mora_pair(int32_t low, int32_t high) { /* two numbers in one payload word */
  return (uint64_t)(uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

/* The four words every record of a call begins with. */
static inline void mora_fill(uint64_t* record, const struct mora_call* call, uint32_t object) {
  const uint64_t duration = call->end > call->begin ? call->end - call->begin : 0;
  record[1] = call->begin;
  record[2] = ((uint64_t)(uintptr_t)call->site & UINT64_C(0xffffffffffff)) | (duration >> 32 << 48);
  record[3] = (uint64_t)object | duration << 32;
}
/* Behind it the record is in the journal, also if the process dies. */
static inline void mora_publish(const struct mora_call* call, uint64_t* record, unsigned words, unsigned shape) {
  if (__builtin_expect(mora_pattern, 0))
    mora_publish_pattern(record, words, call->function, shape, call->flags);
  else
    mora_journal_publish(mora_self.journal, record, words, call->function, shape, call->flags);
}

/* The last record of a call, which ends with it: mora_publish, mora_leave. A hook that does this last calls nothing
 * otherwise, and so keeps nothing on the stack. */
static inline void mora_publish_last(struct mora_call* call, uint64_t* record, unsigned words, unsigned shape) {
  if (__builtin_expect(mora_pattern, 0)) {
    mora_publish_last_slow(call, record, words, shape);
    return;
  }
  struct mora_journal* journal = mora_self.journal;
  mora_journal_publish_held(journal, record, words, call->function, shape, call->flags);
  if (__builtin_expect((record + words > journal->soft_limit) | mora_self.leave_work, 0)) {
    mora_turn_and_leave();
    return;
  }
  __atomic_store_n(&journal->state->call, 0, __ATOMIC_RELAXED);
  mora_self.gate = mora_self.gate_resting;
}

/* For a record to which the next one belongs. */
static inline void mora_publish_held(const struct mora_call* call, uint64_t* record, unsigned words, unsigned shape) {
  if (__builtin_expect(mora_pattern, 0))
    mora_publish_pattern_held(record, words, call->function, shape, call->flags);
  else
    mora_journal_publish_held(mora_self.journal, record, words, call->function, shape, call->flags);
}

/* A CALL record naming an object (communicator, window, or what docs/formats/journal.md says); ends the call. */
static inline void mora_finish_object(struct mora_call* call, uint32_t object) {
  if (__builtin_expect(call->silent, 0)) {
    mora_leave();
    return;
  }
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, object);
  mora_publish_last(call, record, 4, MORA_SHAPE_CALL);
}
/* The record of a call that has no more to say than that it was made, when and where. */
static inline void mora_finish_plain(struct mora_call* call) { mora_finish_object(call, 0); }

/* Says once per function that its events are not complete, for one that moves data. */
void mora_note_partial(const struct mora_call* call);

/* Both: mora_note_partial, mora_finish_plain. */
void mora_finish_partial(struct mora_call* call);

/* The head of a record that is about no call; its payload begins at word 4. */
static inline void mora_fill_fact(uint64_t* record, uint32_t object) {
  record[1] = mora_ticks();
  record[2] = 0;
  record[3] = object;
}
/* As mora_publish, of a record about no call. */
static inline void mora_publish_fact(uint64_t* record, unsigned words, unsigned shape) {
  mora_journal_publish(mora_self.journal, record, words, 0, shape, 0);
}
/* A fact about the recording itself: its place among the calls means nothing, nor its time, but for NOTE_NO_CORE. */
static inline void mora_write_note(enum mora_note note, uint64_t value) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, 0);
  record[4] = mora_pair(note, 0);
  record[5] = value;
  mora_publish_fact(record, 6, MORA_SHAPE_NOTE);
}

#endif
