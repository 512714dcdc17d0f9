/* Runs the collectives that its argument (a file) lists, and prints the messages that Open MPI really sends in each.
 * Its component pml/monitoring (mpirun --mca pml_monitoring_enable 1) calls the function below for every message;
 * linked with -rdynamic, this program's takes the place of the library's. A case is a line: NAME RANKS ROOT COUNT (of
 * ints). Rank 0 prints `case N` and then `FROM TO MESSAGES BYTES`. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1024 };
static unsigned long sent[2 * most]; /* messages and bytes to each rank */

void mca_common_monitoring_record_pml(int to, size_t bytes, int tag) {
  (void)tag;
  if (to < 0 || to >= most) return;
  sent[2 * to]++;
  sent[2 * to + 1] += bytes;
}

/* Buffers stay for the next case: pages that are given back and taken again cost more than the messages. */
static void* room(int which, size_t ints) {
  static void* kept[4];
  static size_t held[4];
  if (held[which] < ints + 1) {
    free(kept[which]);
    held[which] = ints + 1;
    kept[which] = calloc(held[which], sizeof(int));
  }
  return kept[which];
}

static void run(const char* name, MPI_Comm comm, int ranks, int root, int count) {
  const size_t all = (size_t)count * (size_t)ranks + 64 * (size_t)ranks;
  int *in = room(0, all), *out = room(1, all), *counts = room(2, (size_t)ranks), *starts = room(3, (size_t)ranks);
  int rank, total = 0;
  MPI_Comm_rank(comm, &rank);
  for (int r = 0; r < ranks; r++) {
    counts[r] = count + r % 3;
    starts[r] = total;
    total += counts[r];
  }
  if (!strcmp(name, "barrier")) MPI_Barrier(comm);
  if (!strcmp(name, "bcast")) MPI_Bcast(in, count, MPI_INT, root, comm);
  if (!strcmp(name, "reduce")) MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
  if (!strcmp(name, "allreduce")) MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
  if (!strcmp(name, "gather")) MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm);
  if (!strcmp(name, "scatter")) MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
  if (!strcmp(name, "allgather")) MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
  if (!strcmp(name, "alltoall")) MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
  if (!strcmp(name, "allgatherv")) MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, comm);
  if (!strcmp(name, "gatherv")) MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, root, comm);
  if (!strcmp(name, "scatterv")) MPI_Scatterv(in, counts, starts, MPI_INT, out, counts[rank], MPI_INT, root, comm);
  if (!strcmp(name, "reduce_scatter")) MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
  if (!strcmp(name, "reduce_scatter_block")) MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
  if (!strcmp(name, "scan")) MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
  if (!strcmp(name, "exscan")) MPI_Exscan(in, out, count, MPI_INT, MPI_SUM, comm);
}

int main(int argc, char** argv) {
  int world, rank, n = 0, size = 0;
  mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the library's own buffers, too */
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned long* all = calloc(2 * (size_t)world * (size_t)world, sizeof *all);
  unsigned long* mine = calloc(2 * (size_t)world, sizeof *mine);
  FILE* cases = fopen(argv[1], "r");
  char name[64];
  int ranks, root, count;
  MPI_Comm comm = MPI_COMM_NULL;
  while (fscanf(cases, "%63s %d %d %d", name, &ranks, &root, &count) == 4) {
    if (ranks != size) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
      MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
      size = ranks;
    }
    if (comm != MPI_COMM_NULL) {
      memset(sent, 0, sizeof sent);
      run(name, comm, ranks, root, count);
      memcpy(mine, sent, 2 * (size_t)world * sizeof *mine);
      MPI_Gather(mine, 2 * world, MPI_UNSIGNED_LONG, all, 2 * world, MPI_UNSIGNED_LONG, 0, comm);
      if (rank == 0) {
        printf("case %d\n", n);
        for (int from = 0; from < ranks; from++)
          for (int to = 0; to < ranks; to++) {
            const unsigned long* cell = all + 2 * ((size_t)world * (size_t)from + (size_t)to);
            if (cell[0] > 0) printf("%d %d %lu %lu\n", from, to, cell[0], cell[1]);
          }
      }
    }
    n++;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
