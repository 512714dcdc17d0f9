/* One process calls MPI on itself: ns of CPU per call, the smallest of several rounds, loop by loop.  calls [CALLS]
 * [ROUNDS]. Every round writes enough to fill chunks many times, so what is measured holds the writing of the journal,
 * too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int data[16], other[16];

static void nobody(long calls) {
  for (long i = 0; i < calls; i += 2) {
    MPI_Send(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF);
    MPI_Recv(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
}

static void probes(long calls) {
  int flag;
  for (long i = 0; i < calls; i++) MPI_Iprobe(0, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void messages(long calls) {
  MPI_Request request;
  for (long i = 0; i < calls; i += 3) {
    MPI_Irecv(other, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(data, 4, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void exchanges(long calls) {
  for (long i = 0; i < calls; i++)
    MPI_Sendrecv(data, 4, MPI_INT, 0, 1, other, 4, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void sums(long calls) {
  for (long i = 0; i < calls; i++) MPI_Allreduce(data, other, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

static double best_of(void (*loop)(long), long calls, int rounds) {
  double best = 1e99;
  loop(calls / 10);
  for (int i = 0; i < rounds; i++) {
    const double before = cpu_ns();
    loop(calls);
    const double used = cpu_ns() - before;
    if (used < best) best = used;
  }
  return best / (double)calls;
}

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 300000;
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  MPI_Init(&argc, &argv);
  printf("proc_null %.2f\n", best_of(nobody, calls, rounds));
  printf("iprobe %.2f\n", best_of(probes, calls, rounds));
  printf("irecv_send_wait %.2f\n", best_of(messages, calls, rounds));
  printf("sendrecv %.2f\n", best_of(exchanges, calls, rounds));
  printf("allreduce %.2f\n", best_of(sums, calls, rounds));
  MPI_Finalize();
  return 0;
}
