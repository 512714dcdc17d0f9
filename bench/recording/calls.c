/* One process sends to itself: added cost per call. argv: [calls] [repeats]. Prints the smallest CPU time per call of
 * several runs, of: a bare loop of two clock reads and the stores of one record; MPI_Iprobe (the cheapest
 * point-to-point call); Irecv + Send + Wait to itself (three calls); Isend/Irecv/Waitall; marks of include/mora/mora.h,
 * each a begin or an end. */
#include <mora/mora.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bare.h"

static int data[16], other[16];
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

static void nobody(long calls) {
  for (long i = 0; i < calls; i += 2) {
    MPI_Send(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF);
    MPI_Recv(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
}

static void exchange(long calls) {
  MPI_Request requests[8];
  for (long i = 0; i < calls; i += 9) {
    for (int k = 0; k < 4; k++) MPI_Irecv(&other[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &requests[k]);
    for (int k = 0; k < 4; k++) MPI_Isend(&data[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &requests[4 + k]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  }
}

static void marks(long calls) {
  for (long i = 0; i < calls; i += 2) {
    MORA_INTERVAL_BEGIN((int)i);
    MORA_INTERVAL_END((int)i);
  }
}

static double best_of(void (*loop)(long), long calls, int repeats) {
  double best = 1e99;
  loop(calls / 10);
  for (int i = 0; i < repeats; i++) {
    const double before = cpu_ns();
    loop(calls);
    const double used = cpu_ns() - before;
    if (used < best) best = used;
  }
  return best / calls;
}

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 2000000;
  const int repeats = argc > 2 ? atoi(argv[2]) : 5;
  MPI_Init(&argc, &argv);
  area = mmap(NULL, area_words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  printf("bare %.2f\n", best_of(bare, calls, repeats));
  printf("proc_null %.2f\n", best_of(nobody, calls, repeats));
  printf("iprobe %.2f\n", best_of(probes, calls, repeats));
  printf("irecv_send_wait %.2f\n", best_of(messages, calls, repeats));
  printf("isend_irecv_waitall %.2f\n", best_of(exchange, calls, repeats));
  printf("mark %.2f\n", best_of(marks, calls, repeats));
  MPI_Finalize();
  return 0;
}
