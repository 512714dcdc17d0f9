/* Where numbers of requests stand in a record's payload, for the writer and the reader of REPEAT records. */
#ifndef MORA_JOURNAL_REQUEST_WORDS_H
#define MORA_JOURNAL_REQUEST_WORDS_H

#include "journal/format.h"

struct mora_request_words {
  unsigned first, step; /* payload words first, first + step, … */
};

static inline struct mora_request_words mora_request_words_of(unsigned shape, unsigned payload_words) {
  struct mora_request_words in = {payload_words, 1}; /* none */
  switch (shape) {
    case MORA_SHAPE_RECV:
    case MORA_SHAPE_ISEND:
    case MORA_SHAPE_IRECV:
    case MORA_SHAPE_IO:
      in.first = 2;
      break;
    case MORA_SHAPE_COLLECTIVE:
      in.first = 3;
      break;
    case MORA_SHAPE_RMA:
      in.first = 6;
      break;
    case MORA_SHAPE_COMPLETE:
    case MORA_SHAPE_START:
      in.first = 0;
      in.step = 4;
      break;
    default:
      break;
  }
  return in;
}

#endif
