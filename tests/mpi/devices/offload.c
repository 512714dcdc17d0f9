/* A program that waits for an accelerator: -DPREFIX=cuda or hip. Says by its own clock for how long:
 *
 *   device rank=0 wait=0.123 transfer=0.045
 *
 * Argument: milliseconds of a kernel. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define JOINED(prefix, name) prefix##name
#define NAMED(prefix, name) JOINED(prefix, name)
#define DEVICE(name) NAMED(PREFIX, name)

int DEVICE(Malloc)(void** to, size_t bytes);
int DEVICE(Free)(void* what);
int DEVICE(Launch)(double ms);
int DEVICE(DeviceSynchronize)(void);
int DEVICE(StreamSynchronize)(void* stream);
int DEVICE(EventSynchronize)(void* event);
int DEVICE(Memcpy)(void* to, const void* from, size_t bytes, int kind);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  const double ms = argc > 1 ? atof(argv[1]) : 20;
  static double data[1000];
  void* there;
  int rank;
  DEVICE(DeviceSynchronize)(); /* before MPI_Init: not recorded */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (DEVICE(Malloc)(&there, sizeof data)) abort();
  double wait = 0, transfer = 0;
  for (int i = 0; i < 5; i++) {
    DEVICE(Launch)(ms);
    double enter = now();
    DEVICE(DeviceSynchronize)(); /* site:DeviceSynchronize */
    wait += now() - enter;
    DEVICE(Launch)(ms / 2);
    enter = now();
    DEVICE(StreamSynchronize)(NULL);
    wait += now() - enter;
    DEVICE(Launch)(ms / 4);
    enter = now();
    DEVICE(Memcpy)(data, there, sizeof data, 2); /* site:Memcpy */
    transfer += now() - enter;
  }
  if (DEVICE(EventSynchronize)(NULL) != 700) abort();
  DEVICE(Free)(there);
  printf("device rank=%d wait=%.6f transfer=%.6f\n", rank, wait, transfer);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
