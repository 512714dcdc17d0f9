/* Windows of a dry run. Each has a real window of one process behind it, which stays in a passive epoch from its
 * creation to its end, so that whatever the program does to its own memory is done by the real library at once, typed
 * and exact. Synchronisation waits for no other rank. */
#ifndef MORA_MEASURE_STANDIN_ONE_SIDED_WINDOW_H
#define MORA_MEASURE_STANDIN_ONE_SIDED_WINDOW_H

#include <stddef.h>

#include "measure/standin/core/standin.h"

/* The assumed value of one element at another rank that was fetched and changed. */
struct standin_shadow {
  int target;
  MPI_Aint place;
  size_t n;
  char bytes[32];
  struct standin_shadow* next;
};

/* Ranks of an epoch. */
struct standin_peers {
  int n, *ranks;
};

struct standin_window_target;

struct standin_window {
  MPI_Win handle;
  struct standin_comm comm; /* a copy: its members are this window's own */
  char* base;               /* NULL: dynamic */
  MPI_Aint size;
  int unit, dynamic;
  uint64_t creation; /* key of the sizes of shared windows (registry.h); 0: not shared */
  struct {
    MPI_Aint size;
    int unit;
    char* base;
  } * segments; /* of shared windows, by rank; base NULL: not asked for so far */
  struct standin_shadow* shadows;
  struct standin_window_target* targets; /* by rank, of all ranks together; `segments` are then addresses there */
  struct standin_peers posted, started;
};

/* NULL: the real library's. */
struct standin_window* standin_window_of(MPI_Win win);

#endif
