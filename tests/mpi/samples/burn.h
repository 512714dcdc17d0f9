/* Work that takes processor time, in pieces that are no multiples of the kernel's tick, and what the programs of this
 * folder say of themselves: one line of rank 0,
 *
 *     slow: rank=2 function=relax file=slow.c lines=12-20 excess=1.104211
 *
 * excess: seconds of the program's clock, of the slow rank above the median of the others. */
#ifndef BURN_H
#define BURN_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { slow_rank = 2, steps = 100 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The thread's processor time: other programs on the machine take none of it. */
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* spent: of this rank in the function. caller: NULL, whoever; at: the line of its call, 0: any. */
static void tell(const char* function, const char* file, int first, int last, const char* caller, int at,
                 double spent) {
  double all[64];
  int rank, size, n = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Gather(&spent, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  const double slow = all[slow_rank];
  for (int r = 0; r < size; r++)
    if (r != slow_rank) all[n++] = all[r];
  qsort(all, (size_t)n, sizeof *all, compare);
  printf("slow: rank=%d function=%s file=%s lines=%d-%d excess=%.6f", slow_rank, function, file, first, last,
         slow - (all[(n - 1) / 2] + all[n / 2]) / 2);
  if (caller) printf(" caller=%s", caller);
  if (at) printf(" at=%d", at);
  printf("\n");
}

#endif
