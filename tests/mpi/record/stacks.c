/* Calls through known functions: inlined, from two places, recursive, through a callback. */
#include <mpi.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) static void exchange(int* value) {
  int sum = 0;
  MPI_Allreduce(value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sink = sum;
}

static inline __attribute__((always_inline)) void halo(int* value) { exchange(value); }

__attribute__((noinline)) static void relax(int* value) {
  halo(value);
  sink++;
}

__attribute__((noinline)) static void residual(int* value) {
  exchange(value);
  sink += 2; /* equal functions would be made one */
}

__attribute__((noinline)) static void down(int depth) {
  if (depth == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    down(depth - 1);
  sink++;
}

static int compare(const void* a, const void* b) {
  MPI_Bcast(&(int){0}, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return *(const int*)a - *(const int*)b;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 1;
  for (int i = 0; i < 500; i++) {
    relax(&value);
    residual(&value);
  }
  down(7);
  int two[2] = {2, 1};
  qsort(two, 2, sizeof *two, compare);
  MPI_Finalize();
  return 0;
}
