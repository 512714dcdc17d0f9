/* Calls whose number and bytes depend on the arguments alone, for test_stats.py:
 *
 *   stats all ROUNDS MS   messages, requests, persistent ones, collectives from two call paths; rank 1 is late by MS,
 *                         and rank 0 says how long it waited for it
 *   stats windows ROUNDS  one-sided transfers of all kinds
 *   stats waits MS        rank 0 waits MS for rank 1, which computes until then, in each of five kinds of calls
 *   stats brief SECONDS   many brief calls, and few long ones: between them the process computes for 100 ms
 *   stats polls ROUNDS    messages that rank 0 sends late and rank 1 asks for by MPI_Test and MPI_Iprobe
 *   stats kill CALLS      so many barriers, then rank 1 kills itself with SIGKILL
 *   stats many ROUNDS     so many sends to nobody from one line
 *   stats places          sends to nobody from 8192 places, twice each
 *   stats off ROUNDS      as many sends to nobody while recording is off, then as many again */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { words = 100, requests = 300 };
static int rank, size, right, left, out[words * 64], in[words * 64];

static void messages(void) {
  MPI_Sendrecv(out, 7, MPI_INT, right, 1, in, 7, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request r[requests];
  for (int i = 0; i < requests / 2; i++) MPI_Irecv(in + i, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &r[i]);
  for (int i = requests / 2; i < requests; i++) MPI_Isend(out, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &r[i]);
  MPI_Waitall(requests, r, MPI_STATUSES_IGNORE);
  MPI_Send(out, 3, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
  MPI_Recv(in, 3, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collectives(void) {
  int counts[64], places[64];
  for (int i = 0; i < size; i++) counts[i] = i + 1, places[i] = 2 * i;
  MPI_Bcast(out, words, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request r;
  MPI_Ibcast(out, words, MPI_INT, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void once(void) { collectives(); }
static __attribute__((noinline)) void twice(void) {
  collectives();
  collectives();
}

static void all(int rounds, int ms) {
  MPI_Request r[2];
  MPI_Send_init(out, 5, MPI_INT, right, 4, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in, 9, MPI_INT, left, 4, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < rounds; i++) {
    messages();
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    once();
    twice();
  }
  if (rank == 1) usleep((useconds_t)ms * 1000);
  const double begin = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("waited %.6f\n", MPI_Wtime() - begin);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

static void windows(int rounds) {
  MPI_Win window;
  MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  long one = 1, was;
  for (int i = 0; i < rounds; i++) {
    MPI_Win_fence(0, window);
    MPI_Put(out, 5, MPI_INT, right, 0, 5, MPI_INT, window);
    MPI_Get(out + words, 7, MPI_INT, left, 8, 7, MPI_INT, window);
    MPI_Put(out, 5, MPI_INT, MPI_PROC_NULL, 0, 5, MPI_INT, window);
    MPI_Accumulate(out, 3, MPI_INT, right, 16, 3, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
    MPI_Fetch_and_op(&one, &was, MPI_LONG, right, 40, MPI_SUM, window);
    MPI_Get_accumulate(out, 2, MPI_INT, out + words, 2, MPI_INT, right, 48, 2, MPI_INT, MPI_SUM, window);
    MPI_Request request;
    MPI_Rput(out, 4, MPI_INT, right, 56, 4, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(right, window);
  }
  MPI_Win_free(&window);
}

/* The process computes until then, whatever part of the time it has a processor. */
static void compute_until(double end) {
  while (MPI_Wtime() < end) {
  }
}

static void waits(int ms) {
  const double s = ms / 1000.0;
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int kind = 0; kind < 5; kind++) {
    if (rank == 1) compute_until(MPI_Wtime() + s);
    if (kind == 0 && rank == 1) MPI_Send(out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (kind == 0 && rank == 0) MPI_Recv(in, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (kind == 1 && rank == 1) MPI_Send(out, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (kind == 1 && rank == 0) {
      MPI_Irecv(in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (kind == 2 && rank < 2)
      MPI_Sendrecv(out, 1, MPI_INT, 1 - rank, 3, in, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (kind == 3) MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (kind == 4) MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void brief(int seconds) {
  const double end = MPI_Wtime() + seconds;
  for (int is_over = 0; !is_over;) {
    for (int i = 0; i < 2000; i++) MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    compute_until(MPI_Wtime() + 0.1);
    is_over = MPI_Wtime() >= end;
    MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void polls(int rounds) {
  for (int i = 0; i < rounds; i++) {
    if (rank == 0) {
      usleep(300);
      for (int tag = 0; tag < 2; tag++) MPI_Send(out, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
    if (rank != 1) continue;
    MPI_Request request;
    int flag = 0;
    MPI_Irecv(in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

#define CALL MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
#define CALLS8 CALL CALL CALL CALL CALL CALL CALL CALL
#define CALLS64 CALLS8 CALLS8 CALLS8 CALLS8 CALLS8 CALLS8 CALLS8 CALLS8
#define CALLS512 CALLS64 CALLS64 CALLS64 CALLS64 CALLS64 CALLS64 CALLS64 CALLS64
static void places(void) {
  CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512 CALLS512
      CALLS512 CALLS512 CALLS512
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "all";
  const int n = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  if (strcmp(what, "all") == 0) all(n, argc > 3 ? atoi(argv[3]) : 0);
  if (strcmp(what, "windows") == 0) windows(n);
  if (strcmp(what, "brief") == 0) brief(n);
  if (strcmp(what, "waits") == 0) waits(n);
  if (strcmp(what, "polls") == 0) polls(n);
  if (strcmp(what, "kill") == 0) {
    for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(what, "off") == 0) MPI_Pcontrol(0);
  if (strcmp(what, "many") == 0 || strcmp(what, "off") == 0)
    for (int i = 0; i < n; i++) CALL if (strcmp(what, "off") == 0) {
        usleep(200000);
        MPI_Pcontrol(1);
        for (int i = 0; i < n; i++) CALL
      }
  for (int i = 0; i < 2 && strcmp(what, "places") == 0; i++) places();
  MPI_Finalize();
  return 0;
}
