/* Whether elements of a datatype can be sent as they lie in memory (rule `contiguous-datatypes`, docs/rules.md). */
#ifndef MORA_MEASURE_PATTERN_CONTIGUITY_H
#define MORA_MEASURE_PATTERN_CONTIGUITY_H

#include <stdint.h>

#include "measure/mpi/mpi_binding.h"

struct mora_type_shape {
  int64_t size, extent;
  int combiner; /* MPI_COMBINER_… */
  int predefined;
  int contiguous; /* any number of elements is one run of bytes, in the order in which they are sent */
};

/// Asks MPI; linear in the type's description. The type must be valid.
struct mora_type_shape mora_type_shape(MPI_Datatype type);

#endif
