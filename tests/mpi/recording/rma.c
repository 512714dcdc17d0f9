/* Four processes: one-sided communication. What must be recorded of it: recorded_rma_test.cpp. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, flag = 0, which[2] = {1, 3};
  double window[256] = {0}, local[256] = {0}, other[256] = {0};
  MPI_Comm pair, self = MPI_COMM_SELF;
  MPI_Group world_group, pair_group, group;
  MPI_Win win;
  MPI_Datatype holes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &holes);
  MPI_Type_commit(&holes);
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Group_incl(world_group, 2, which, &pair_group);
  MPI_Comm_create(MPI_COMM_WORLD, pair_group, &pair); /* {1,3} */
  if (pair != MPI_COMM_NULL) {
    const int me = rank == 3, peer = 1 - me;
    /* fence epoch: rmaids, sizes, nobody */
    MPI_Win_create(window, sizeof window, 8, MPI_INFO_NULL, pair, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (me == 0) {
      MPI_Put(local, 12, MPI_DOUBLE, peer, 0, 2, holes, win);
      MPI_Get(other, 2, holes, peer, 32, 12, MPI_DOUBLE, win);
      MPI_Accumulate(local, 1, MPI_DOUBLE, peer, 100, 1, MPI_DOUBLE, MPI_SUM, win);
      MPI_Put(local, 0, MPI_DOUBLE, peer, 0, 0, MPI_DOUBLE, win);
      MPI_Put(local, 3, MPI_DOUBLE, MPI_PROC_NULL, 0, 3, MPI_DOUBLE, win);
    } else {
      MPI_Get(local, 1, MPI_DOUBLE, peer, 0, 1, MPI_DOUBLE, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    /* the handle's value comes again, the id does not; the group dies while its epoch is open */
    MPI_Win_allocate(800, 8, MPI_INFO_NULL, pair, (void*)&(double*){0}, &win);
    MPI_Win_set_name(win, "second");
    int other_rank = peer;
    MPI_Comm_group(pair, &group);
    MPI_Group single;
    MPI_Group_incl(group, 1, &other_rank, &single);
    if (me == 0) {
      MPI_Win_start(single, 0, win);
      MPI_Group_free(&single);
      MPI_Group_free(&group);
      MPI_Put(local, 2, MPI_DOUBLE, peer, 0, 2, MPI_DOUBLE, win);
      MPI_Win_complete(win);
    } else {
      MPI_Win_post(single, MPI_MODE_NOSTORE, win);
      MPI_Group_free(&single);
      MPI_Group_free(&group);
      MPI_Win_wait(win);
    }
    /* both epochs at once, on the own window */
    MPI_Comm_group(pair, &group);
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    MPI_Put(local, 1, MPI_DOUBLE, me, 9, 1, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    while (!flag) MPI_Win_test(win, &flag);
    /* locks */
    MPI_Barrier(pair);
    if (me == 1) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Get(local, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
      MPI_Win_unlock(0, win);
    }
    MPI_Barrier(pair);
    if (me == 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, win);
      MPI_Put(local, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
      MPI_Win_unlock(1, win);
    }
    MPI_Barrier(pair);
    MPI_Win_free(&win);
  }
  if (argc > 1) { /* Open MPI's default one-sided component refuses it on one node */
    MPI_Win_create_dynamic(MPI_INFO_NULL, self, &win);
    MPI_Win_free(&win);
  }
  MPI_Finalize();
  return 0;
}
