/* Tests and probes that found nothing. A program that waits in a loop of them makes millions of calls a second; a
 * record each would fill the disk, and writing them would disturb the loop. Polls in a row therefore grow the record of
 * the first: same function, same place in the program, nothing recorded between them, and the gaps between them
 * together no longer than the polls, which is what the analysis takes for one stretch of waiting (rule poll-loops,
 * docs/rules.md). How many they were and the time between them are kept; when each began is not.
 *
 * Cost: as of publishing a record. A process killed while the record grows may leave it short of one poll. Not in
 * pattern mode, where what found nothing is not kept anyway. */
#include "measure/hooks/poll.h"

#include <stddef.h>

struct mora_polls mora_polls;

enum { COUNT = 4, BETWEEN = 5, SEVERAL = 6 }; /* places of words, and how many there are */

/* Whether the record is the journal's last one, and of such calls, tells its first word, which holds the number of the
 * chunk, too. 1: it has become that of the call as well. */
int mora_polls_grow(struct mora_call* call, uint32_t object, unsigned shape) {
  uint64_t* record = mora_polls.record;
  if (mora_pattern || record == NULL || call->flags & MORA_FLAG_FAILED) return 0;
  const ptrdiff_t words = mora_journal.next - record;
  if (words == SEVERAL) shape = MORA_SHAPE_POLLS;
  if ((words != MORA_ONE_POLL && words != SEVERAL) || call->end < call->begin || mora_polls.slack >> 63 != 0 ||
      *record != (mora_journal.generation | MORA_WORD0(0, (unsigned)words, call->function, shape, call->flags)))
    return 0;
  const uint64_t other_site = record[2] ^ (uint64_t)(uintptr_t)call->site;
  if ((other_site & UINT64_C(0xffffffffffff)) != 0 || (uint32_t)record[3] != object) return 0;
  const uint64_t gap = call->begin - mora_polls.end;
  mora_polls.end = call->end;
  mora_polls.slack += call->end - call->begin - gap;
  call->begin = record[1];
  record[COUNT] = words == SEVERAL ? record[COUNT] + 1 : 2;
  record[BETWEEN] = words == SEVERAL ? record[BETWEEN] + gap : gap;
  mora_fill(record, call, object);
  if (words == SEVERAL) return 1;
  mora_journal.records--; /* the same record, larger */
  mora_journal_publish(&mora_journal, record, SEVERAL, call->function, MORA_SHAPE_POLLS, call->flags);
  return 1;
}
