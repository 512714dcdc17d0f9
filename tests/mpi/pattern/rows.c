/* The checks of a tracer (T-TRACE), each as a phase of its own, for four ranks. test_pattern.py holds what
 * each must leave. */
#include <mora/mora.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int global = 123; /* names that MinI itself exported */
int max(int a, int b);
int max(int a, int b) { return a > b ? a - 1000 : b - 1000; }
int start, end, st, min, median, values, buff;

static int rank, size, prev, next;
#define WORLD MPI_COMM_WORLD
#define PHASE(name) \
  for (int once = (mora_phase_begin(name), 1); once; once = 0, mora_phase_end(name), MPI_Barrier(WORLD))

static void allreduce(MPI_Comm comm) {
  int in = rank, out;
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
}

static void collectives(void) {
  int counts[4] = {1, 2, 3, 4}, starts[4] = {0, 1, 3, 6}, mine[4] = {rank + 1, rank + 1, rank + 1, rank + 1};
  int at[4] = {0, rank + 1, 2 * (rank + 1), 3 * (rank + 1)}, out[10] = {0}, in[16];
  PHASE("alltoallv") MPI_Alltoallv(out, counts, starts, MPI_INT, in, mine, at, MPI_INT, WORLD);
  PHASE("gatherv")
  MPI_Gatherv(out, rank + 1, MPI_INT, rank == 1 ? in : NULL, rank == 1 ? counts : NULL, rank == 1 ? starts : NULL,
              MPI_INT, 1, WORLD);
}

static void requests(void) {
  int in = 0, in2 = 0, out = rank, done = 0, index;
  MPI_Request r[2];
  MPI_Status s[2];
  PHASE("waitany") {
    MPI_Irecv(&in, 1, MPI_INT, prev, 0, WORLD, r);
    MPI_Send(&out, 1, MPI_INT, next, 0, WORLD);
    MPI_Waitany(1, r, &index, s);
  }
  PHASE("test") {
    MPI_Irecv(&in, 1, MPI_INT, prev, 0, WORLD, r);
    MPI_Send(&out, 1, MPI_INT, next, 0, WORLD);
    while (!done) MPI_Test(r, &done, s);
    MPI_Send(&out, 1, MPI_INT, next, 1, WORLD);
    MPI_Recv(&in, 1, MPI_INT, prev, 1, WORLD, s);
  }
  PHASE("ignore") {
    MPI_Irecv(&in, 1, MPI_INT, prev, 0, WORLD, r);
    MPI_Send(&out, 1, MPI_INT, next, 0, WORLD);
    MPI_Wait(r, MPI_STATUS_IGNORE);
  }
  PHASE("isend-first") {
    MPI_Irecv(&in, 1, MPI_INT, prev, 0, WORLD, r);
    MPI_Isend(&out, 1, MPI_INT, next, 0, WORLD, r + 1);
    MPI_Wait(r + 1, s);
    MPI_Wait(r, s);
  }
  PHASE("waitall") {
    MPI_Irecv(&in, 1, MPI_INT, prev, 0, WORLD, r);
    MPI_Isend(&out, 1, MPI_INT, next, 0, WORLD, r + 1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Send(&out, 1, MPI_INT, next, 1, WORLD);
    MPI_Recv(&in, 1, MPI_INT, prev, 1, WORLD, MPI_STATUS_IGNORE);
  }
  PHASE("self") {
    MPI_Irecv(&in, 1, MPI_INT, rank, 0, WORLD, r);
    MPI_Isend(&out, 1, MPI_INT, rank, 0, WORLD, r + 1);
    MPI_Waitall(2, r, s);
  }
  PHASE("proc-null") {
    MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, s);
    MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, r);
    MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, r + 1);
    MPI_Waitall(2, r, s);
    MPI_Sendrecv(&out, 1, MPI_INT, rank < 3 ? rank + 1 : MPI_PROC_NULL, 2, &in, 1, MPI_INT,
                 rank > 0 ? rank - 1 : MPI_PROC_NULL, 2, WORLD, s);
  }
  PHASE("any-source") {
    if (rank == 0) {
      MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, r);
      MPI_Irecv(&in2, 1, MPI_INT, 1, MPI_ANY_TAG, WORLD, r + 1);
      MPI_Recv(&out, 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, MPI_STATUS_IGNORE);
      MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    } else {
      MPI_Send(&out, 1, MPI_INT, 0, rank, WORLD);
    }
  }
  PHASE("types") {
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT,           MPI_CHAR,     MPI_SHORT,         MPI_LONG,         MPI_FLOAT,
                            MPI_BYTE,   MPI_LONG_LONG_INT, MPI_UNSIGNED, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    long buffer[8] = {0};
    MPI_Type_contiguous(3, MPI_INT, &types[9]);
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[10]);
    MPI_Type_commit(&types[9]);
    MPI_Type_commit(&types[10]);
    if (rank < 2)
      for (int i = 0; i < 11; i++) {
        if (rank == 0) MPI_Send(buffer, 1, types[i], 1, 0, WORLD);
        if (rank == 1) MPI_Recv(buffer, 1, types[i], 0, 0, WORLD, MPI_STATUS_IGNORE);
      }
    MPI_Type_free(&types[9]);
    MPI_Type_free(&types[10]);
  }
}

static void communicators(void) {
  MPI_Comm a, b;
  PHASE("halves") { /* two disjoint halves, each split again: keys descending */
    MPI_Comm_split(WORLD, rank / 2, 0, &a);
    MPI_Comm_split(a, 0, -rank, &b);
    allreduce(b);
    MPI_Bcast(&rank, 1, MPI_INT, 1, b);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_free(&b);
    MPI_Comm_free(&a);
  }
  PHASE("undefined") {
    MPI_Comm_split(WORLD, rank % 2 ? 7 : MPI_UNDEFINED, 0, &a);
    MPI_Comm_split(WORLD, 0, 0, &b);
    allreduce(b);
    MPI_Comm_free(&b);
    if (a != MPI_COMM_NULL) MPI_Comm_free(&a);
  }
  PHASE("colours")
  for (int i = 0; i < 12; i++) {
    MPI_Comm_split(WORLD, 12345, 0, &a);
    MPI_Comm_free(&a);
  }
  PHASE("again") {
    MPI_Comm_split(WORLD, 0, 0, &a);
    allreduce(a);
    MPI_Comm_free(&a);
    MPI_Comm_split(WORLD, 0, 0, &a);
    allreduce(a);
    allreduce(a);
    MPI_Comm_free(&a);
  }
  PHASE("dup") {
    MPI_Comm_dup(WORLD, &a);
    MPI_Comm_set_name(a, "mine on comm X free.");
    allreduce(a);
    MPI_Comm_free(&a);
  }
}

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  prev = (rank + size - 1) % size;
  next = (rank + 1) % size;
  collectives();
  requests();
  communicators();
  if (provided < MPI_THREAD_FUNNELED || global != 123 || max(3, 9) != -991 || start || end || st || min || median ||
      values || buff)
    printf("rank %d: something of the program was changed\n", rank);
  MPI_Finalize();
  return 0;
}
