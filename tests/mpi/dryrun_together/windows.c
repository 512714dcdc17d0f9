/* Windows with real data: every kind of transfer and of synchronisation; what arrives is checked. Passes in a real run,
 * too. */
#include "../dryrun_data/expect.h"

static int next, before;

static void fences(void) {
  int memory[16], got[4] = {0};
  double strided[6], values[3] = {rank + 0.25, rank + 0.5, rank + 0.75};
  MPI_Win win, other;
  MPI_Datatype every_second;
  for (int i = 0; i < 16; i++) memory[i] = 100 * rank + i;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  int mine[4] = {rank, rank + 1, rank + 2, rank + 3};
  MPI_Put(mine, 4, MPI_INT, next, 4, 4, MPI_INT, win);
  MPI_Get(got, 4, MPI_INT, before, 12, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 4; i++) EXPECT(memory[4 + i] == before + i && got[i] == 100 * before + 12 + i);
  MPI_Win_fence(0, win);
  int one = 1, all = rank + 1;
  for (int i = 0; i < size; i++) MPI_Accumulate(&one, 1, MPI_INT, i, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Accumulate(&all, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_MAX, win);
  MPI_Win_fence(0, win);
  EXPECT(memory[0] == 100 * rank + size && memory[1] == (rank == 0 ? (size > 1 ? size : 1) : 100 * rank + 1));
  MPI_Win_free(&win);
  /* three numbers into every second place; the places between stay */
  for (int i = 0; i < 6; i++) strided[i] = -i;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Win_create(strided, sizeof strided, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
  MPI_Win_fence(0, other);
  MPI_Put(values, 3, MPI_DOUBLE, next, 0, 1, every_second, other);
  MPI_Win_fence(0, other);
  for (int i = 0; i < 3; i++) EXPECT(strided[2 * i] == before + 0.25 * (i + 1) && strided[2 * i + 1] == -(2 * i + 1));
  MPI_Win_fence(0, other);
  MPI_Accumulate(values, 3, MPI_DOUBLE, next, 0, 1, every_second, MPI_SUM, other);
  MPI_Win_fence(0, other);
  for (int i = 0; i < 3; i++)
    EXPECT(strided[2 * i] == 2 * (before + 0.25 * (i + 1)) && strided[2 * i + 1] == -(2 * i + 1));
  MPI_Type_free(&every_second);
  MPI_Win_free(&other);
}

static void epochs(void) {
  MPI_Group world, to, from;
  MPI_Win win;
  long* memory;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &next, &to);
  MPI_Group_incl(world, 1, &before, &from);
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int round = 0; round < 3; round++) {
    long value = 1000 * round + rank;
    int flag = 0;
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&value, 1, MPI_LONG, next, round % 2, 1, MPI_LONG, win);
    MPI_Win_complete(win);
    if (round == 1)
      while (!flag) MPI_Win_test(win, &flag);
    else
      MPI_Win_wait(win);
    EXPECT(memory[round % 2] == 1000 * round + before);
  }
  MPI_Win_free(&win);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&world);
}

static void locks(void) {
  MPI_Win win;
  long *memory, one = 1, ticket = -1, total = 0;
  MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < 4; i++) memory[i] = 0;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 10; i++) { /* read, change, write, under a lock */
    long value;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 10; i++) {
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 1, MPI_SUM, win);
    MPI_Win_flush(0, win);
    total += ticket;
  }
  long expected = rank, desired = rank + 1, seen = -1; /* rank after rank */
  do {
    MPI_Compare_and_swap(&desired, &expected, &seen, MPI_LONG, 0, 2, win);
    MPI_Win_flush(0, win);
  } while (seen != expected);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request;
  long old = -1, mine = 5;
  MPI_Rget_accumulate(&mine, 1, MPI_LONG, &old, 1, MPI_LONG, next, 3, 1, MPI_LONG, MPI_REPLACE, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(old == 0);
  MPI_Win_unlock_all(win);
  long sum;
  MPI_Allreduce(&total, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == 10L * size * (10L * size - 1) / 2);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  EXPECT(memory[3] == 5 && (rank != 0 || (memory[0] == 10L * size && memory[1] == 10L * size && memory[2] == size)));
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

static void shared(void) {
  MPI_Comm node;
  MPI_Win win;
  int *mine, unit, node_rank, node_size;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_size(node, &node_size);
  MPI_Win_allocate_shared((node_rank + 1) * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i <= node_rank; i++) mine[i] = 10 * node_rank + i;
  MPI_Win_fence(0, win);
  for (int other = 0; other < node_size; other++) {
    MPI_Aint bytes;
    int* theirs;
    MPI_Win_shared_query(win, other, &bytes, &unit, &theirs);
    EXPECT(bytes == (other + 1) * (MPI_Aint)sizeof(int) && unit == sizeof(int));
    for (int i = 0; i <= other; i++) EXPECT(theirs[i] == 10 * other + i);
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

static void dynamic(void) {
  MPI_Win win;
  MPI_Aint address, theirs;
  int memory[3] = {rank, -1, -1}, got = -1;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, before, 1, &theirs, 1, MPI_AINT, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, next, theirs + (MPI_Aint)sizeof(int), 1, MPI_INT, win);
  MPI_Get(&got, 1, MPI_INT, next, theirs, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  EXPECT(memory[1] == before && memory[2] == -1 && got == next);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  fences();
  epochs();
  if (argc == 1) locks(); /* how often one tries is a matter of time */
  shared();
  dynamic();
  return finish();
}
