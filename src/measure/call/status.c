#include "measure/call/status.h"

uint64_t mora_type_bytes_asked(MPI_Datatype type) {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return (uint64_t)size;
}

#ifdef OPEN_MPI
struct mora_basic_type mora_basic_types[1 << MORA_BASIC_TYPES_LOG];

/* Where two have the same place, the one named first has it; of the other one MPI is asked each time. */
void mora_basic_types_start(void) {
  const MPI_Datatype types[] = {MPI_DOUBLE,
                                MPI_INT,
                                MPI_FLOAT,
                                MPI_BYTE,
                                MPI_CHAR,
                                MPI_LONG,
                                MPI_LONG_LONG,
                                MPI_UNSIGNED,
                                MPI_PACKED,
                                MPI_UNSIGNED_LONG,
                                MPI_INTEGER,
                                MPI_REAL,
                                MPI_DOUBLE_PRECISION,
                                MPI_LOGICAL,
                                MPI_CHARACTER,
                                MPI_COMPLEX,
                                MPI_DOUBLE_COMPLEX,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_UINT32_T,
                                MPI_UINT64_T,
                                MPI_UINT8_T,
                                MPI_SHORT,
                                MPI_SIGNED_CHAR,
                                MPI_UNSIGNED_CHAR,
                                MPI_UNSIGNED_SHORT,
                                MPI_UNSIGNED_LONG_LONG,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_C_BOOL,
                                MPI_AINT,
                                MPI_OFFSET,
                                MPI_COUNT,
                                MPI_DOUBLE_INT,
                                MPI_2INT};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
    struct mora_basic_type* entry = mora_basic_type_of(types[i]);
    if (!types[i] || entry->type) continue; /* a library without it */
    entry->bytes = mora_type_bytes_asked(types[i]);
    entry->type = types[i];
  }
}
#else
void mora_basic_types_start(void) {}
#endif
