/* Epochs of different kinds on one place, in turn. */
#include "epochs.h"

static void fence_then_lock(void) {
  make();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 0) put(2, 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 1) put_locked(2, 0, win);
  barrier();
  unmake();
}
static void fence_then_barrier_then_shared_lock(void) {
  make();
  MPI_Win_fence(0, win);
  add(2, 0, MPI_SUM);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  barrier();
  if (rank == 3) {
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    put(2, 0);
    MPI_Win_unlock(2, win);
  }
  barrier();
  unmake();
}
static void lock_all_then_fence(void) {
  open_all();
  if (rank == 0) put(2, 0);
  MPI_Win_unlock_all(win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 1) put(2, 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_lock_all(0, win);
  if (rank == 3) put(2, 0);
  close_all();
}
static void locks_and_fences_in_turn(void) {
  make();
  for (int turn = 0; turn < size; ++turn) {
    if (rank == turn) put_locked(2, 0, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (rank == (turn + 1) % size) put(2, 0);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  }
  unmake();
}
static void access_epoch_then_lock(void) {
  make();
  if (rank == 0) access_two(0, win);
  if (rank == 2) {
    expose_to(0, win);
    send(1);
  }
  if (rank == 1) {
    receive(2);
    put_locked(2, 0, win);
  }
  barrier();
  unmake();
}
static void lock_then_access_epoch(void) {
  make();
  if (rank == 1) {
    put_locked(2, 0, win);
    send(2);
  }
  if (rank == 2) {
    receive(1);
    expose_to(0, win);
  }
  if (rank == 0) access_two(0, win);
  barrier();
  unmake();
}
static void get_of_an_access_epoch_then_lock(void) {
  make();
  if (rank == 0) {
    MPI_Group target = group_of(2);
    MPI_Win_start(target, 0, win);
    get(2, 0);
    MPI_Win_complete(win);
    MPI_Group_free(&target);
    send(1);
  }
  if (rank == 2) expose_to(0, win);
  if (rank == 2) send(1);
  if (rank == 1) {
    receive(0);
    receive(2);
    put_locked(2, 0, win);
  }
  barrier();
  unmake();
}
static void fence_then_access_epoch(void) {
  make();
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Win_fence(0, win);
    if (rank == 3) put(2, 0);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == turn && rank != 2) access_two(0, win);
    if (rank == 2 && turn != 2) expose_to(turn, win);
  }
  unmake();
}
static void test_then_lock(void) {
  make();
  if (rank == 0) access_two(0, win);
  if (rank == 2) {
    MPI_Group group = group_of(0);
    int flag = 0;
    MPI_Win_post(group, 0, win);
    while (!flag) MPI_Win_test(win, &flag);
    MPI_Group_free(&group);
  }
  barrier();
  if (rank == 1) put_locked(2, 0, win);
  barrier();
  unmake();
}
static void fence_of_one_window_then_lock_of_the_other(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  MPI_Win_fence(0, bytes);
  if (rank == 0) put_into(BYTE, bytes);
  MPI_Win_fence(0, bytes);
  if (rank == 1) put_locked(2, INTEGER, integers);
  free_pair(&bytes, &integers);
}
static void fences_of_two_windows_in_turn(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  MPI_Win_fence(0, bytes);
  MPI_Win_fence(0, integers);
  for (int turn = 0; turn < 3; ++turn) {
    if (rank == turn) put_into(BYTE, bytes);
    MPI_Win_fence(0, bytes);
    if (rank == turn + 1) put_into(INTEGER, integers);
    MPI_Win_fence(0, integers);
  }
  free_pair(&bytes, &integers);
}
static void access_epochs_of_two_windows_in_turn(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  if (rank == 0) access_two(BYTE, bytes);
  if (rank == 1) access_two(INTEGER, integers);
  if (rank == 2) {
    expose_to(0, bytes);
    expose_to(1, integers);
  }
  free_pair(&bytes, &integers);
}
static void windows_at_once_places_apart(void) {
  MPI_Win bytes, integers;
  make_pair(&bytes, &integers);
  MPI_Win_fence(0, bytes);
  if (rank == 0) put_into(BYTE, bytes);
  if (rank == 1) put_locked(2, INTEGER + 1, integers);
  MPI_Win_fence(0, bytes);
  free_pair(&bytes, &integers);
}

const struct program valid_epochs[] = {
    PROGRAM(fence_then_lock),
    PROGRAM(fence_then_barrier_then_shared_lock),
    PROGRAM(lock_all_then_fence),
    PROGRAM(locks_and_fences_in_turn),
    PROGRAM(access_epoch_then_lock),
    PROGRAM(lock_then_access_epoch),
    PROGRAM(get_of_an_access_epoch_then_lock),
    PROGRAM(fence_then_access_epoch),
    PROGRAM(test_then_lock),
    PROGRAM(fence_of_one_window_then_lock_of_the_other),
    PROGRAM(fences_of_two_windows_in_turn),
    PROGRAM(access_epochs_of_two_windows_in_turn),
    PROGRAM(windows_at_once_places_apart),
    {NULL, NULL},
};
