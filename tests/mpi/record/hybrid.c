/* Loops as in LULESH (Karlin 2013): MPI x OpenMP, in each time step a halo exchange, parallel loops over elements and
 * nodes, and the smallest time step of all. In calc_elements the first thread of each rank has four parts of the work,
 * the others one. Threads sleep instead of computing, so that nothing depends on the number of processors; each rank
 * says how long the others of its team waited there, by its own clock:
 *
 *   hybrid rank=1 waited=0.123456
 *
 * Arguments: steps, milliseconds of a part. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, HALO = 1000 };

static int rank, size;
static double sent[2][HALO], received[2][HALO], part_ms, waited;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void parts(double n) {
  const double ms = n * part_ms;
  const struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  nanosleep(&t, NULL);
}

static void exchange_halo(void) {
  MPI_Request r[4];
  const int peers[2] = {(rank + size - 1) % size, (rank + 1) % size};
  for (int i = 0; i < 2; i++) MPI_Irecv(received[i], HALO, MPI_DOUBLE, peers[i], i, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < 2; i++) MPI_Isend(sent[i], HALO, MPI_DOUBLE, peers[i], 1 - i, MPI_COMM_WORLD, &r[2 + i]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static __attribute__((noinline)) void calc_elements(void) {
  double ends[THREADS], last = 0;
#pragma omp parallel for num_threads(THREADS) schedule(static) /* line: uneven */
  for (int t = 0; t < THREADS; t++) {
    parts(t == 0 ? 4 : 1);
    ends[t] = now();
  }
  for (int t = 0; t < THREADS; t++) last = ends[t] > last ? ends[t] : last;
  for (int t = 0; t < THREADS; t++) waited += last - ends[t];
}

static __attribute__((noinline)) void calc_nodes(void) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int t = 0; t < THREADS; t++) parts(1);
}

static __attribute__((noinline)) double calc_time_step(void) {
  double least = 1e9;
#pragma omp parallel for num_threads(THREADS) schedule(static) reduction(min : least)
  for (int t = 0; t < THREADS; t++) {
    parts(0.5);
    if (t + 1.0 < least) least = t + 1.0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  part_ms = argc > 2 ? atof(argv[2]) : 10;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    exchange_halo();
    calc_elements();
    calc_nodes();
    if (calc_time_step() != 1) abort();
  }
  printf("hybrid rank=%d waited=%.6f\n", rank, waited);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
