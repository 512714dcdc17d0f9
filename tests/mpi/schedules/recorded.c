/* Chance's collectives: recorded.c sent|recorded SEED CASES. `sent`: run under pml/monitoring (sent.c), prints what
 * each one sends; `recorded`: each one is a phase of a pattern recording. All kinds, with MPI_IN_PLACE, types of
 * several sizes (also with gaps), counts of 0, and communicators whose ranks stand in another order than the world's.
 */
#include <mora/mora.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 128, room = 24 << 20 };
static unsigned long sent[2 * most]; /* messages and bytes to each rank */

void mca_common_monitoring_record_pml(int to, size_t bytes, int tag) {
  (void)tag;
  if (to < 0 || to >= most) return;
  sent[2 * to]++;
  sent[2 * to + 1] += bytes;
}

static uint64_t state;

static uint32_t chance(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

enum { gather_v = 7, scatter_v, allgather_v, alltoall_v, alltoall_w, reduce_scatter, neighbours = 17 };
static const char* const kinds[] = {"bcast",
                                    "reduce",
                                    "allreduce",
                                    "gather",
                                    "scatter",
                                    "allgather",
                                    "alltoall",
                                    "gatherv",
                                    "scatterv",
                                    "allgatherv",
                                    "alltoallv",
                                    "alltoallw",
                                    "reduce_scatter",
                                    "reduce_scatter_block",
                                    "scan",
                                    "exscan",
                                    "barrier",
                                    "neighbor_allgather",
                                    "neighbor_alltoall",
                                    "neighbor_allgatherv",
                                    "neighbor_alltoallv",
                                    "neighbor_alltoallw"};

/* How much `from` has for `to`: any number up to `count`, often 0; in place both have the same for each other. */
static int share(uint32_t salt, int from, int to, int count, int in_place) {
  const int low = in_place && to < from ? to : from, high = in_place && to < from ? from : to;
  const uint32_t h = (salt + (uint32_t)(low * most + high) * 2654435761u) >> 7;
  return h % 3 == 0 ? 0 : (int)(h % ((uint32_t)count + 1));
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int monitored = !strcmp(argv[1], "sent"), cases = atoi(argv[3]);
  state = strtoull(argv[2], 0, 10) * 7919;
  int world, me;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm comms[4] = {MPI_COMM_WORLD};
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 0, me, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, me < world / 2, me * 7 % world, &comms[3]);
  /* A ring along one dimension, and in the other one each rank is its own neighbour on both sides. */
  const int lengths[] = {world, 1}, periodic[] = {1, 1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periodic, 0, &grid);
  /* The first five can be reduced. */
  MPI_Datatype types[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_DOUBLE_INT, 0, 0, 0};
  MPI_Type_contiguous(3, MPI_INT, &types[5]);
  MPI_Type_vector(2, 3, 5, MPI_INT, &types[6]);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &types[7]);
  for (int t = 5; t < 8; t++) MPI_Type_commit(&types[t]);
  char *a = calloc(1, room), *b = calloc(1, room);
  unsigned long* all = calloc(2 * (size_t)world * (size_t)world, sizeof *all);
  for (int n = 0; n < cases; n++) {
    const int kind = (int)chance(22), which = (int)chance(4),
              reduces = kind == 1 || kind == 2 || (kind >= reduce_scatter && kind < 16);
    const int t = (int)chance(reduces ? 5 : 8), in_place = chance(4) == 0;
    const MPI_Comm c = kind >= neighbours ? grid : comms[which];
    int ranks, rank, count = (int)chance(1u << chance(17));
    MPI_Comm_size(c, &ranks);
    MPI_Comm_rank(c, &rank);
    MPI_Aint low, extent;
    MPI_Type_get_extent(types[t], &low, &extent);
    if ((MPI_Aint)count * extent * world > room / 2) count = (int)(room / 2 / world / extent);
    const int root = (int)chance(most) % ranks;
    const uint32_t salt = chance(1u << 30);
    const MPI_Op op = t == 4 ? MPI_MINLOC : MPI_SUM;
    int gives[most], takes[most], from[most], to[most], given = 0, taken = 0;
    MPI_Datatype each[most];
    for (int r = 0; r < ranks; r++) {
      const int pairs = kind == alltoall_v || kind == alltoall_w, unit = kind == alltoall_w ? (int)extent : 1;
      gives[r] = pairs ? share(salt, rank, r, count, in_place) : share(salt, 0, r, count, 0);
      takes[r] = pairs ? share(salt, r, rank, count, in_place) : gives[r];
      from[r] = given * unit, to[r] = taken * unit;
      given += gives[r], taken += takes[r];
      each[r] = types[t];
    }
    /* What goes to the neighbour above comes from the one below. */
    int up[4], down[4], spread[4];
    MPI_Aint at[4];
    MPI_Datatype four[4];
    for (int side = 0; side < 4; side++) {
      up[side] = share(salt, 0, side, count, 0);
      down[side] = share(salt, 0, side ^ 1, count, 0);
      spread[side] = side * count;
      at[side] = side * count * extent;
      four[side] = types[t];
    }
    void* const own = in_place ? MPI_IN_PLACE : a;
    void* const at_root = in_place && rank == root ? MPI_IN_PLACE : a;
    void* const into_root = in_place && rank == root ? MPI_IN_PLACE : b;
    char name[80];
    sprintf(name, "%d %s comm %d type %d count %d%s", n, kinds[kind], which, t, count,
            in_place && kind < neighbours ? " in place" : "");
    MPI_Barrier(MPI_COMM_WORLD);
    memset(sent, 0, sizeof sent);
    mora_phase_begin(name);
    if (kind == 0) MPI_Bcast(a, count, types[t], root, c);
    if (kind == 1) MPI_Reduce(at_root, b, count, types[t], op, root, c);
    if (kind == 2) MPI_Allreduce(own, b, count, types[t], op, c);
    if (kind == 3) MPI_Gather(at_root, count, types[t], b, count, types[t], root, c);
    if (kind == 4) MPI_Scatter(a, count, types[t], into_root, count, types[t], root, c);
    if (kind == 5) MPI_Allgather(own, count, types[t], b, count, types[t], c);
    if (kind == 6) MPI_Alltoall(own, count, types[t], b, count, types[t], c);
    if (kind == gather_v) MPI_Gatherv(at_root, gives[rank], types[t], b, gives, from, types[t], root, c);
    if (kind == scatter_v) MPI_Scatterv(a, gives, from, types[t], into_root, gives[rank], types[t], root, c);
    if (kind == allgather_v) MPI_Allgatherv(own, gives[rank], types[t], b, gives, from, types[t], c);
    if (kind == alltoall_v) MPI_Alltoallv(own, gives, from, types[t], b, takes, to, types[t], c);
    if (kind == alltoall_w) MPI_Alltoallw(own, gives, from, each, b, takes, to, each, c);
    if (kind == reduce_scatter) MPI_Reduce_scatter(own, b, gives, types[t], op, c);
    if (kind == 13) MPI_Reduce_scatter_block(own, b, count, types[t], op, c);
    if (kind == 14) MPI_Scan(own, b, count, types[t], op, c);
    if (kind == 15) MPI_Exscan(own, b, count, types[t], op, c);
    if (kind == 16) MPI_Barrier(c);
    if (kind == neighbours) MPI_Neighbor_allgather(a, count, types[t], b, count, types[t], c);
    if (kind == 18) MPI_Neighbor_alltoall(a, count, types[t], b, count, types[t], c);
    if (kind == 19)
      MPI_Neighbor_allgatherv(a, up[0], types[t], b, (int[]){up[0], up[0], up[0], up[0]}, spread, types[t], c);
    if (kind == 20) MPI_Neighbor_alltoallv(a, up, spread, types[t], b, down, spread, types[t], c);
    if (kind == 21) MPI_Neighbor_alltoallw(a, up, at, four, b, down, at, four, c);
    mora_phase_end(name);
    if (!monitored) continue;
    unsigned long mine[2 * most];
    memcpy(mine, sent, sizeof mine);
    MPI_Gather(mine, 2 * world, MPI_UNSIGNED_LONG, all, 2 * world, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    if (me == 0) printf("case %s\n", name);
    for (int cell = 0; me == 0 && cell < world * world; cell++)
      if (all[2 * cell] > 0) printf("%d %d %lu %lu\n", cell / world, cell % world, all[2 * cell], all[2 * cell + 1]);
  }
  MPI_Finalize();
  return 0;
}
