/* <mpi.h> as a library must see it that is loaded into every process of a job, MPI or not.
 *
 * The preloaded library is not linked against an MPI. PMPI_* are weak and lazily bound, so a process without MPI runs
 * undisturbed. Open MPI's predefined handles (MPI_COMM_WORLD = &ompi_mpi_comm_world) would be bound when the library
 * is loaded, which is before a Python module brings MPI in: they stand behind pointers that mora_find_mpi() fills.
 * They are therefore no constant expressions.
 */
#ifndef MORA_MEASURE_MPI_BINDING_H
#define MORA_MEASURE_MPI_BINDING_H

#include <mpi.h>

#include "mpi_symbols.h" /* generated */

#define MORA_EXPORT __attribute__((visibility("default")))

/* 1 once the process's MPI library is in the global scope and the handles are known. */
extern int mora_mpi_found;

/* Looks for an MPI library that was loaded privately (dlopen without RTLD_GLOBAL) and makes its symbols visible.
 * Idempotent; two threads may do it at once. */
void mora_find_mpi_now(void);

/* Before the first use of PMPI_*: every wrapper that forwards without recording calls it. */
static inline void mora_find_mpi(void)
{
  if (__builtin_expect(!mora_mpi_found, 0)) mora_find_mpi_now();
}

#endif
