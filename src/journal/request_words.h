/* Where numbers of requests stand in a record's payload, for the writer and the reader of REPEAT records. */
#ifndef MORA_JOURNAL_REQUEST_WORDS_H
#define MORA_JOURNAL_REQUEST_WORDS_H

#include "journal/format.h"

struct mora_request_words {
  unsigned first, step; /* payload words first, first + step, … */
};

/* Of a record of this shape with so many payload words; of a shape without requests `first` is behind the payload. */
static inline struct mora_request_words mora_request_words_of(unsigned shape, unsigned payload_words) {
  /* Position + 1 by shape: RECV, ISEND, IRECV 2; COMPLETE, START 0; COLLECTIVE 3; RMA 6; IO 2. */
  static const unsigned char first[] = {0, 0, 0, 3, 3, 3, 0, 1, 1, 4, 0, 7, 0, 0, 0, 0, 3};
  const unsigned known = shape < sizeof first ? first[shape] : 0;
  const struct mora_request_words in = {known ? known - 1 : payload_words, known == 1 ? 4 : payload_words + 1};
  return in;
}

#endif
