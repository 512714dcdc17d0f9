/* Reductions over ranks that are assumed to contribute what this one contributes. */
#ifndef MORA_MEASURE_STANDIN_COLLECTIVES_REDUCTIONS_H
#define MORA_MEASURE_STANDIN_COLLECTIVES_REDUCTIONS_H

#include "measure/standin/core/data.h"

/* to = from ∘ from ∘ … ∘ from, `times` operands, at the cost of log2(times) reductions; times = 0 leaves `to` as it is.
 * from == to is allowed. */
void standin_power(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int times);

#endif
