/* What the programs of access_order share. Every case has a window of its own, 16 integers per process. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct program {
  const char* name;
  void (*run)(void);
};
#define PROGRAM(name) \
  { #name, name }
extern const struct program valid_locks[], valid_others[], valid_epochs[], conflicting[]; /* the last one has no name */

extern int rank, size, value, result, results[4], *memory, shared_memory[16];
extern MPI_Win win;

static inline void make(void) {
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, 16 * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
}
static inline void unmake(void) { MPI_Win_free(&win); }
static inline void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static inline void send(int to) { MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD); }
static inline void receive(int from) { MPI_Recv(&result, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static inline void put(int target, int place) { MPI_Put(&value, 1, MPI_INT, target, place, 1, MPI_INT, win); }
static inline void get(int target, int place) { MPI_Get(&result, 1, MPI_INT, target, place, 1, MPI_INT, win); }
static inline void add(int target, int place, MPI_Op op) {
  MPI_Accumulate(&value, 1, MPI_INT, target, place, 1, MPI_INT, op, win);
}
static inline void open_all(void) {
  make();
  MPI_Win_lock_all(0, win);
}
static inline void close_all(void) {
  MPI_Win_unlock_all(win);
  unmake();
}
static inline void put_and_flush(int target, int place) {
  put(target, place);
  MPI_Win_flush(target, win);
}

static inline void start_and_post(int from, int to) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  if (rank == to) {
    MPI_Group_incl(all, 1, &from, &one);
    MPI_Win_post(one, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&one);
  } else if (rank == from) {
    MPI_Group_incl(all, 1, &to, &one);
    MPI_Win_start(one, 0, win);
    put(to, 0);
    MPI_Win_complete(win);
    MPI_Group_free(&one);
  }
  MPI_Group_free(&all);
}

/* Two windows over one memory: `first` as made, `second` over what the first has at this process. */
enum first_kind { CREATED, ALLOCATED, SHARED, DYNAMIC };
static inline void make_two(enum first_kind kind, MPI_Win* first, MPI_Win* second, MPI_Aint* place_of_first) {
  int* base = shared_memory;
  const MPI_Aint bytes = sizeof shared_memory;
  MPI_Aint here = 0, places[4];
  if (kind == CREATED) MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, first);
  if (kind == ALLOCATED) MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, first);
  if (kind == SHARED) MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, first);
  if (kind == DYNAMIC) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, first);
    MPI_Win_attach(*first, base, bytes);
    MPI_Get_address(base, &here);
  }
  MPI_Allgather(&here, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
  *place_of_first = places[2];
  MPI_Win_create(base, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, second);
  barrier();
}
static inline void free_two(enum first_kind kind, MPI_Win* first, MPI_Win* second) {
  barrier();
  MPI_Win_free(second);
  if (kind == DYNAMIC) MPI_Win_detach(*first, shared_memory);
  MPI_Win_free(first);
}
static inline void put_locked(int target, MPI_Aint place, MPI_Win where) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, where);
  MPI_Put(&value, 1, MPI_INT, target, place, 1, MPI_INT, where);
  MPI_Win_unlock(target, where);
}
