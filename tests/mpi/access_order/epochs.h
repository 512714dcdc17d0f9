/* Epochs of different kinds, on one window or on two over one memory (integers 4 and on of process 2). */
#include "programs.h"

static inline void put_into(int place, MPI_Win where) { MPI_Put(&value, 1, MPI_INT, 2, place, 1, MPI_INT, where); }
static inline MPI_Group group_of(int member) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &member, &one);
  MPI_Group_free(&all);
  return one;
}
static inline void access_two(int place, MPI_Win where) {
  MPI_Group target = group_of(2);
  MPI_Win_start(target, 0, where);
  put_into(place, where);
  MPI_Win_complete(where);
  MPI_Group_free(&target);
}
static inline void expose_to(int origin, MPI_Win where) {
  MPI_Group group = group_of(origin);
  MPI_Win_post(group, 0, where);
  MPI_Win_wait(where);
  MPI_Group_free(&group);
}
/* `bytes` has a displacement unit of 1, `integers` of an int. */
static inline void make_pair(MPI_Win* bytes, MPI_Win* integers) {
  MPI_Aint place;
  make_two(CREATED, bytes, integers, &place);
}
static inline void free_pair(MPI_Win* bytes, MPI_Win* integers) { free_two(CREATED, bytes, integers); }
enum { BYTE = 4 * sizeof(int), INTEGER = 4 }; /* one place */
