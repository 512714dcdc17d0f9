/* The DATA record of pattern mode: types and counts of a call, as its arguments say, just before the record of the call. */
#ifndef MORA_MEASURE_PATTERN_DATA_H
#define MORA_MEASURE_PATTERN_DATA_H

#include "measure/pattern/datatypes.h"
#include "measure/pattern/threads.h"
#include "measure/runtime/call.h"

enum { MORA_NO_COUNT = -1 };

/* Numbers of types (datatypes.h), 0 none. */
void mora_write_data(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received, int64_t n_received);
/* With one more word: pair(source, tag) as posted, pair(colour, key), … (journal/format.h). */
void mora_write_data_with(const struct mora_call* call, uint32_t sent, int64_t n_sent, uint32_t received,
                          int64_t n_received, uint64_t word);

/* Of another thread than 0: its number and no more. What mora_write_data writes next for the same call takes its place. */
void mora_write_bare_data(const struct mora_call* call);
void mora_data_forget_bare(void);

/* To be called last before the record of the call is begun: nothing else may come between but definitions. */
static inline int mora_has_data(const struct mora_call* call) {
  return __builtin_expect(mora_pattern, 0) && !call->silent;
}

/* The number of a type that is an argument of the call: MPI may have refused it, then it is not asked about. */
static inline uint32_t mora_data_type(const struct mora_call* call, MPI_Datatype type) {
  return __builtin_expect(call->rc == MPI_SUCCESS, 1) ? mora_type_id(type) : mora_type_known(type);
}

static inline void mora_data_sent(const struct mora_call* call, int64_t count, MPI_Datatype type) {
  if (mora_has_data(call)) mora_write_data(call, mora_data_type(call, type), count, 0, MORA_NO_COUNT);
}

/* MPI_DATATYPE_NULL: this side has no meaning in this call. */

static inline void mora_data_both(const struct mora_call* call, int64_t n_sent, MPI_Datatype sent, int64_t n_received,
                                  MPI_Datatype received) {
  if (!mora_has_data(call)) return;
  const uint32_t first = mora_data_type(call, sent), second = mora_data_type(call, received);
  mora_write_data(call, first, first ? n_sent : MORA_NO_COUNT, second, second ? n_received : MORA_NO_COUNT);
}

#endif
