#include "measure/runtime/names.h"

#include <string.h>

#include "measure/runtime/call.h"

enum { longest = (MORA_JOURNAL_SMALL_WORDS - 5) * 8 };

void mora_write_name(uint32_t id, int what, const char* name) {
  const size_t n = strnlen(name, longest);
  const unsigned words = 5 + (unsigned)(n + 7) / 8;
  uint64_t* record = mora_journal_small(&mora_journal);
  record[1] = mora_ticks();
  record[2] = 0;
  record[3] = id;
  record[4] = mora_pair(what, (int32_t)n);
  if (n > 0) record[words - 1] = 0;
  memcpy(record + 5, name, n);
  mora_journal_publish(&mora_journal, record, words, 0, MORA_SHAPE_NAME, 0);
}
