/* Each has accesses to one place that nothing orders. */
#include "epochs.h"

static void shared_locks(void) {
  make();
  if (rank == 1) usleep(20000);
  if (rank < 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    put(2, 0);
    MPI_Win_unlock(2, win);
  }
  barrier();
  unmake();
}
static void message_before_flush(void) {
  open_all();
  if (rank == 0) {
    put(2, 0);
    send(1);
    MPI_Win_flush(2, win);
  } else if (rank == 1) {
    receive(0);
    put_and_flush(2, 0);
  }
  close_all();
}
static void flush_local_before_message(void) {
  open_all();
  if (rank == 0) {
    put(2, 0);
    MPI_Win_flush_local(2, win);
    send(1);
  } else if (rank == 1) {
    receive(0);
    get(2, 0);
  }
  close_all();
}
static void message_the_other_way(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    receive(1);
  } else if (rank == 1) {
    send(0);
    usleep(20000);
    put_and_flush(2, 0);
  }
  close_all();
}
static void broadcast_the_other_way(void) {
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
  if (rank == 1) {
    usleep(20000);
    put_and_flush(2, 0);
  }
  close_all();
}
static void barrier_before_flush(void) {
  open_all();
  if (rank == 0) put(2, 0);
  barrier();
  if (rank == 0) MPI_Win_flush(2, win);
  if (rank == 1) get(2, 0);
  close_all();
}
static void barrier_of_others(void) {
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &some);
  open_all();
  if (rank == 0) put_and_flush(2, 0);
  MPI_Barrier(some);
  if (rank == 1) put_and_flush(2, 0);
  close_all();
  MPI_Comm_free(&some);
}
static void fence_puts(void) {
  make();
  MPI_Win_fence(0, win);
  if (rank < 2) put(2, 0);
  MPI_Win_fence(0, win);
  unmake();
}
static void fence_sum_and_maximum(void) {
  make();
  MPI_Win_fence(0, win);
  if (rank < 2) add(2, 0, rank == 0 ? MPI_SUM : MPI_MAX);
  MPI_Win_fence(0, win);
  unmake();
}
static void sum_and_replace(void) {
  open_all();
  if (rank < 2) {
    MPI_Fetch_and_op(&value, &result, MPI_INT, 2, 0, rank == 0 ? MPI_SUM : MPI_REPLACE, win);
    MPI_Win_flush(2, win);
  }
  close_all();
}
static void sum_and_get(void) {
  open_all();
  if (rank == 0) add(2, 0, MPI_SUM);
  if (rank == 1) get(2, 0);
  close_all();
}
static void put_before_the_request_is_done(void) {
  MPI_Request request;
  open_all();
  if (rank == 0) {
    MPI_Rget(&result, 1, MPI_INT, 2, 0, 1, MPI_INT, win, &request);
    put(2, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  close_all();
}

/* A lock of one window does not keep away those who have locked the other one. */
static void two_windows_at_once(enum first_kind kind) {
  MPI_Win first, second;
  MPI_Aint place;
  make_two(kind, &first, &second, &place);
  if (rank == 0) put_locked(2, place + 4 * (MPI_Aint)sizeof(int), first);
  if (rank == 1) put_locked(2, 4, second);
  free_two(kind, &first, &second);
}
static void two_created_windows(void) { two_windows_at_once(CREATED); }
static void allocated_and_created_window(void) { two_windows_at_once(ALLOCATED); }
static void shared_and_created_window(void) { two_windows_at_once(SHARED); }
static void dynamic_and_created_window(void) { two_windows_at_once(DYNAMIC); }

/* Epochs of other kinds, too, know of nothing but their own window. */
static void lock_beside_a_fence_epoch(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, bytes);
  if (rank == 0) put_into(BYTE, bytes);
  if (rank == 1) put_locked(2, INTEGER, integers);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, bytes);
  free_pair(&bytes, &integers);
}
static void fences_of_two_windows(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  MPI_Win_fence(0, bytes);
  MPI_Win_fence(0, integers);
  if (rank == 0) put_into(BYTE, bytes);
  if (rank == 1) put_into(INTEGER, integers);
  MPI_Win_fence(0, bytes);
  MPI_Win_fence(0, integers);
  free_pair(&bytes, &integers);
}
static void one_process_in_two_fence_epochs(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  MPI_Win_fence(0, bytes);
  MPI_Win_fence(0, integers);
  if (rank == 0) put_into(BYTE, bytes);
  if (rank == 0) put_into(INTEGER, integers);
  MPI_Win_fence(0, bytes);
  MPI_Win_fence(0, integers);
  free_pair(&bytes, &integers);
}
static void lock_before_the_wait(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  if (rank == 0) {
    access_two(BYTE, bytes);
    send(1);
  }
  if (rank == 2) expose_to(0, bytes);
  if (rank == 1) {
    receive(0);
    put_locked(2, INTEGER, integers);
  }
  free_pair(&bytes, &integers);
}

const struct program conflicting[] = {
    PROGRAM(shared_locks),
    PROGRAM(message_before_flush),
    PROGRAM(flush_local_before_message),
    PROGRAM(message_the_other_way),
    PROGRAM(broadcast_the_other_way),
    PROGRAM(barrier_before_flush),
    PROGRAM(barrier_of_others),
    PROGRAM(fence_puts),
    PROGRAM(fence_sum_and_maximum),
    PROGRAM(sum_and_replace),
    PROGRAM(sum_and_get),
    PROGRAM(put_before_the_request_is_done),
    PROGRAM(two_created_windows),
    PROGRAM(allocated_and_created_window),
    PROGRAM(shared_and_created_window),
    PROGRAM(dynamic_and_created_window),
    PROGRAM(lock_beside_a_fence_epoch),
    PROGRAM(fences_of_two_windows),
    PROGRAM(one_process_in_two_fence_epochs),
    PROGRAM(lock_before_the_wait),
    {NULL, NULL},
};
