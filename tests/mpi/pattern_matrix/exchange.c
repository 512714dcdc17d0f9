/* Known patterns, one phase each; test_pattern_matrix.py works out who sends how much to whom from the rules alone. */
#include <mora/mora.h>
#include <mpi.h>
#include <stdlib.h>

static int rank, size;
static char in[64][4096], out[4096];

static void ring(void) {
  for (int lap = 0; lap < 10; lap++) {
    MPI_Request request;
    MPI_Irecv(in[0], 100, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, 25, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* Columns have holes: 8 doubles of a row of 10. */
static void stencil(int steps, int reductions) {
  int dims[2] = {2, size / 2}, periods[2] = {0, 1}, next[4];
  MPI_Comm grid;
  MPI_Datatype column;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Type_vector(8, 1, 10, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Cart_shift(grid, 0, 1, &next[0], &next[1]);
  MPI_Cart_shift(grid, 1, 1, &next[2], &next[3]);
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[8];
    for (int i = 0; i < 4; i++)
      MPI_Irecv(in[i], i < 2 ? 16 : 64, i < 2 ? MPI_DOUBLE : MPI_BYTE, next[i], i ^ 1, grid, &requests[i]);
    for (int i = 0; i < 4; i++)
      MPI_Isend(out, i < 2 ? 16 : 1, i < 2 ? MPI_DOUBLE : column, next[i], i, grid, &requests[4 + i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < reductions; i++) MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
}

/* Rows of a matrix of ranks: their ranks count backwards. */
static void split(void) {
  MPI_Comm row;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &row);
  MPI_Bcast(out, 5, MPI_INT, 0, row);
  MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, row);
  MPI_Comm_free(&row);
}

/* The same numbers on all ranks. */
static unsigned next_number(unsigned* state) { return (*state = *state * 1103515245u + 12345u) >> 16 & 0x7fff; }

/* Patches move between ranks: other partners and sizes in each epoch; receivers do not say from whom. */
static void irregular(void) {
  unsigned state = 7;
  for (int epoch = 0; epoch < 5; epoch++) {
    MPI_Request requests[64];
    int n = 0, incoming = 0, from[12], to[12], bytes[12];
    for (int i = 0; i < 12; i++) {
      from[i] = (int)(next_number(&state) % (unsigned)size);
      to[i] = (int)(next_number(&state) % (unsigned)size);
      bytes[i] = (int)(next_number(&state) % 4096);
      if (to[i] == rank)
        MPI_Irecv(in[incoming++], 4096, MPI_BYTE, MPI_ANY_SOURCE, epoch, MPI_COMM_WORLD, &requests[n++]);
    }
    for (int i = 0; i < 12; i++)
      if (from[i] == rank) MPI_Isend(out, bytes[i], MPI_BYTE, to[i], epoch, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  }
}

/* Triangles: rank r gives (r + 1) * (to + 1) bytes to each. */
static void triangles(void) {
  int counts[64], places[64], taken[64], put[64];
  for (int i = 0; i < size; i++) {
    counts[i] = (rank + 1) * (i + 1);
    taken[i] = (i + 1) * (rank + 1);
    places[i] = put[i] = i * 64;
  }
  MPI_Alltoallv(out, counts, places, MPI_BYTE, in, taken, put, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) taken[i] = 4 * i;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, taken, put, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mora_phase_begin("ring");
  ring();
  mora_phase_end("ring");
  mora_phase_begin("stencil");
  stencil(7, 0);
  mora_phase_end("stencil");
  mora_phase_begin("solver");
  mora_phase_begin("step");
  stencil(5, 2);
  mora_phase_end("step");
  mora_phase_end("solver");
  mora_phase_begin("split");
  split();
  mora_phase_end("split");
  mora_phase_begin("irregular");
  irregular();
  mora_phase_end("irregular");
  mora_phase_begin("triangles");
  triangles();
  mora_phase_end("triangles");
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
