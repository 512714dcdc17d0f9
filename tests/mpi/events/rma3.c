/* Two processes: passive target synchronisation, requests, atomics, ranges at the target. argv[1]: dynamic, shared:
 * another window; no-swap: without MPI_Compare_and_swap, in which Open MPI 4.1's default component crashes. */
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, dynamic = argc > 1 && strcmp(argv[1], "dynamic") == 0, shared = argc > 1 && strcmp(argv[1], "shared") == 0;
  long* base;
  long value[8] = {1}, result[8], compare = 0;
  MPI_Win win;
  MPI_Request request[4];
  MPI_Datatype holes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int peer = 1 - rank;
  MPI_Type_vector(2, 1, 3, MPI_LONG, &holes); /* size 16, bytes 0-31 */
  MPI_Type_commit(&holes);

  if (dynamic) {
    static long memory[16];
    MPI_Aint address, its;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory + 2, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, peer, 0, &its, 1, MPI_AINT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Put(value, 1, MPI_LONG, peer, its, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, memory);
  } else if (shared) {
    MPI_Win_allocate_shared(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Put(value, 2, MPI_LONG, peer, 1, 2, MPI_LONG, win);
    MPI_Win_sync(win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
  } else {
    /* displacements count bytes on rank 0 and longs on rank 1 */
    const int its_unit = peer == 0 ? 1 : (int)sizeof(long), at = 8 / its_unit;
    MPI_Win_allocate(16 * sizeof(long), rank == 0 ? 1 : sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Put(value, 2, MPI_LONG, peer, at, 1, holes, win);
    MPI_Win_flush_local(peer, win);
    MPI_Get(result, 1, MPI_LONG, peer, 2 * at, 1, MPI_LONG, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_flush(peer, win);
    MPI_Rput(value, 1, MPI_LONG, peer, 0, 1, MPI_LONG, win, &request[0]);
    MPI_Rget(result, 2, MPI_LONG, peer, 0, 2, MPI_LONG, win, &request[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Raccumulate(value, 1, MPI_LONG, peer, 0, 1, MPI_LONG, MPI_SUM, win, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(value, 1, MPI_LONG, result, 1, MPI_LONG, peer, 0, 1, MPI_LONG, MPI_SUM, win, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Get_accumulate(value, 1, MPI_LONG, result, 1, MPI_LONG, peer, at, 1, MPI_LONG, MPI_SUM, win);
    MPI_Fetch_and_op(value, result, MPI_LONG, peer, at, MPI_SUM, win);
    if (argc < 2) MPI_Compare_and_swap(value, &compare, result, MPI_LONG, peer, at, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
