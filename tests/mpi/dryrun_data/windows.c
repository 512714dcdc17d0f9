/* Windows: what a rank does to its own memory is exact; other ranks are assumed to do the same (docs/user/dryrun.md).
 * Runs dry only, with 2 processes or more. */
#include "expect.h"

static void own_memory(MPI_Win win, int* memory) {
  int value = 7 + rank, result = 0;
  MPI_Request request;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, rank, 3, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  EXPECT(memory[3] == 7 + rank);
  MPI_Accumulate(&value, 1, MPI_INT, rank, 3, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  EXPECT(memory[3] == 2 * (7 + rank));
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  MPI_Get(&result, 1, MPI_INT, rank, 3, 1, MPI_INT, win);
  MPI_Win_unlock(rank, win);
  EXPECT(result == memory[3]);
  MPI_Win_lock_all(0, win);
  value = 5;
  MPI_Rput(&value, 1, MPI_INT, rank, 10, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Fetch_and_op(&value, &result, MPI_INT, rank, 10, MPI_SUM, win);
  MPI_Win_flush(rank, win);
  EXPECT(result == 5 && memory[10] == 10);
  MPI_Win_unlock_all(win);
}

static void others_memory(MPI_Win win, int* memory, int other) {
  int value = 70, result = 0, zero = 0, one = 1;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, other, 4, 1, MPI_INT, win); /* the neighbour does the same to us */
  MPI_Win_fence(0, win);
  EXPECT(memory[4] == 70);
  MPI_Get(&result, 1, MPI_INT, other, 3, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  EXPECT(result == memory[3]);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 3; i++) { /* a common counter */
    MPI_Fetch_and_op(&one, &result, MPI_INT, other, 8, MPI_SUM, win);
    MPI_Win_flush(other, win);
    EXPECT(result == i * size);
  }
  MPI_Compare_and_swap(&one, &zero, &result, MPI_INT, other, 9, win); /* a lock is taken, */
  EXPECT(result == 0);
  MPI_Compare_and_swap(&one, &zero, &result, MPI_INT, other, 9, win); /* held, */
  EXPECT(result == 1);
  MPI_Put(&zero, 1, MPI_INT, other, 9, 1, MPI_INT, win); /* and given back */
  MPI_Compare_and_swap(&one, &zero, &result, MPI_INT, other, 9, win);
  EXPECT(result == 0);
  MPI_Win_unlock_all(win);
}

static void group_epochs(MPI_Win win) {
  MPI_Group group;
  int n, flag;
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &n);
  EXPECT(n == size);
  MPI_Win_post(group, 0, win);
  MPI_Win_start(group, 0, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Win_post(group, 0, win);
  MPI_Win_test(win, &flag);
  EXPECT(flag);
  MPI_Group_free(&group);
}

static void shared_memory(void) {
  MPI_Win win;
  MPI_Aint bytes;
  int unit;
  char *own, *first;
  MPI_Win_allocate_shared(rank == 1 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
  MPI_Win_shared_query(win, 1, &bytes, &unit, &first);
  EXPECT(bytes == 64 && unit == 1 && first);
  first[63] = 1;
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first); /* the first segment that is not empty */
  EXPECT(bytes == 64 && first[63] == 1);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  EXPECT(bytes == 0);
  MPI_Win_free(&win);
}

static void dynamic_memory(int other) {
  MPI_Win win;
  MPI_Aint place;
  int memory[4] = {0}, value = 9;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &place);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, rank, place, 1, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, other, place + 4, 1, MPI_INT, win); /* an address of another process */
  MPI_Win_fence(0, win);
  EXPECT(memory[0] == 9 && memory[1] == 0);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  MPI_Win win;
  int *memory, flag, few[4] = {0}, three = 3;
  void* base;
  begin(&argc, &argv);
  const int other = (rank + 1) % size;
  MPI_Win_allocate(16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  EXPECT(flag && base == memory);
  own_memory(win, memory);
  others_memory(win, memory, other);
  group_epochs(win);
  MPI_Win_free(&win);
  EXPECT(win == MPI_WIN_NULL);
  shared_memory();
  dynamic_memory(other);
  MPI_Win_create(few, sizeof few, sizeof few[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(&three, 1, MPI_INT, other, 9, 1, MPI_INT, MPI_SUM,
                 win); /* its window is larger than ours: goes nowhere */
  MPI_Win_fence(0, win);
  EXPECT(few[0] == 0 && few[3] == 0);
  MPI_Win_free(&win);
  return finish();
}
