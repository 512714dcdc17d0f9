/* Each has accesses to one place that nothing orders. */
#include "programs.h"

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
    {NULL, NULL},
};
