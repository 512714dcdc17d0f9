/* ring ROUNDS [alone|crossing|killed|aborts|faults|waits [FILE]]: in each round each rank sends itself 20 messages
 * (rank 0 40), sends its right neighbour one by MPI_Isend and MPI_Irecv, and exchanges one with it by MPI_Sendrecv; the
 * sum of a split communicator every third round, a barrier every fifth, for which rank 0 is 20 us late. alone: no
 * collective call behind the first barrier. crossing: each round sends two further messages that the neighbour receives
 * in the next round, of another size each round, so that at every barrier two are under way; one of them is received by
 * an MPI_Irecv that was posted before the barrier. killed: rank 1 is killed in the middle of the last round; aborts,
 * faults: it calls abort(), it has a SIGSEGV. waits: rank 0 computes 5 ms in each round; may stand beside these
 * three (waits+aborts). FILE: instead of so many
 * rounds, until that is there; SIGUSR1 would end the program. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, given = 1, got;
static char out[1 << 10], in[1 << 10];

static void compute(double seconds) {
  const double until = MPI_Wtime() + seconds;
  while (MPI_Wtime() < until) {
  }
}

static void exchange(int to, int from) {
  MPI_Sendrecv(&given, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Asked in every fifth round. */
static int goes_on(long i, const char* file) {
  static int go = 1;
  if (i % 5 == 0) {
    if (rank == 0) go = access(file, F_OK) != 0;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return go;
}

static void on_signal(int number) {
  (void)number;
  _exit(9);
}

int main(int argc, char** argv) {
  signal(SIGUSR1, on_signal);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = atol(argv[1]);
  const char* how = argc > 2 ? argv[2] : "";
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Comm halves;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &halves);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request early = MPI_REQUEST_NULL;
  for (long i = 0; argc > 3 ? goes_on(i, argv[3]) : i < rounds; i++) {
    const int bytes = 1 + (int)(i % 1000);
    for (int k = 0; k < (rank == 0 ? 40 : 20); k++) exchange(rank, rank);
    if (strstr(how, "waits") && rank == 0) compute(5e-3);
    MPI_Request both[2];
    MPI_Irecv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&given, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    if (rank == 1 && i == rounds - 1) {
      if (strstr(how, "killed")) raise(SIGKILL);
      if (strstr(how, "aborts")) abort();
      if (strstr(how, "faults")) raise(SIGSEGV);
    }
    exchange(right, left);
    if (strcmp(how, "crossing") == 0) {
      if (i > 0) MPI_Wait(&early, MPI_STATUS_IGNORE);
      if (i > 0) MPI_Recv(in, sizeof in, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      static char waiting[1 << 10];
      MPI_Irecv(waiting, sizeof waiting, MPI_BYTE, left, 2, MPI_COMM_WORLD, &early);
      MPI_Send(out, bytes, MPI_BYTE, right, 3, MPI_COMM_WORLD);
    }
    int sum;
    if (strcmp(how, "alone") != 0 && i % 3 == 2) MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, halves);
    if (strcmp(how, "alone") != 0 && i % 5 == 4) {
      if (rank == 0) compute(20e-6);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(how, "crossing") == 0) MPI_Send(out, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD);
  }
  if (strcmp(how, "crossing") == 0) {
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    MPI_Recv(in, sizeof in, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
