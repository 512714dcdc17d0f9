/* <mpi.h> as a library must see it that is loaded into every process of a job, MPI or not.
 *
 * The preloaded library is not linked against an MPI and refers to none of its symbols: PMPI_* and Open MPI's
 * predefined handles (MPI_COMM_WORLD = &ompi_mpi_comm_world) stand behind pointers that mora_find_mpi() fills. So a
 * process without MPI runs undisturbed, whatever LD_BIND_NOW says, and MPI may come later and privately, with a Python
 * module. MPI_COMM_WORLD, MPI_INT and the like are therefore no constant expressions under Open MPI.
 */
#ifndef MORA_MEASURE_MPI_MPI_BINDING_H
#define MORA_MEASURE_MPI_MPI_BINDING_H

#include <mpi.h>

#include "mpi_symbols.h" /* generated */

#define MORA_EXPORT __attribute__((visibility("default")))
#define MORA_FLATTEN __attribute__((flatten)) /* the recorder's inline functions are inlined in the wrapper */

/* 1 once the process's MPI library is known. */
extern int mora_mpi_found;

/* 1 if that library is not of the flavour this code was compiled for: never record, only forward. */
extern int mora_mpi_is_foreign;

/* Looks for the MPI library in the global scope, then for one that was loaded privately. Idempotent; two threads may do
 * it at once. */
void mora_find_mpi_now(void);

/* Before the first use of PMPI_*: every wrapper that forwards without recording calls it. */
static inline void mora_find_mpi(void) {
  if (__builtin_expect(!__atomic_load_n(&mora_mpi_found, __ATOMIC_ACQUIRE), 0)) mora_find_mpi_now();
}

#endif
