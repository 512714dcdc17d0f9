/* Tests and probes that found nothing. A program that waits in a loop of them makes millions of calls a second; a
 * record each would fill the disk, and writing them would disturb the loop. Polls in a row therefore grow the record of
 * the first: same function, same place in the program, nothing recorded between them, and the gaps between them
 * together no longer than the polls, which is what the analysis takes for one stretch of waiting (rule poll-loops,
 * docs/rules.md). How many they were and the time between them are kept; when each began is not.
 *
 * Cost: as of publishing a record. A process killed while the record grows may leave it short of one poll. Not in
 * pattern mode, where what found nothing is not kept anyway. */
#include "measure/hooks/poll.h"

#include "measure/call/sampling.h"

__thread struct mora_polls mora_polls = {.records = UINT64_MAX, .single = UINT64_MAX};

/* The records of the journal if the row's record, of so many words, is its last one: a chunk that was full has been
 * written out, and behind the end of recording there is no record at all. */
static uint64_t records_if_last(const uint64_t* record, unsigned words) {
  return mora_self.journal->next == record + words ? mora_self.journal->records : UINT64_MAX;
}

int mora_polls_may_go_on(uint64_t begin) {
  return (mora_self.journal->records == mora_polls.records || mora_self.journal->records == mora_polls.single) &&
         begin - mora_polls.end <= mora_polls.slack;
}

int mora_polls_may_begin(const struct mora_call* call) {
  switch (call->function) {
    case MORA_FN_MPI_Test:
    case MORA_FN_MPI_Testall:
    case MORA_FN_MPI_Testany:
    case MORA_FN_MPI_Testsome:
    case MORA_FN_MPI_Iprobe:
    case MORA_FN_MPI_Improbe:
      return 1;
    default:
      return 0;
  }
}

int mora_polls_may_be_joined(const struct mora_call* call) {
  return call->kind == mora_polls.kind && call->site == mora_polls.site && mora_polls_may_go_on(call->begin);
}

/* A poll that begins a row; a call that failed, or during which the clock went back, is no poll of a row. */
static void begin_row(struct mora_call* call, uint32_t object, uint32_t kind, unsigned shape) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, object);
  const int may_go_on = !mora_pattern && !(call->flags & MORA_FLAG_FAILED) && call->end >= call->begin;
  mora_polls = (struct mora_polls){.end = call->end,
                                   .record = record,
                                   .slack = call->end - call->begin,
                                   .records = UINT64_MAX,
                                   .single = UINT64_MAX,
                                   .begin = call->begin,
                                   .site = call->site,
                                   .place = record[2] & UINT64_C(0xffffffffffff),
                                   .object = object,
                                   .kind = kind};
  mora_publish(call, record, MORA_ONE_POLL, shape);
  if (may_go_on) mora_polls.single = records_if_last(record, MORA_ONE_POLL);
}

/* The second poll of a row: its record grows by the count and the time between polls. */
static void widen(struct mora_call* call, uint32_t object, uint64_t gap, uint64_t slack) {
  uint64_t* record = mora_polls.record;
  mora_polls.end = call->end;
  mora_polls.slack = slack;
  mora_polls.single = UINT64_MAX;
  record[MORA_POLL_COUNT] = 2;
  record[MORA_POLL_BETWEEN] = gap;
  call->begin = mora_polls.begin;
  mora_fill(record, call, object);
  mora_self.journal->records--; /* the same record, larger */
  mora_journal_publish(mora_self.journal, record, MORA_POLLS, call->function, MORA_SHAPE_POLLS, call->flags);
  mora_polls.records = records_if_last(record, MORA_POLLS);
}

void mora_finish_poll_slow(struct mora_call* call, uint32_t object, unsigned shape) {
  const uint32_t kind = call->kind;
  const uint64_t gap = call->begin - mora_polls.end;
  const uint64_t slack = mora_polls.slack - gap + (call->end - call->begin);
  const int is_second = mora_polls_go_on(&mora_polls, call, object, mora_polls.single, gap, slack);
  call->flags |= MORA_FLAG_UNSUCCESSFUL;
  if (is_second)
    widen(call, object, gap, slack);
  else if (!call->silent && (!mora_polls_left_out || (call->flags & MORA_FLAG_FAILED)))
    begin_row(call, object, kind, shape);
  mora_leave_poll(); /* a reading would end the row */
}
