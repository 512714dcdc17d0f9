/* The DATA records of pattern mode: types and counts of a call, as its arguments say. */
#ifndef MORA_MEASURE_PATTERN_DATA_H
#define MORA_MEASURE_PATTERN_DATA_H

#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/pattern/datatypes.h"

enum { MORA_NO_COUNT = -1 };

/* Gives the data that the record of this call will have. Types by number (datatypes.h), 0 none. The content is
 * written once, as a DATA record with a number; calls name it in their word `begin`, for which pattern mode has no
 * other use. So call these before the record of the call is filled; they may write records themselves. The last one
 * counts. */
void mora_write_data(struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received, int64_t n_received);
/* The same with one more word: pair(source, tag) as posted, pair(colour, key), … (journal/format.h). */
void mora_write_data_with(struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received, int64_t n_received,
                          uint64_t word);
/* For an element of a list whose record follows; `word` may be NULL. */
void mora_write_data_of_element(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received,
                                int64_t n_received, const uint64_t* word);

/* Whether a call gets DATA records: in pattern mode, while recording is on. */
static inline int mora_has_data(const struct mora_call* call) {
  return __builtin_expect(mora_pattern, 0) && !call->silent;
}

/* The number of a type that is an argument of the call: MPI may have refused it, then it is not asked about. */
static inline uint32_t mora_data_type(const struct mora_call* call, MPI_Datatype type) {
  return __builtin_expect(call->rc == MPI_SUCCESS, 1) ? mora_type_id(type) : mora_type_known(type);
}

/* A DATA record of one side; none where the journal has none (mora_has_data). */
static inline void mora_data_sent(struct mora_call* call, int64_t count, MPI_Datatype type) {
  if (mora_has_data(call)) mora_write_data(call, mora_data_type(call, type), count, 0, MORA_NO_COUNT);
}

/* Of both sides. MPI_DATATYPE_NULL: this side has no meaning in this call. */
static inline void mora_data_both(struct mora_call* call, int64_t n_sent, MPI_Datatype sent, int64_t n_received,
                                  MPI_Datatype received) {
  if (!mora_has_data(call)) return;
  const uint32_t first = mora_data_type(call, sent), second = mora_data_type(call, received);
  mora_write_data(call, first, first ? n_sent : MORA_NO_COUNT, second, second ? n_received : MORA_NO_COUNT);
}

#endif
