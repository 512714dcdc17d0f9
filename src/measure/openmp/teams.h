/* Teams of threads: OpenMP's parallel regions, and where their threads wait for each other.
 *
 *   maker     mora_team_fork ─ the runtime's own work ─────────────────────────────► mora_team_join
 *   threads     mora_team_begin ─ their part ─ mora_team_end ─ wait until all have ended
 *
 * Within its part, and in the barrier at its end, a thread waits for others, shares out work and executes tasks:
 *
 *   maker of a task   ─ the library's own work, or mora_task_begin … mora_task_end at once
 *   any thread          mora_sync_write(BARRIER, BEGIN) ─ mora_task_begin ─ the task ─ mora_task_end ─ …(BARRIER, END)
 *
 * The maker of a team is one of the threads. Each record costs a reading of the clock and some stores in the calling
 * thread's own journal; no lock but where a thread is recorded for the first time. Functions that return 0 have written
 * nothing, and their counterpart is not to be called. Not async-signal-safe. */
#ifndef MORA_MEASURE_OPENMP_TEAMS_H
#define MORA_MEASURE_OPENMP_TEAMS_H

#include <stdint.h>

#include "journal/format.h"
#include "measure/call/hidden.h"

/* Whether MORA_OPENMP and the mode of recording ask for teams. */
int mora_teams_are_wanted(void);

/* Recorded between the two; stop also in a forked child. */
void mora_teams_start(void);
void mora_teams_stop(void);

extern MORA_HIDDEN int mora_teams_accepted;
/* Whether teams are recorded now, by any thread. */
static inline int mora_teams_are_recorded(void) { return __atomic_load_n(&mora_teams_accepted, __ATOMIC_RELAXED); }

/* The runtime library itself tells what its threads do (ompt.c): its entry points are not asked (libgomp.c). */
extern MORA_HIDDEN int mora_runtime_tells;

/* A number for a team that the calling thread is about to make, 0: it is not recorded. `threads`: asked for, 0 not
 * known. `site`: return address in the program; `own_frame`: as mora_stack_number() has it. */
uint64_t mora_team_fork(unsigned threads, void* site, const void* own_frame);
void mora_team_join(uint64_t team);

/* The calling thread begins and ends its part of the team's work. */
int mora_team_begin(uint64_t team);
void mora_team_end(uint64_t team);

/* The calling thread executes a task that was made where `site` is, on its stack until the end: what it does in between
 * is inside. `site`: the return address. The begin gives what its end takes, 0, and no end: it is not recorded; the end
 * its time, 0: not recorded. */
int mora_task_begin(void* site);
uint64_t mora_task_end(int begun, void* site);

/* Where the program called, if `site` is in an OpenMP library that tells where it called itself; else, and if stacks
 * are not recorded, `site`. The record is to be written from another frame: in `own_frame` the outermost call of the
 * library stands for the program's. */
void* mora_called_at(void* site, const void* own_frame);

/* Begins a wait of the calling thread: its first reading of the clock, 0: it is not recorded. */
uint64_t mora_sync_now(void);

/* One record. BEGIN and END are two; ACQUIRED lasted from `begin`. `object`: as MORA_SHAPE_SYNC has it. `site`: NULL
 * where something ends that has one. */
void mora_sync_write(enum mora_sync kind, enum mora_sync_step step, uint64_t begin, uint64_t object, void* site,
                     const void* own_frame);

#endif
