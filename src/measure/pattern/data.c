#include "measure/pattern/data.h"

enum { bare_words = 7 };
static uint64_t* bare; /* the record just written */

static inline void write(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received,
                         int64_t n_received, const uint64_t* word) {
  if (__builtin_expect(bare != 0, 0)) {
    if (mora_journal.next == bare + bare_words) {
      mora_journal.next = bare;
      mora_journal.records--;
    }
    bare = 0;
  }
  uint64_t* record = mora_journal_small(&mora_journal);
  record[1] = record[2] = 0;
  record[3] = mora_thread_number;
  record[4] = (uint64_t)sent | (uint64_t)received << 32;
  record[5] = (uint64_t)n_sent;
  record[6] = (uint64_t)n_received;
  if (word) record[7] = *word;
  /* Held: there is room for the call's own record behind it, in the same chunk. */
  mora_journal_publish_held(&mora_journal, record, word ? 8 : 7, call->function, MORA_SHAPE_DATA, 0);
}

void mora_write_data(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received,
                     int64_t n_received) {
  write(call, sent, n_sent, received, n_received, 0);
}

void mora_write_data_with(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received,
                          int64_t n_received, uint64_t word) {
  write(call, sent, n_sent, received, n_received, &word);
}

void mora_write_bare_data(const struct mora_call* call) {
  uint64_t* const here = mora_journal_small(&mora_journal);
  write(call, 0, MORA_NO_COUNT, 0, MORA_NO_COUNT, 0);
  bare = here;
}

void mora_data_forget_bare(void) { bare = 0; }
