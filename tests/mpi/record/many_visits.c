/* Functions for a filter: often() 20000 times, seldom() 20 times for 5 ms each; built with -finstrument-functions. */
#include <mpi.h>

static volatile int sum;

static __attribute__((noinline)) void often(void) { sum++; }

static __attribute__((noinline)) void seldom(void) {
  const double until = MPI_Wtime() + 5e-3;
  while (MPI_Wtime() < until) sum++;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20; i++) {
    seldom();
    for (int k = 0; k < 1000; k++) often();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
