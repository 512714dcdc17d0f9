/* Chunks are taken from a counter (MPI_Fetch_and_op): the last one is much larger; who takes it keeps all waiting. */
#include "planted.h"

enum { CHUNKS = 13 };

static int next_chunk(MPI_Win window) {
  const int one = 1;
  int chunk;
  MPI_Fetch_and_op(&one, &chunk, MPI_INT, 0, 0, MPI_SUM, window); /* cause */
  MPI_Win_flush(0, window);                                       /* cause */
  return chunk;
}

/* Returns whether this rank has had the last chunk. */
static int run_chunks(MPI_Win window) {
  int had_last = 0;
  for (int chunk; (chunk = next_chunk(window)) < CHUNKS;) {
    work(5);
    if (chunk == CHUNKS - 1) {
      work(140);
      had_last = 1;
    }
  }
  planted_arrival();
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
  return had_last;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  int last = run_chunks(window) ? rank : 0;
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  PMPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const char name[2] = {(char)('0' + last), 0};
  planted_print("task-counter", name, "run_chunks,next_chunk");
  MPI_Finalize();
  return 0;
}
