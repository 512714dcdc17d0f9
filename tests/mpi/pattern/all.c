/* What MinI does not record, each kind as a phase, for four ranks. test_pattern.py holds what each must leave. */
#include <mora/mora.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define PHASE(name) \
  for (int once = (mora_phase_begin(name), 1); once; once = 0, mora_phase_end(name), MPI_Barrier(WORLD))

static int rank, size, prev, next;
static int out[64], in[64];
static MPI_Request r[4];

static void wait_for(int n) { MPI_Waitall(n, r, MPI_STATUSES_IGNORE); }

static void messages(void) {
  MPI_Message message;
  MPI_Status status;
  int flag = 0;
  PHASE("sends") {
    char* buffer = malloc(1000 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(buffer, 1000 + MPI_BSEND_OVERHEAD);
    for (int i = 0; i < 2; i++) MPI_Irecv(in + i, 1, MPI_INT, prev, i, WORLD, r + i);
    MPI_Bsend(out, 1, MPI_INT, next, 0, WORLD);
    MPI_Issend(out, 1, MPI_INT, next, 1, WORLD, r + 2);
    wait_for(3);
    MPI_Barrier(WORLD);
    for (int i = 0; i < 2; i++) MPI_Irecv(in + i, 1, MPI_INT, prev, i, WORLD, r + i);
    MPI_Barrier(WORLD);
    MPI_Rsend(out, 1, MPI_INT, next, 0, WORLD);
    MPI_Irsend(out, 1, MPI_INT, next, 1, WORLD, r + 2);
    wait_for(3);
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
    MPI_Sendrecv_replace(in, 2, MPI_INT, next, 0, prev, 0, WORLD, &status);
    if (rank == 0) MPI_Ssend(out, 3, MPI_INT, 1, 0, WORLD);
    if (rank == 1) MPI_Recv(in, 5, MPI_INT, 0, 0, WORLD, &status);
  }
  PHASE("probes") {
    MPI_Isend(out, 2, MPI_INT, next, 4, WORLD, r);
    MPI_Probe(prev, 4, WORLD, &status);
    MPI_Mprobe(MPI_ANY_SOURCE, 4, WORLD, &message, &status);
    MPI_Mrecv(in, 2, MPI_INT, &message, &status);
    wait_for(1);
    MPI_Isend(out, 3, MPI_INT, next, 5, WORLD, r);
    while (!flag) MPI_Improbe(prev, 5, WORLD, &flag, &message, &status);
    MPI_Imrecv(in, 3, MPI_INT, &message, r + 1);
    wait_for(2);
  }
  PHASE("persistent") {
    MPI_Send_init(out, 6, MPI_SHORT, next, 8, WORLD, r);
    MPI_Recv_init(in, 6, MPI_SHORT, MPI_ANY_SOURCE, 8, WORLD, r + 1);
    for (int i = 0; i < 2; i++) {
      MPI_Startall(2, r);
      wait_for(2);
    }
    MPI_Start(r + 1);
    MPI_Start(r);
    wait_for(2);
    MPI_Request_free(r);
    MPI_Request_free(r + 1);
  }
}

static void collectives(void) {
  int ones[4] = {1, 1, 1, 1}, counts[4] = {1, 2, 3, 4}, starts[4] = {0, 1, 3, 6};
  MPI_Datatype ints[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  int places[4] = {0, 4, 8, 12};
  PHASE("rooted") {
    MPI_Bcast(out, 3, MPI_DOUBLE, 2, WORLD);
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : out, in, 2, MPI_INT, MPI_SUM, 1, WORLD);
    MPI_Gather(out, 2, MPI_INT, in, 8, MPI_BYTE, 0, WORLD);
    MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 3, WORLD);
    MPI_Scatterv(out, counts, starts, MPI_INT, in, rank + 1, MPI_INT, 0, WORLD);
  }
  PHASE("rootless") {
    MPI_Allgather(out, 2, MPI_INT, in, 8, MPI_BYTE, WORLD);
    MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, starts, MPI_INT, WORLD);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, WORLD);
    MPI_Alltoallw(out, ones, places, ints, in, ones, places, ints, WORLD);
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, WORLD);
    MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, starts, MPI_INT, WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_FLOAT, MPI_SUM, WORLD);
  }
  PHASE("nonblocking") {
    MPI_Ibarrier(WORLD, r);
    wait_for(1);
    MPI_Ibcast(out, 4, MPI_INT, 1, WORLD, r);
    MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, WORLD, r + 1);
    MPI_Ialltoallv(out, ones, starts, MPI_INT, in + 16, ones, starts, MPI_INT, WORLD, r + 2);
    MPI_Iallgather(out, 1, MPI_INT, in + 32, 1, MPI_INT, WORLD, r + 3);
    wait_for(4);
  }
}

static void topologies(void) {
  MPI_Comm ring, row, graph, pair, inter, merged, group_comm, created;
  MPI_Group world, evens;
  int dims[2] = {2, 2}, periods[2] = {1, 0}, remain[2] = {0, 1};
  int source[1] = {prev}, destination[1] = {next}, counts[1] = {rank + 1}, back[1] = {prev + 1}, at[1] = {0},
      even[2] = {2, 0};
  PHASE("neighbours") {
    MPI_Dist_graph_create_adjacent(WORLD, 1, source, MPI_UNWEIGHTED, 1, destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, graph);
    MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, back, at, MPI_INT, graph);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph, r);
    wait_for(1);
    MPI_Comm_free(&graph);
  }
  PHASE("cartesian") {
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &ring);
    MPI_Cart_sub(ring, remain, &row);
    MPI_Bcast(out, 1, MPI_INT, 0, row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&ring);
  }
  PHASE("groups") {
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 2, even, &evens);
    MPI_Comm_create(WORLD, evens, &created);
    if (created != MPI_COMM_NULL) {
      MPI_Bcast(out, 1, MPI_INT, 0, created);
      MPI_Comm_free(&created);
      MPI_Comm_create_group(WORLD, evens, 3, &group_comm);
      MPI_Comm_free(&group_comm);
    }
    MPI_Group_free(&evens);
    MPI_Group_free(&world);
    MPI_Comm_idup(WORLD, &created, r);
    wait_for(1);
    MPI_Comm_free(&created);
  }
  PHASE("inter") {
    MPI_Comm_split(WORLD, rank / 2, 0, &pair);
    MPI_Intercomm_create(pair, 0, WORLD, rank < 2 ? 2 : 0, 11, &inter);
    MPI_Bcast(out, 3, MPI_INT, rank < 2 ? rank == 1 ? MPI_ROOT : MPI_PROC_NULL : 1, inter);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, inter);
    if (rank == 0) MPI_Send(out, 1, MPI_INT, 1, 0, inter);
    if (rank == 3) MPI_Recv(in, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, rank < 2, &merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&pair);
  }
}

static void windows(void) {
  MPI_Win win;
  int memory[16] = {0};
  PHASE("windows") {
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, 2, MPI_INT, next, 0, 2, MPI_INT, win);
    MPI_Get(in, 3, MPI_INT, prev, 4, 3, MPI_INT, win);
    MPI_Accumulate(out, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Rput(out, 1, MPI_INT, next, 12, 1, MPI_INT, win, r);
    wait_for(1);
    MPI_Fetch_and_op(out, in, MPI_INT, next, 10, MPI_SUM, win);
    MPI_Win_flush(next, win);
    MPI_Win_unlock(next, win);
    MPI_Win_free(&win);
  }
}

static void files(const char* path) {
  MPI_File file;
  MPI_Status status;
  PHASE("files") {
    MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 8, out, 2, MPI_INT, &status);
    MPI_File_iread_at(file, rank * 8, in, 1, MPI_INT, r);
    wait_for(1);
    MPI_File_close(&file);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  prev = (rank + size - 1) % size;
  next = (rank + 1) % size;
  messages();
  collectives();
  topologies();
  windows();
  files(argv[1]);
  PHASE("outer") {
    mora_phase_begin("inner");
    MPI_Barrier(WORLD);
    mora_phase_end("inner");
  }
  MPI_Finalize();
  return 0;
}
