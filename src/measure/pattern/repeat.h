/* Abbreviated records. In pattern mode a call's record that equals an earlier one, but for the numbers of requests, is
 * written as a REPEAT of two words (journal/format.h): a tenth of the bytes, and writing bytes is what recording costs.
 * Rule `pattern-journals` (docs/rules.md). Called by the recorded thread, or under the lock of threads.h. */
#ifndef MORA_MEASURE_PATTERN_REPEAT_H
#define MORA_MEASURE_PATTERN_REPEAT_H

#include <stdint.h>

/* Instead of mora_journal_publish, for a record of a call that mora_fill has begun and that continues no list. */
void mora_publish_pattern(uint64_t* record, unsigned words, unsigned function, unsigned shape, unsigned flags);
/* Instead of mora_journal_publish_held. */
void mora_publish_pattern_held(uint64_t* record, unsigned words, unsigned function, unsigned shape, unsigned flags);

#endif
