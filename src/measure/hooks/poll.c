/* Tests and probes that found nothing. A program that waits in a loop of them makes millions of calls a second; a
 * record each would fill the disk, and writing them would disturb the loop. Polls in a row therefore grow the record of
 * the first: same function, same place in the program, nothing recorded between them, and the gaps between them
 * together no longer than the polls, which is what the analysis takes for one stretch of waiting (rule poll-loops,
 * docs/rules.md). How many they were and the time between them are kept; when each began is not.
 *
 * Cost: as of publishing a record. A process killed while the record grows may leave it short of one poll. Not in
 * pattern mode, where what found nothing is not kept anyway. */
#include "measure/hooks/poll.h"

struct mora_polls mora_polls = {.records = UINT64_MAX};

/* The row goes on if its record, of so many words, is the journal's last one: a chunk that was full has been written
 * out, and behind the end of recording there is no record at all. */
static void keep_if_last(const uint64_t* record, unsigned words) {
  mora_polls.records = mora_journal.next == record + words ? mora_journal.records : UINT64_MAX;
}

/* A call that failed is no poll of a row. */
void mora_polls_begin(struct mora_call* call, uint32_t object, unsigned shape) {
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill(record, call, object);
  mora_polls = (struct mora_polls){.end = call->end,
                                   .slack = call->end > call->begin ? call->end - call->begin : 0,
                                   .record = record,
                                   .records = UINT64_MAX,
                                   .begin = call->begin,
                                   .site = call->site,
                                   .object = object,
                                   .call = mora_call_word(call)};
  mora_publish(call, record, MORA_ONE_POLL, shape);
  if (!mora_pattern && !(call->flags & MORA_FLAG_FAILED)) keep_if_last(record, MORA_ONE_POLL);
}

void mora_polls_widen(struct mora_call* call, uint32_t object, uint64_t gap) {
  uint64_t* record = mora_polls.record;
  mora_polls.is_several = 1;
  record[MORA_POLL_COUNT] = 2;
  record[MORA_POLL_BETWEEN] = gap;
  mora_fill(record, call, object);
  mora_journal.records--; /* the same record, larger */
  mora_journal_publish(&mora_journal, record, MORA_POLLS, call->function, MORA_SHAPE_POLLS, call->flags);
  keep_if_last(record, MORA_POLLS);
}
