#include "measure/handles/names.h"

#include <string.h>

#include "measure/call/sink.h"

enum { longest = (MORA_JOURNAL_SMALL_WORDS - 5) * 8 };

void mora_write_name(uint32_t id, int what, const char* name) {
  const size_t n = strnlen(name, longest);
  const unsigned words = 5 + (unsigned)(n + 7) / 8;
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, id);
  record[4] = mora_pair(what, (int32_t)n);
  if (n > 0) record[words - 1] = 0;
  memcpy(record + 5, name, n);
  mora_publish_fact(record, words, MORA_SHAPE_NAME);
}
