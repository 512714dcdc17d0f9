/* A parallel region whose last call is a barrier if nothing is left to do behind it: gcc makes it a jump. A thread that
 * has an element keeps registers on its stack and calls; the other one, which has none, jumps at once. Argument:
 * rounds. */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>

enum { MOST = 64 };
static double a[MOST], b[MOST], c[MOST], d[MOST];

static void region(int n, const int* which, double least) {
#pragma omp parallel num_threads(2) /* line: parallel */
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      const int at = which[i];
      a[i] = b[at];
      c[i] = d[at];
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      const double half = a[which[i]] - c[i] * 0.5;
      b[i] = 1 / a[which[i]] - 1;
      d[i] = 1 / half - 1;
    }
    if (least != 0) {
#pragma omp for nowait
      for (int i = 0; i < n; i++)
        if (b[which[i]] <= least) c[i] = d[i];
    }
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1, which[1] = {0};
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  for (int i = 0; i < rounds; i++) region(1, which, 0);
  MPI_Finalize();
  return 0;
}
