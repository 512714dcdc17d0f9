/* What a call costs in the thread that called MPI_Init, in another one, and in one of many at once, and what OpenMP's
 * constructs cost. Prints the smallest CPU time of several blocks, for one call, or for one thread and construct:
 *
 *   bare           two clock reads and the stores of a record
 *   first, other   MPI_Send to MPI_PROC_NULL from that thread, with no other at work
 *   each_of_2, 16  likewise, of so many threads at work: the median of their smallest
 *   region, barrier   an empty parallel region and a barrier, of a team of one
 *   task           an empty task, made and executed; every 32 the team, of one, waits for them (a taskwait)
 *
 * argv: [calls in a block] [blocks]. MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bare.h"

enum { most_threads = 16 };
static long calls = 400000, blocks = 4; /* chunks are written in each block */
static double least_of[most_threads];
static pthread_barrier_t together;

static void sends(long n) {
  int data = 0;
  for (long i = 0; i < n; i++) MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF);
}

static void regions(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(1)
    __asm__ volatile("" ::: "memory");
  }
}

static void barriers(long n) {
#pragma omp parallel num_threads(1)
  for (long i = 0; i < n; i++) {
#pragma omp barrier
  }
}

static void tasks(long n) {
#pragma omp parallel num_threads(1)
  for (long i = 0; i < n; i += 32) {
    for (int t = 0; t < 32; t++) {
#pragma omp task firstprivate(i)
      __asm__ volatile("" ::"r"(i) : "memory");
    }
#pragma omp taskwait
  }
}

static double least(void (*loop)(long)) {
  double best = 1e30;
  for (long b = 0; b < blocks; b++) {
    const double begin = cpu_ns();
    loop(calls);
    const double each = (cpu_ns() - begin) / (double)calls;
    if (each < best) best = each;
  }
  return best;
}

static void* at_work(void* number) {
  pthread_barrier_wait(&together);
  least_of[(long)number] = least(sends);
  return NULL;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double each_of(long count) {
  pthread_t threads[most_threads];
  pthread_barrier_init(&together, NULL, (unsigned)count);
  for (long t = 0; t < count; t++) pthread_create(&threads[t], NULL, at_work, (void*)t);
  for (long t = 0; t < count; t++) pthread_join(threads[t], NULL);
  pthread_barrier_destroy(&together);
  qsort(least_of, (size_t)count, sizeof *least_of, compare);
  return least_of[count / 2];
}

int main(int argc, char** argv) {
  int provided;
  if (argc > 1) calls = atol(argv[1]);
  if (argc > 2) blocks = atol(argv[2]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  area = calloc(area_words, sizeof *area);
  printf("bare\t%.2f\n", least(bare));
  printf("first\t%.2f\n", least(sends));
  printf("other\t%.2f\n", each_of(1));
  printf("each_of_2\t%.2f\n", each_of(2));
  printf("each_of_16\t%.2f\n", each_of(16));
  printf("region\t%.2f\n", least(regions));
  printf("barrier\t%.2f\n", least(barriers));
  printf("task\t%.2f\n", least(tasks));
  MPI_Finalize();
  return provided < MPI_THREAD_MULTIPLE;
}
