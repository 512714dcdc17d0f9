/* Accesses that completion at the origin, atomics and other windows order, and places that are apart. */
#include "programs.h"

static void put_where_a_request_fetched(void) {
  MPI_Request request;
  open_all();
  if (rank == 0) {
    MPI_Rget(&result, 1, MPI_INT, 2, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put(2, 0);
    MPI_Win_flush(2, win);
    MPI_Rget_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, 2, 4, 1, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put(2, 4);
  }
  close_all();
}
static void put_where_a_get_is_there(void) {
  open_all();
  if (rank == 0) {
    get(2, 0);
    MPI_Win_flush_local(2, win);
    put(2, 0);
    MPI_Get_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, 2, 4, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_local_all(win);
    put(2, 4);
  }
  close_all();
}
static void gets_awaited_before_the_message(void) {
  MPI_Request requests[2];
  open_all();
  if (rank == 0) {
    MPI_Rget(results, 1, MPI_INT, 2, 0, 1, MPI_INT, win, requests);
    MPI_Rget(results + 1, 1, MPI_INT, 2, 0, 1, MPI_INT, win, requests + 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    send(1);
  } else if (rank == 1) {
    receive(0);
    put(2, 0);
  }
  close_all();
}
static void request_put_and_flush(void) {
  MPI_Request request;
  open_all();
  if (rank == 0) {
    MPI_Rput(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    send(1);
  } else if (rank == 1) {
    receive(0);
    get(2, 0);
  }
  close_all();
}
/* Waits until place 8 at rank 3 is `wanted`. */
static void await_flag(int wanted) {
  do {
    MPI_Fetch_and_op(NULL, &result, MPI_INT, 3, 8, MPI_NO_OP, win);
    MPI_Win_flush(3, win);
  } while (result != wanted);
}
static void flag_of_accumulates(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    add(3, 8, MPI_REPLACE);
    MPI_Win_flush(3, win);
  } else if (rank == 1) {
    await_flag(1);
    put_and_flush(2, 0);
  }
  barrier();
  close_all();
}
static void spin_lock(void) {
  const int free_value = 0;
  open_all();
  do {
    MPI_Compare_and_swap(&value, &free_value, &result, MPI_INT, 3, 8, win);
    MPI_Win_flush(3, win);
  } while (result != 0);
  get(2, 0);
  MPI_Win_flush(2, win);
  put_and_flush(2, 0);
  MPI_Accumulate(&free_value, 1, MPI_INT, 3, 8, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush(3, win);
  barrier();
  close_all();
}
static void ticket_lock(void) {
  int ticket;
  open_all();
  MPI_Fetch_and_op(&value, &ticket, MPI_INT, 3, 9, MPI_SUM, win);
  MPI_Win_flush(3, win);
  await_flag(ticket);
  put_and_flush(2, 0);
  MPI_Accumulate(&value, 1, MPI_INT, 3, 8, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(3, win);
  barrier();
  close_all();
}
static void counter_of_all(void) {
  open_all();
  for (int i = 0; i < 3; ++i) {
    MPI_Fetch_and_op(&value, &result, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
  }
  MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
  close_all();
}
static void lock_of_another_window(void) {
  MPI_Win mutex;
  int* unused;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &mutex);
  open_all();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, mutex);
  put_and_flush(2, 0);
  MPI_Win_unlock(3, mutex);
  close_all();
  MPI_Win_free(&mutex);
}
static void fence_of_another_window(void) {
  MPI_Win other;
  int* unused;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &other);
  open_all();
  for (int turn = 0; turn < size; ++turn) {
    if (rank == turn) put_and_flush(2, 0);
    MPI_Win_fence(0, other);
  }
  close_all();
  MPI_Win_free(&other);
}
static void epoch_of_another_window(void) {
  MPI_Win other = MPI_WIN_NULL, mine;
  int* unused;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &other);
  open_all();
  mine = win;
  if (rank == 0) put_and_flush(2, 0);
  win = other;
  start_and_post(0, 1);
  win = mine;
  if (rank == 1) put_and_flush(2, 0);
  close_all();
  MPI_Win_free(&other);
}
static void windows_of_memories_apart(void) {
  MPI_Win other;
  int* unused;
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &other);
  make();
  if (rank < 2) {
    const MPI_Win one = rank == 0 ? win : other;
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, one);
    MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, one);
    MPI_Win_unlock(2, one);
  }
  barrier();
  unmake();
  MPI_Win_free(&other);
}
static void two_windows_over_one_memory(void) {
  MPI_Win one, other;
  MPI_Win_create(shared_memory, sizeof shared_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &one);
  MPI_Win_create(shared_memory, sizeof shared_memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, one);
    MPI_Put(&value, 1, MPI_INT, 2, 1, 1, MPI_INT, one);
    MPI_Win_unlock(2, one);
  }
  barrier();
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, other);
    MPI_Put(&value, 1, MPI_INT, 2, 4, 1, MPI_INT, other);
    MPI_Win_unlock(2, other);
  }
  barrier();
  MPI_Win_free(&other);
  MPI_Win_free(&one);
}
static void one_window_after_the_other(void) {
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Win one;
    MPI_Win_create(shared_memory, sizeof shared_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &one);
    if (rank == turn) {
      MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, one);
      MPI_Put(&value, 1, MPI_INT, 2, 1, 1, MPI_INT, one);
      MPI_Win_unlock(2, one);
    }
    MPI_Win_free(&one);
  }
}
static void strides_between_each_other(void) {
  MPI_Datatype stride;
  MPI_Type_vector(4, 1, 4, MPI_INT, &stride);
  MPI_Type_commit(&stride);
  open_all();
  MPI_Put(results, 4, MPI_INT, 2, rank, 1, stride, win);
  close_all();
  MPI_Type_free(&stride);
}
static void dynamic_memory(void) {
  MPI_Aint here, addresses[4];
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, shared_memory, sizeof shared_memory);
  MPI_Get_address(shared_memory, &here);
  MPI_Allgather(&here, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == turn) {
      MPI_Put(&value, 1, MPI_INT, 2, addresses[2], 1, MPI_INT, win);
      MPI_Win_flush(2, win);
    }
    barrier();
  }
  MPI_Win_unlock_all(win);
  MPI_Win_detach(win, shared_memory);
  MPI_Win_free(&win);
}
static void locks_that_are_not_checked(void) {
  make();
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == turn) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, MPI_MODE_NOCHECK, win);
      put(2, 0);
      MPI_Win_unlock(2, win);
    }
    barrier();
  }
  unmake();
}
static void look_at_own_memory(void) {
  open_all();
  if (rank == 0) {
    put_and_flush(2, 0);
    put_and_flush(2, 1);
  } else if (rank == 2) {
    volatile int* flag = memory + 1;
    do {
      MPI_Win_sync(win);
      MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &result, MPI_STATUS_IGNORE); /* progress */
    } while (*flag == 0);
    send(1);
  } else if (rank == 1) {
    receive(2);
    put_and_flush(2, 0);
  }
  barrier();
  close_all();
}
static void lock_handed_on_with_nothing_done(void) {
  make();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    put(2, 0);
    MPI_Win_unlock(2, win);
    send(1);
  } else if (rank == 1) {
    receive(0);
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    put(2, 0);
    MPI_Win_unlock(2, win);
  }
  barrier();
  unmake();
}

/* In turn at one place, at once at places apart. */
static void windows_over_one_memory(enum first_kind kind) {
  MPI_Win first, second;
  MPI_Aint place;
  make_two(kind, &first, &second, &place);
  if (rank == 0) put_locked(2, place + 4 * (MPI_Aint)sizeof(int), first);
  barrier();
  if (rank == 1) put_locked(2, 4, second);
  if (rank == 3) put_locked(2, place + 5 * (MPI_Aint)sizeof(int), first);
  free_two(kind, &first, &second);
}
static void created_twice(void) { windows_over_one_memory(CREATED); }
static void allocated_and_created(void) { windows_over_one_memory(ALLOCATED); }
static void shared_and_created(void) { windows_over_one_memory(SHARED); }
static void dynamic_and_created(void) { windows_over_one_memory(DYNAMIC); }

const struct program valid_others[] = {
    PROGRAM(put_where_a_request_fetched),
    PROGRAM(put_where_a_get_is_there),
    PROGRAM(gets_awaited_before_the_message),
    PROGRAM(request_put_and_flush),
    PROGRAM(flag_of_accumulates),
    PROGRAM(spin_lock),
    PROGRAM(ticket_lock),
    PROGRAM(counter_of_all),
    PROGRAM(lock_of_another_window),
    PROGRAM(fence_of_another_window),
    PROGRAM(epoch_of_another_window),
    PROGRAM(windows_of_memories_apart),
    PROGRAM(two_windows_over_one_memory),
    PROGRAM(one_window_after_the_other),
    PROGRAM(strides_between_each_other),
    PROGRAM(dynamic_memory),
    PROGRAM(locks_that_are_not_checked),
    PROGRAM(look_at_own_memory),
    PROGRAM(lock_handed_on_with_nothing_done),
    PROGRAM(created_twice),
    PROGRAM(allocated_and_created),
    PROGRAM(shared_and_created),
    PROGRAM(dynamic_and_created),
    {NULL, NULL},
};
