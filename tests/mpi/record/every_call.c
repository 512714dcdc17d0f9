// clang-format off
// (a mark stands on the line of its call)
/* Two or more ranks; every kind of call that docs/formats/otf2.md lists, each once, in a fixed order. The lines of the
 * calls are found by the test through the comments "site:NAME". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, data[64] = {0}, more[64] = {0};
  MPI_Init(&argc, &argv); /* site:MPI_Init */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;

  /* point to point */
  if (rank == 0) {
    MPI_Send(data, 4, MPI_INT, 1, 11, MPI_COMM_WORLD); /* site:MPI_Send */
  } else if (rank == 1) {
    MPI_Recv(data, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site:MPI_Recv */
  }
  MPI_Sendrecv(data, 2, MPI_INT, right, 12, more, 64, MPI_INT, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site:MPI_Sendrecv */
  MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 13, MPI_COMM_WORLD);
  MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request requests[2];
  MPI_Irecv(more, 64, MPI_INT, left, 14, MPI_COMM_WORLD, &requests[0]); /* site:MPI_Irecv */
  MPI_Isend(data, 3, MPI_INT, right, 14, MPI_COMM_WORLD, &requests[1]); /* site:MPI_Isend */
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                        /* site:MPI_Waitall */
  MPI_Recv_init(more, 64, MPI_INT, left, 15, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(data, 0, MPI_INT, right, 15, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests); /* site:MPI_Startall */
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Irecv(more, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* site:MPI_Wait */

  /* collectives */
  MPI_Barrier(MPI_COMM_WORLD);                                                      /* site:MPI_Barrier */
  MPI_Bcast(data, 5, MPI_INT, 1, MPI_COMM_WORLD);                                   /* site:MPI_Bcast */
  MPI_Allreduce(MPI_IN_PLACE, data, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);           /* site:MPI_Allreduce */
  int* counts = malloc(2 * (size_t)size * sizeof *counts);
  for (int i = 0; i < size; i++) counts[i] = 1, counts[size + i] = i;
  MPI_Alltoallv(data, counts, counts + size, MPI_INT, more, counts, counts + size, MPI_INT, MPI_COMM_WORLD); /* site:MPI_Alltoallv */

  /* communicators: halves, an inter-communicator between them */
  MPI_Comm half, bridge;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : 1, -rank, &half); /* site:MPI_Comm_split */
  MPI_Barrier(half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size - 1 : size / 2 - 1, 5, &bridge);
  MPI_Bcast(data, 1, MPI_INT, rank < size / 2 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : size / 2 - 1, bridge);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&half);
  MPI_Barrier(MPI_COMM_SELF);

  /* one-sided */
  MPI_Win window;
  int* memory;
  MPI_Win_allocate(256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window); /* site:MPI_Win_allocate */
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);                                 /* site:MPI_Win_fence */
  MPI_Put(data, 2, MPI_INT, right, 0, 2, MPI_INT, window);                   /* site:MPI_Put */
  MPI_Get(more, 3, MPI_INT, left, 8, 3, MPI_INT, window);                    /* site:MPI_Get */
  MPI_Win_fence(0, window);
  MPI_Group world, neighbour_right, neighbour_left;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &right, &neighbour_right);
  MPI_Group_incl(world, 1, &left, &neighbour_left);
  MPI_Win_post(neighbour_left, 0, window);   /* site:MPI_Win_post */
  MPI_Win_start(neighbour_right, 0, window); /* site:MPI_Win_start */
  MPI_Accumulate(data, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_complete(window); /* site:MPI_Win_complete */
  MPI_Win_wait(window);     /* site:MPI_Win_wait */
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window); /* site:MPI_Win_lock */
  MPI_Put(data, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_unlock(right, window); /* site:MPI_Win_unlock */
  MPI_Win_free(&window);         /* site:MPI_Win_free */
  MPI_Group_free(&world);
  MPI_Group_free(&neighbour_left);
  MPI_Group_free(&neighbour_right);
  free(counts);
  MPI_Finalize(); /* site:MPI_Finalize */
  return 0;
}
