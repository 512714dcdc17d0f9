/* Accesses that locks, epochs, messages and collectives order. */
#include "programs.h"

static void fence_in_turn(void) {
  make();
  for (int turn = 0; turn < size; ++turn) {
    MPI_Win_fence(0, win);
    if (rank == turn) put(1, 0);
  }
  MPI_Win_fence(0, win);
  unmake();
}
static void fence_places_apart(void) {
  make();
  MPI_Win_fence(0, win);
  for (int r = 0; r < size; ++r) put(r, rank);
  MPI_Win_fence(0, win);
  unmake();
}
static void fence_gets(void) {
  make();
  MPI_Win_fence(0, win);
  get(0, 3);
  get(1, 3);
  MPI_Win_fence(0, win);
  unmake();
}
static void fence_sums(void) {
  make();
  MPI_Win_fence(0, win);
  add(0, 0, MPI_SUM);
  add(0, 0, MPI_SUM);
  MPI_Win_fence(0, win);
  unmake();
}
static void epochs_in_turn(void) {
  make();
  start_and_post(0, 1);
  start_and_post(2, 1);
  start_and_post(0, 1);
  barrier();
  unmake();
}
static void counter_under_exclusive_locks(void) {
  make();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  get(0, 0);
  MPI_Win_flush(0, win);
  put(0, 0);
  MPI_Win_unlock(0, win);
  barrier();
  unmake();
}
static void gets_under_shared_locks(void) {
  make();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  get(0, 0);
  MPI_Win_unlock(0, win);
  barrier();
  unmake();
}
static void sums_under_shared_locks(void) {
  make();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  add(0, 0, MPI_SUM);
  MPI_Win_unlock(0, win);
  barrier();
  unmake();
}
static void places_apart_under_shared_locks(void) {
  make();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  put(0, rank);
  MPI_Win_unlock(0, win);
  barrier();
  unmake();
}
static void one_reads_under_an_exclusive_lock(void) {
  make();
  const int kind = rank == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  MPI_Win_lock(kind, 1, 0, win);
  if (rank == 0) {
    put(1, 0);
  } else {
    get(1, 0);
  }
  MPI_Win_unlock(1, win);
  barrier();
  unmake();
}
static void unlock_and_barrier(void) {
  make();
  for (int turn = 0; turn < size; ++turn) {
    if (rank == turn) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      put(0, 0);
      MPI_Win_unlock(0, win);
    }
    barrier();
  }
  unmake();
}
static void flush_and_barrier(void) {
  open_all();
  for (int turn = 0; turn < size; ++turn) {
    if (rank == turn) put_and_flush(2, 0);
    barrier();
  }
  close_all();
}
static void flush_and_message(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    send(1);
  } else if (rank == 1) {
    receive(0);
    put_and_flush(2, 0);
  }
  close_all();
}
static void message_by_way_of_another(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    send(3);
  } else if (rank == 3) {
    receive(0);
    send(1);
  } else if (rank == 1) {
    receive(3);
    put_and_flush(2, 0);
  }
  close_all();
}
static void token_round_a_ring(void) {
  open_all();
  if (rank > 0) receive(rank - 1);
  get(2, 0);
  MPI_Win_flush(2, win);
  put_and_flush(2, 0);
  if (rank + 1 < size) send(rank + 1);
  close_all();
}
static void flush_and_broadcast(void) {
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) put_and_flush(2, 0);
  close_all();
}
static void flush_and_reduce(void) {
  open_all();
  put_and_flush(2, rank);
  MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  if (rank == 1) {
    for (int r = 0; r < size; ++r) put_and_flush(2, r);
  }
  close_all();
}
static void flush_and_gather(void) {
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Gather(&value, 1, MPI_INT, results, 1, MPI_INT, 3, MPI_COMM_WORLD);
  if (rank == 3) put_and_flush(2, 0);
  close_all();
}
static void flush_and_scatter(void) {
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Scatter(results, 1, MPI_INT, &result, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 3) put_and_flush(2, 0);
  close_all();
}
static void flush_and_scan(void) {
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Scan(&value, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 3) put_and_flush(2, 0);
  close_all();
}
static void flush_and_alltoallv(void) {
  const int ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
  int data[4] = {0};
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Alltoallv(data, ones, places, MPI_INT, results, ones, places, MPI_INT, MPI_COMM_WORLD);
  if (rank == 3) put_and_flush(2, 0);
  close_all();
}
static void flush_and_neighbours(void) {
  const int all = 4, around = 1;
  int data[2] = {0}, got[2];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &around, 0, &ring);
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Neighbor_alltoall(data, 1, MPI_INT, got, 1, MPI_INT, ring);
  if (rank == 1) put_and_flush(2, 0);
  close_all();
  MPI_Comm_free(&ring);
}
static void flush_and_allgather_of_some(void) {
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &some);
  open_all();
  if (rank == 1) put_and_flush(2, 0);
  MPI_Allgather(&value, 1, MPI_INT, results, 1, MPI_INT, some);
  if (rank == 3) put_and_flush(2, 0);
  close_all();
  MPI_Comm_free(&some);
}
static void flush_and_nonblocking_barrier(void) {
  MPI_Request request;
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) put_and_flush(2, 0);
  close_all();
}
static void receiver_before_synchronous_sender(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    receive(1);
  } else if (rank == 1) {
    MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    put_and_flush(2, 0);
  }
  close_all();
}
static void receiver_before_issend(void) {
  MPI_Request request;
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    receive(1);
  } else if (rank == 1) {
    MPI_Issend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put_and_flush(2, 0);
  }
  close_all();
}
static void probed_message(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    send(1);
  } else if (rank == 1) {
    MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    put_and_flush(2, 0);
    receive(0);
  }
  close_all();
}
static void exchanged_messages(void) {
  open_all();
  if (rank < 2) {
    if (rank == 0) put_and_flush(2, 0);
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 0, &result, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) put_and_flush(2, 0);
  }
  close_all();
}
static void persistent_message(void) {
  MPI_Request request;
  open_all();
  if (rank == 0) {
    MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    put_and_flush(2, 0);
  } else if (rank == 1) {
    MPI_Recv_init(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
  }
  if (rank < 2) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  if (rank == 1) put_and_flush(2, 0);
  close_all();
}
const struct program valid_locks[] = {
    PROGRAM(fence_in_turn),
    PROGRAM(fence_places_apart),
    PROGRAM(fence_gets),
    PROGRAM(fence_sums),
    PROGRAM(epochs_in_turn),
    PROGRAM(counter_under_exclusive_locks),
    PROGRAM(gets_under_shared_locks),
    PROGRAM(sums_under_shared_locks),
    PROGRAM(places_apart_under_shared_locks),
    PROGRAM(one_reads_under_an_exclusive_lock),
    PROGRAM(unlock_and_barrier),
    PROGRAM(flush_and_barrier),
    PROGRAM(flush_and_message),
    PROGRAM(message_by_way_of_another),
    PROGRAM(token_round_a_ring),
    PROGRAM(flush_and_broadcast),
    PROGRAM(flush_and_reduce),
    PROGRAM(flush_and_gather),
    PROGRAM(flush_and_scatter),
    PROGRAM(flush_and_scan),
    PROGRAM(flush_and_alltoallv),
    PROGRAM(flush_and_neighbours),
    PROGRAM(flush_and_allgather_of_some),
    PROGRAM(flush_and_nonblocking_barrier),
    PROGRAM(receiver_before_synchronous_sender),
    PROGRAM(receiver_before_issend),
    PROGRAM(probed_message),
    PROGRAM(exchanged_messages),
    PROGRAM(persistent_message),
    {NULL, NULL},
};
