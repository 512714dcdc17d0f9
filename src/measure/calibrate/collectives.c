/* Collective operations of all ranks, on one node only: there all processes have one clock, so that they begin together
 * at a time that rank 0 says, and an operation lasts from then until the last rank is through. One at whose begin a
 * rank was late is no sample. */
#include <stdlib.h>

#include "measure/calibrate/calibrate.h"

enum { kinds = 7, most_sizes = 6, samples = 3, most_tries = 8, most_bytes = 262144 };
static const char* const names[kinds] = {"barrier", "bcast", "reduce", "allreduce", "gather", "allgather", "alltoall"};

static void call(int kind, char* out, char* in, int bytes) {
  const int words = bytes / 8;
  switch (kind) {
    case 0:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Bcast(out, words, MPI_INT64_T, 0, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Reduce(out, in, words, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
      break;
    case 3:
      MPI_Allreduce(out, in, words, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
      break;
    case 4:
      MPI_Gather(out, words, MPI_INT64_T, in, words, MPI_INT64_T, 0, MPI_COMM_WORLD);
      break;
    case 5:
      MPI_Allgather(out, words, MPI_INT64_T, in, words, MPI_INT64_T, MPI_COMM_WORLD);
      break;
    default:
      MPI_Alltoall(out, words, MPI_INT64_T, in, words, MPI_INT64_T, MPI_COMM_WORLD);
  }
}

/* How long it lasts; -1 if a rank was late. The same at all ranks. */
static int64_t one(int kind, char* out, char* in, int bytes) {
  enum { pause = 100000 };
  int64_t begin = mora_now() + pause, own[2] = {0, 0}, most[2] = {0, 0}; /* late, end */
  MPI_Bcast(&begin, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  own[0] = mora_now() >= begin;
  while (mora_now() < begin) {
  }
  call(kind, out, in, bytes);
  own[1] = mora_now() - begin;
  MPI_Allreduce(own, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most[0] ? -1 : most[1];
}

void mora_measure_collectives(int ranks, int64_t duration, char* memory, int64_t largest, FILE* raw) {
  int64_t sizes[most_sizes];
  int rank = 0, goes_on = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int64_t most = largest / ranks < most_bytes ? largest / ranks : most_bytes, until = mora_now() + duration;
  if (most < 16) return;
  const int n = mora_draw_sizes(sizes, most_sizes, 8, most);
  for (int pass = 0; goes_on; ++pass) {
    mora_shuffle(sizes, n);
    for (int i = 0; i < n * kinds; ++i) {
      const int kind = i % kinds, bytes = kind == 0 ? 0 : (int)(sizes[i / kinds] / 8 * 8);
      for (int taken = 0, tries = 0; taken < samples && tries < most_tries; ++tries) {
        const int64_t ns = one(kind, memory, memory + largest + 8, bytes);
        taken += ns >= 0;
        if (ns >= 0 && rank == 0)
          fprintf(raw, "all_ranks,0,%d,%d,%s,%d,%lld\n", ranks - 1, pass, names[kind], bytes, (long long)ns);
      }
    }
    goes_on = pass < 1 || mora_now() < until;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}
