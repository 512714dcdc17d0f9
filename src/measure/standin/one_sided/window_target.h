/* What the processes of a window share for each of its ranks, in a dry run of all ranks together. */
#ifndef MORA_MEASURE_STANDIN_ONE_SIDED_WINDOW_TARGET_H
#define MORA_MEASURE_STANDIN_ONE_SIDED_WINDOW_TARGET_H

#include <pthread.h>
#include <stdint.h>

#define STANDIN_EXCLUSIVE UINT32_MAX

struct standin_window_target {
  pthread_mutex_t one_at_a_time; /* accumulates */
  uint32_t holders;              /* of MPI_Win_lock: STANDIN_EXCLUSIVE, or how many share it */
  int32_t holder;                /* world rank of one that holds or held it */
  uint32_t waiting;
};

#endif
