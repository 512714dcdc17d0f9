/* Adaptive mesh refinement's communication (as MiniAMR): a sphere moves through a cube of blocks, one or more of each
 * process; blocks near its surface are refined, so faces are as large as the finer side needs and change from step to
 * step. Borders by MPI_Irecv, MPI_Isend and MPI_Waitany, one message for each pair of processes and dimension; load is
 * compared every fourth step, and processes of equal load form a communicator for a while. Everybody knows all blocks:
 * there is no data to look at.  amr -n STEPS [-s CELLS per edge of a block] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int dims[3], rank, size, cells;

/* 0 coarse, 1 or 2 times refined: how near the block is to the surface of the sphere. */
static int level_of(int block, int step) {
  const int at[3] = {block / (dims[1] * dims[2]), block / dims[2] % dims[1], block % dims[2]};
  const int center = step % (2 * dims[0]);
  long distance = 0;
  for (int d = 0; d < 3; d++) {
    const long way = 2 * at[d] - (d == 0 ? center : dims[d]);
    distance += way * way;
  }
  const long radius = 1 + step % 3, off = distance - radius * radius;
  return off < 0 ? (off > -3 ? 2 : 0) : off < 2 ? 2 : off < 5 ? 1 : 0;
}

/* Doubles on the face between two blocks: the finer one's resolution. */
static int face_of(int a, int b, int step) {
  const int first = level_of(a, step), second = level_of(b, step), finer = first > second ? first : second;
  return cells * cells << finer;
}

int main(int argc, char** argv) {
  int steps = 40, option;
  cells = 8;
  while ((option = getopt(argc, argv, "n:s:")) != -1) {
    if (option == 'n') steps = atoi(optarg);
    if (option == 's') cells = atoi(optarg);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dims);
  const int room = cells * cells * 4;
  double* send = calloc((size_t)room * 6, sizeof *send);
  double* receive = calloc((size_t)room * 6, sizeof *receive);
  int* loads = calloc((size_t)size, sizeof *loads);
  MPI_Comm equals = MPI_COMM_NULL;
  double check = 0;
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[12];
    const int at[3] = {rank / (dims[1] * dims[2]), rank / dims[2] % dims[1], rank % dims[2]};
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int side = 0; side < 6; side++) {
        int to[3] = {at[0], at[1], at[2]};
        to[side / 2] += side % 2 ? 1 : -1;
        if (to[side / 2] < 0 || to[side / 2] >= dims[side / 2]) continue;
        const int other = (to[0] * dims[1] + to[1]) * dims[2] + to[2], count = face_of(rank, other, step);
        double* place = (pass ? send : receive) + (size_t)side * (size_t)room;
        if (pass) {
          place[0] = rank + step;
          MPI_Isend(place, count, MPI_DOUBLE, other, side ^ 1, MPI_COMM_WORLD, &requests[n++]);
        } else {
          MPI_Irecv(place, count, MPI_DOUBLE, other, side, MPI_COMM_WORLD, &requests[n++]);
        }
      }
    for (int done = 0; done < n; done++) {
      int which;
      MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
    }
    for (int side = 0; side < 6; side++) check += receive[(size_t)side * (size_t)room];
    const int load = level_of(rank, step);
    double own = 1 << load, total;
    MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (step % 4 == 3) {
      MPI_Allgather(&load, 1, MPI_INT, loads, 1, MPI_INT, MPI_COMM_WORLD);
      if (equals != MPI_COMM_NULL) MPI_Comm_free(&equals);
      MPI_Comm_split(MPI_COMM_WORLD, load == 0 ? MPI_UNDEFINED : load, rank, &equals);
    }
    if (equals != MPI_COMM_NULL) {
      MPI_Bcast(&own, 1, MPI_DOUBLE, 0, equals);
      MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_MAX, equals);
    }
    check += total;
  }
  if (equals != MPI_COMM_NULL) MPI_Comm_free(&equals);
  double sum;
  MPI_Reduce(&check, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f check %.6f\n", MPI_Wtime() - begin, sum);
  free(send);
  free(receive);
  free(loads);
  MPI_Finalize();
  return 0;
}
