/* Threads that all call MPI, and wait there for the thread of the same number of the other process; each says how long:
 *
 *   thread rank=0 number=3 late-sender=0.123456 wait-at-nxn=0.000000
 *
 * In each round rank 1's thread t computes (sleeps) for t % 4 + 1 units, and sends; then rank 0's thread t does for
 * 4 - t % 4 units, and both take part in a collective operation of their own communicator. What is sent is when the
 * call began, by the clock of the host: whoever waited knows for how long. Threads make their first call one after the
 * other, so that thread t has location t + 1. Arguments: rounds, milliseconds of a unit. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 16 };

static int rank, rounds;
static double unit_s;
static MPI_Comm comms[THREADS];
static pthread_barrier_t turn; /* of main and the thread that begins */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_for(double s) {
  const struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
  nanosleep(&t, NULL);
}

static double since(double begin, double end) { return end > begin ? end - begin : 0; }

static double waits[THREADS][2];

static void* work(void* number) {
  const int t = (int)(long)number;
  MPI_Barrier(MPI_COMM_SELF);
  pthread_barrier_wait(&turn);
  MPI_Barrier(comms[t]);
  for (int i = 0; i < rounds; i++) {
    double sent = 0, last = 0;
    if (rank == 1) {
      sleep_for(unit_s * (t % 4 + 1));
      sent = now();
      MPI_Send(&sent, 1, MPI_DOUBLE, 0, t, MPI_COMM_WORLD);
    } else {
      const double begin = now();
      MPI_Recv(&sent, 1, MPI_DOUBLE, 1, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      waits[t][0] += since(begin, sent);
      sleep_for(unit_s * (4 - t % 4));
    }
    const double begin = now();
    MPI_Allreduce(&begin, &last, 1, MPI_DOUBLE, MPI_MAX, comms[t]);
    waits[t][1] += since(begin, last);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE || argc < 3) MPI_Abort(MPI_COMM_WORLD, 1);
  rounds = atoi(argv[1]);
  unit_s = atof(argv[2]) / 1000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  pthread_barrier_init(&turn, NULL, 2);
  pthread_t threads[THREADS];
  for (long t = 0; t < THREADS; t++) {
    pthread_create(&threads[t], NULL, work, (void*)t);
    pthread_barrier_wait(&turn);
  }
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; t++)
    printf("thread rank=%d number=%d late-sender=%.6f wait-at-nxn=%.6f\n", rank, t, waits[t][0], waits[t][1]);
  fflush(stdout);
  for (int t = 0; t < THREADS; t++) MPI_Comm_free(&comms[t]);
  MPI_Finalize();
  return 0;
}
