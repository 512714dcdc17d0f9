/* The windows of this process: handle → entry, with the groups of the epochs that are open. Thread-safe as
 * communicators.h. */
#ifndef MORA_MEASURE_HANDLES_WINDOWS_H
#define MORA_MEASURE_HANDLES_WINDOWS_H

#include "measure/call/call.h"

struct mora_window {
  uint64_t key;
  uint32_t id;
  uint32_t access_group;   /* from start to complete; UINT32_MAX: none */
  uint32_t exposure_group; /* from post to wait or successful test: both may be open at once */
};

#define MORA_NO_WINDOW UINT32_MAX

/* By the handle's bits; NULL: not known. What is found is what the thread used last. */
struct mora_window* mora_window_search(uint64_t key);
extern MORA_HIDDEN struct mora_window mora_window_none; /* what a thread used last that has used none */

/* NULL for a window we do not know. */
struct mora_window* mora_window_of(MPI_Win win);
uint32_t mora_window_id(MPI_Win win);

/* A new window made by `function` on `comm`: always a new id. `unit`: what this process's displacements count.
 * `is_dynamic`: its memory is what the program attaches. */
uint32_t mora_window_made(MPI_Comm comm, MPI_Win win, unsigned function, int unit, int is_dynamic);

/// Removes a freed window from the table.
void mora_window_forget(uint64_t key);

/* The type of the lock held on (window, target): remembered at lock, for the record of unlock. target -1: lock_all. */
void mora_window_locked(uint32_t window, int target, int exclusive);
int mora_window_unlocked(uint32_t window, int target);

#endif
