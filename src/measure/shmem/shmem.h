/* Calls of OpenSHMEM. The wrappers are generated from functions.txt (generate.py); what a call leaves stands here.
 *
 * Processes are told by their numbers of PEs, which Open MPI gives as ranks of MPI_COMM_WORLD. The recorder starts in
 * shmem_init, if MPI_Init has not been called before, and ends before shmem_finalize, as that finalises MPI. A library
 * without profiling names (pshmem_…) is called by the next definition of the name itself. */
#ifndef MORA_MEASURE_SHMEM_SHMEM_H
#define MORA_MEASURE_SHMEM_SHMEM_H

#include <stddef.h>
#include <stdint.h>

#include "measure/call/library.h"
#include "shmem_functions.h" /* generated */

/* The library's own function: enum mora_shmem_function. */
void* mora_shmem_real(unsigned function);

/* Begins a call. 0: the wrapper only forwards. */
int mora_shmem_begin(struct mora_call* call, unsigned function, void* site);

/* What ends it. Bytes that were written and read at another process. */
void mora_shmem_moved(struct mora_call* call, int pe, uint64_t put, uint64_t got);
/* Processes that call it together; `root`: its place among them, -1: there is none. Of a broadcast both numbers of
 * bytes are what each of the others gets. */
void mora_shmem_met(struct mora_call* call, int start, int log_stride, int size, int root, uint64_t sent,
                    uint64_t received);
void mora_shmem_locked(struct mora_call* call, volatile long* lock, int is_taken);

#endif
