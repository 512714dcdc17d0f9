/* The thread that makes a taskloop waits in it, with its processor busy (OMP_WAIT_POLICY=active), while the other one
 * of its team executes a task for so many milliseconds (argument). Then it computes as long in the block of a group. */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void waits_for_the_loop(double seconds) {
  const int maker = omp_get_thread_num();
  int begun = 0;
#pragma omp taskloop num_tasks(2) shared(begun)
  for (int i = 0; i < 2; i++) {
    int there = 0;
    if (omp_get_thread_num() == maker) {
      while (!there) {
#pragma omp atomic read
        there = begun;
      }
    } else {
#pragma omp atomic write
      begun = 1;
      for (const double end = now() + seconds; now() < end;) continue;
    }
  }
}

/* The thread's processor time, which samples count. */
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static __attribute__((noinline)) void computes_in_a_group(double seconds) {
#pragma omp taskgroup
  {
    for (const double end = used() + seconds; used() < end;) continue;
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const double seconds = argc > 1 ? atof(argv[1]) / 1000 : 0.3;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    waits_for_the_loop(seconds);
    computes_in_a_group(seconds);
  }
  MPI_Finalize();
  return 0;
}
