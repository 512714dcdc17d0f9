/* Windows of a dry run of all ranks together: real memory of other processes, real locks.
 *
 * A transfer is made when it is called, by the origin alone (process_vm_readv and _writev; shared windows stand in
 * shared memory), so that targets need not be in MPI. Accumulates of one target are made one at a time. Fences are
 * meetings, post and complete are messages, locks are words in shared memory. */
#ifndef MORA_MEASURE_STANDIN_ONE_SIDED_TOGETHER_H
#define MORA_MEASURE_STANDIN_ONE_SIDED_TOGETHER_H

#include "measure/standin/one_sided/window.h"

/* After `window` was filled: tells its memory to the others and learns theirs; its comm becomes the window's own.
 * `creation`: key of the call (registry.h). */
void standin_window_meet(struct standin_window* window, uint64_t creation);
/* Shared memory for all segments; returns this rank's. */
char* standin_window_shared_memory(struct standin_comm* comm, uint64_t creation, MPI_Aint size);
/* Waits for all, then forgets what was shared. */
void standin_window_part(struct standin_window* window);

/* As the MPI functions, of a window whose ranks all live. Each waits until MPI lets it return; returns MPI_SUCCESS. */
int standin_together_fence(struct standin_window* window);
int standin_together_post(struct standin_window* window, MPI_Group group);
int standin_together_start(struct standin_window* window, MPI_Group group);
int standin_together_complete(struct standin_window* window);
int standin_together_wait(struct standin_window* window);
int standin_together_test(struct standin_window* window, int* flag);
int standin_together_lock(struct standin_window* window, int exclusive, int target);
int standin_together_unlock(struct standin_window* window, int target);

/* One side of a transfer. */
struct standin_typed {
  void* buffer;
  int count;
  MPI_Datatype type;
};

/* target: rank and place in the window; its `buffer` is not used. */
int standin_together_put(struct standin_window* window, struct standin_typed origin, int rank, MPI_Aint place,
                         struct standin_typed target);
int standin_together_get(struct standin_window* window, struct standin_typed origin, int rank, MPI_Aint place,
                         struct standin_typed target);
/* result NULL: an accumulate, else what stood there before is put to it. */
int standin_together_accumulate(struct standin_window* window, struct standin_typed origin,
                                const struct standin_typed* result, int rank, MPI_Aint place,
                                struct standin_typed target, MPI_Op op);
int standin_together_compare_and_swap(struct standin_window* window, const void* origin, const void* compare,
                                      void* result, MPI_Datatype type, int rank, MPI_Aint place);

#endif
