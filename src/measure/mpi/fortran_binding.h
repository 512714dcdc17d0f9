/* What the generated Fortran wrappers need: the real routines, the sentinels of the Fortran library, scratch arrays.
 *
 * Wrapped are the bindings of mpif.h and `use mpi`. Handles become C handles for the recorder only; the real routine is
 * called with the program's own arguments, so a mistake here can hurt a recording and never the program.
 * All functions are thread-safe.
 */
#ifndef MORA_MEASURE_MPI_FORTRAN_BINDING_H
#define MORA_MEASURE_MPI_FORTRAN_BINDING_H

#include <stddef.h>

#include "measure/mpi/mpi_binding.h"

typedef void (*mora_routine)(void);

/* pmpi_NAME_ of the library the program uses (also one that was loaded privately); NULL if there is none.
 * `cache` belongs to the wrapper. */
mora_routine mora_find_routine(mora_routine* cache, const char* name);

/* The buffer as C means it: Fortran's MPI_BOTTOM and MPI_IN_PLACE are addresses of variables. */
const void* mora_buffer_from_fortran(const void* buffer);

/* Whether the argument is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE, which Fortran knows by their addresses. */
int mora_is_status_ignore(const MPI_Fint* status);
int mora_is_statuses_ignore(const MPI_Fint* statuses);

enum { MORA_FORTRAN_STATUS_INTS = sizeof(MPI_Status) / sizeof(MPI_Fint) };

/* Converts `count` statuses; a status that MPI never wrote gives meaningless values, but is safe. */
void mora_statuses_from_fortran(MPI_Status* to, const MPI_Fint* from, int count);

/* Copies a blank-padded string of `length` bytes, cut to size-1, with a final NUL. */
void mora_string_from_fortran(char* to, size_t size, const char* from, size_t length);

/* Arrays that are valid until the call ends: one per slot and thread, kept and grown. NULL: no memory. */
enum mora_scratch {
  MORA_SCRATCH_REQUESTS,
  MORA_SCRATCH_STATUSES,
  MORA_SCRATCH_FORTRAN_STATUSES,
  MORA_SCRATCH_INDICES,
  MORA_SCRATCH_TYPES,
  MORA_SCRATCH_MORE_TYPES,
  MORA_SCRATCH_SLOTS
};
void* mora_scratch(enum mora_scratch slot, int count, size_t bytes_each);

#endif
