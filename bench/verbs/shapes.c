/* Programs whose ranks wait often, each step some calls: shapes KIND STEPS [WORK]. WORK is multiplications a step;
 * ranks have between half and one and a half of it, in another order in each step. Kinds: pingpong, halo, master,
 * alltoall, rma, mixed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { values = 128 };
static double ours[4][values], theirs[4][values], start = 3;
static int rank, size, work = 500;
static MPI_Win window;
static double* memory;

__attribute__((noinline)) static double compute(long step) {
  const unsigned long mixed = ((unsigned long)step * 31 + (unsigned long)rank * 17) * 2654435761UL;
  const int mine = work / 2 + (int)((mixed >> 8) % (unsigned long)(work + 1));
  double x = start;
  for (int i = 0; i < mine; i++) x = x * 0.999 + 0.001;
  return x;
}

static void pingpong(long step) {
  const int partner = rank ^ 1;
  if (partner >= size) return;
  if (rank % 2 == 0) {
    ours[0][0] = compute(step);
    MPI_Send(ours[0], values, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    MPI_Recv(theirs[0], values, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(theirs[0], values, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ours[0][0] = compute(step);
    MPI_Send(ours[0], values, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
  }
}

static void halo(long step) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request open[4];
  MPI_Irecv(theirs[0], values, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(theirs[1], values, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &open[1]);
  ours[0][0] = compute(step);
  MPI_Isend(ours[0], values, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &open[2]);
  MPI_Isend(ours[1], values, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[3]);
  MPI_Waitall(4, open, MPI_STATUSES_IGNORE);
  if (step % 10 == 0) MPI_Allreduce(ours[0], theirs[2], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 0 answers each request with a task; a step is a task for each worker. */
static void master(long step) {
  if (rank > 0) {
    ours[0][0] = compute(step);
    MPI_Send(ours[0], 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    MPI_Recv(theirs[0], 4, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int i = 1; i < size; i++) {
    MPI_Status status;
    MPI_Recv(theirs[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    MPI_Send(ours[0], 4, MPI_DOUBLE, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
  }
}

static void alltoall(long step) {
  ours[0][0] = compute(step);
  MPI_Alltoall(ours, 4, MPI_DOUBLE, theirs, 4, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void rma(long step) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  ours[0][0] = compute(step);
  switch (step % 3) {
    case 0:
      MPI_Win_fence(0, window);
      MPI_Put(ours[0], 8, MPI_DOUBLE, right, 0, 8, MPI_DOUBLE, window);
      MPI_Win_fence(0, window);
      break;
    case 1: {
      MPI_Group world, to, from;
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      MPI_Group_incl(world, 1, &right, &to);
      MPI_Group_incl(world, 1, &left, &from);
      MPI_Win_post(from, 0, window);
      MPI_Win_start(to, 0, window);
      MPI_Put(ours[0], 8, MPI_DOUBLE, right, 8, 8, MPI_DOUBLE, window);
      MPI_Win_complete(window);
      MPI_Win_wait(window);
      MPI_Group_free(&from), MPI_Group_free(&to), MPI_Group_free(&world);
      break;
    }
    default:
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
      MPI_Accumulate(ours[0], 1, MPI_DOUBLE, 0, 16, 1, MPI_DOUBLE, MPI_SUM, window);
      MPI_Win_unlock(0, window);
  }
}

static void mixed(long step) {
  void (*const kinds[])(long) = {pingpong, halo, master, alltoall, rma};
  kinds[step / 4 % 5](step);
  if (step % 20 == 0) {
    MPI_Request open;
    MPI_Iallreduce(ours[0], theirs[3], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &open);
    compute(step);
    MPI_Wait(&open, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*step)(long);
  } kinds[] = {{"pingpong", pingpong}, {"halo", halo}, {"master", master},
               {"alltoall", alltoall}, {"rma", rma},   {"mixed", mixed}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void (*step)(long) = NULL;
  for (size_t i = 0; argc > 2 && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(argv[1], kinds[i].name) == 0) step = kinds[i].step;
  if (!step || size > values) {
    fprintf(stderr, "usage: shapes pingpong|halo|master|alltoall|rma|mixed STEPS [WORK], at most %d ranks\n", values);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  if (argc > 3) work = atoi(argv[3]);
  const int one_sided = step == rma || step == mixed;
  if (one_sided) MPI_Win_allocate(32 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (long i = 0; i < atol(argv[2]); i++) step(i);
  if (one_sided) MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
