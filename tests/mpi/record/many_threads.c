/* Two processes with THREADS threads each beside the one that called MPI_Init_thread, all of which communicate at the
 * same time: argv[1] rounds of messages, collectives, requests and one-sided communication each, on communicators and
 * windows of their own. In the first round the last thread of process 1 comes late to all of them by argv[2] ms. What
 * each of them does is counted in test_threads.py. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef THREADS
#define THREADS 4
#endif

enum { BYTES = 8, LENGTH = 64 };

static int rank, rounds, late_ms;
static MPI_Comm comms[THREADS];
static MPI_Win locked[THREADS], fenced[THREADS];
static char memory[2 * THREADS][LENGTH];
static pthread_barrier_t all; /* of the threads of this process */

/* Requests that thread t begins and thread t + 1 completes. */
static MPI_Request given[THREADS][3];
static char sent[THREADS][BYTES], received[THREADS][BYTES], shared[THREADS][BYTES];

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void* work(void* number) {
  const int t = (int)(long)number, other = 1 - rank;
  char buffer[BYTES] = {0}, more[BYTES];
  MPI_Win_fence(0, fenced[t]);
  for (int i = 0; i < rounds; i++) {
    if (i == 0 && t == THREADS - 1 && rank == 1) sleep_ms(late_ms);
    if (rank == 1) MPI_Send(buffer, BYTES, MPI_BYTE, 0, t, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(buffer, BYTES, MPI_BYTE, 1, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits here */
    MPI_Sendrecv(buffer, BYTES, MPI_BYTE, other, 10 + t, more, BYTES, MPI_BYTE, other, 10 + t, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);

    MPI_Request pair[2];
    MPI_Irecv(more, BYTES, MPI_BYTE, other, 20, comms[t], &pair[0]);
    MPI_Isend(buffer, BYTES, MPI_BYTE, other, 20, comms[t], &pair[1]);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);

    MPI_Barrier(comms[t]);
    MPI_Bcast(buffer, BYTES, MPI_BYTE, t % 2, comms[t]);
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[t]);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, locked[t]);
    MPI_Put(buffer, BYTES, MPI_BYTE, other, 0, BYTES, MPI_BYTE, locked[t]);
    MPI_Win_unlock(other, locked[t]);
    MPI_Get(more, BYTES, MPI_BYTE, other, 0, BYTES, MPI_BYTE, fenced[t]);
    MPI_Win_fence(0, fenced[t]);

    MPI_Irecv(received[t], BYTES, MPI_BYTE, other, 30, comms[t], &given[t][0]);
    MPI_Isend(sent[t], BYTES, MPI_BYTE, other, 30, comms[t], &given[t][1]);
    MPI_Ibcast(shared[t], BYTES, MPI_BYTE, 0, comms[t], &given[t][2]);
    pthread_barrier_wait(&all);
    MPI_Wait(&given[(t + 1) % THREADS][2], MPI_STATUS_IGNORE);
    MPI_Waitall(2, given[(t + 1) % THREADS], MPI_STATUSES_IGNORE);
    pthread_barrier_wait(&all);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    puts("no threads");
    MPI_Finalize();
    return 0;
  }
  rounds = atoi(argv[1]);
  late_ms = atoi(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_init(&all, NULL, THREADS);
  for (int t = 0; t < THREADS; t++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    MPI_Win_create(memory[2 * t], LENGTH, 1, MPI_INFO_NULL, comms[t], &locked[t]);
    MPI_Win_create(memory[2 * t + 1], LENGTH, 1, MPI_INFO_NULL, comms[t], &fenced[t]);
  }
  pthread_t threads[THREADS];
  for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, work, (void*)t);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int t = 0; t < THREADS; t++) {
    MPI_Win_free(&locked[t]);
    MPI_Win_free(&fenced[t]);
    MPI_Comm_free(&comms[t]);
  }
  MPI_Finalize();
  return 0;
}
