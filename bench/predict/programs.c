/* Programs whose MPI time is to be predicted: programs KIND STEPS BYTES WORK. Each step computes (WORK multiplications,
 * no two ranks and steps alike), then communicates. Kinds: ring, halo, cg, transpose, irregular, fence, epoch, lock. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, bytes;
static long work;
static char *out, *in, *memory; /* each: bytes for each rank */
static MPI_Win window;
static MPI_Group neighbours; /* left and right */
static volatile double kept = 3;

static unsigned long mixed(unsigned long a) {
  a = (a ^ (a >> 30)) * 0xBF58476D1CE4E5B9UL;
  a = (a ^ (a >> 27)) * 0x94D049BB133111EBUL;
  return a ^ (a >> 31);
}

/* Between a half and one and a half of the work. */
static void compute(long step) {
  const long mine =
      work / 2 + (long)(mixed((unsigned long)step * 1009 + (unsigned long)rank) % (unsigned long)(work + 1));
  double x = kept;
  for (long i = 0; i < mine; ++i) x = x * 0.999 + 0.001;
  kept = x;
}

static int left(void) { return (rank + ranks - 1) % ranks; }
static int right(void) { return (rank + 1) % ranks; }

static void ring(long step) {
  compute(step);
  if (rank == 0) MPI_Send(out, bytes, MPI_BYTE, right(), 0, MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_BYTE, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Send(out, bytes, MPI_BYTE, right(), 0, MPI_COMM_WORLD);
}

static void halo(long step) {
  MPI_Request requests[4];
  MPI_Irecv(in, bytes, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + bytes, bytes, MPI_BYTE, right(), 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, bytes, MPI_BYTE, right(), 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out + bytes, bytes, MPI_BYTE, left(), 2, MPI_COMM_WORLD, &requests[3]);
  compute(step);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* A product of a matrix and a vector with its neighbours' borders, and three scalar products. */
static void cg(long step) {
  double own = (double)step, all = 0;
  halo(step);
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(step + 1);
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void transpose(long step) {
  compute(step);
  MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* Another number of messages of other sizes in each step; who sends what to whom all ranks know. */
static void irregular(long step) {
  enum { most = 4 };
  MPI_Request requests[2 * most];
  int n = 0;
  compute(step);
  for (int i = 0; i < most; ++i) {
    const unsigned long lot = mixed((unsigned long)step * 31 + (unsigned long)i);
    const int from = (int)(lot % (unsigned long)ranks), to = (int)((lot >> 8) % (unsigned long)ranks);
    const int size = (int)((lot >> 16) % (unsigned long)(bytes + 1));
    if (from == to) continue;
    if (rank == to)
      MPI_Irecv(in + (size_t)i % 2 * (size_t)bytes, size, MPI_BYTE, from, i, MPI_COMM_WORLD, &requests[n++]);
    if (rank == from) MPI_Isend(out, size, MPI_BYTE, to, i, MPI_COMM_WORLD, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  if (step % 8 == 7) MPI_Barrier(MPI_COMM_WORLD);
}

static void fence(long step) {
  compute(step);
  MPI_Put(out, bytes, MPI_BYTE, right(), 0, bytes, MPI_BYTE, window);
  MPI_Get(in, bytes, MPI_BYTE, left(), bytes, bytes, MPI_BYTE, window);
  MPI_Win_fence(0, window);
}

static void epoch(long step) {
  MPI_Win_post(neighbours, 0, window);
  compute(step);
  MPI_Win_start(neighbours, 0, window);
  MPI_Put(out, bytes, MPI_BYTE, right(), 0, bytes, MPI_BYTE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
}

static void lock(long step) {
  const int words = bytes / 8 == 0 ? 1 : bytes / 8;
  compute(step);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, window);
  MPI_Accumulate(out, words, MPI_INT64_T, right(), 0, words, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_unlock(right(), window);
  compute(step + 1);
  MPI_Win_lock_all(0, window);
  MPI_Get(in, bytes, MPI_BYTE, left(), bytes, bytes, MPI_BYTE, window);
  MPI_Win_flush(left(), window);
  MPI_Win_unlock_all(window);
  if (step % 8 == 7) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*step)(long);
  } kinds[] = {{"ring", ring},           {"halo", halo},   {"cg", cg},       {"transpose", transpose},
               {"irregular", irregular}, {"fence", fence}, {"epoch", epoch}, {"lock", lock}};
  void (*step)(long) = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; argc == 5 && i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(kinds[i].name, argv[1]) == 0) step = kinds[i].step;
  }
  if (step == NULL) {
    fprintf(stderr, "programs KIND STEPS BYTES WORK\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  bytes = atoi(argv[3]);
  work = atol(argv[4]);
  const size_t room = ((size_t)ranks + 1) * ((size_t)bytes + 8);
  out = calloc(room, 1);
  in = calloc(room, 1);
  memory = calloc(room, 1);
  const int is_one_sided = step == fence || step == epoch || step == lock;
  if (is_one_sided) {
    MPI_Group all;
    const int both[2] = {left(), right()};
    MPI_Win_create(memory, (MPI_Aint)room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, both[0] == both[1] ? 1 : 2, both, &neighbours);
    MPI_Group_free(&all);
    if (step == fence) MPI_Win_fence(0, window);
  }
  for (long i = 0; i < atol(argv[2]); ++i) step(i);
  if (is_one_sided) {
    MPI_Group_free(&neighbours);
    MPI_Win_free(&window);
  }
  free(out);
  free(in);
  free(memory);
  MPI_Finalize();
  return 0;
}
