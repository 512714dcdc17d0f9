/* OpenMP's own interface for tools, which LLVM's library and those made from it have (OpenMP 5.1, chapter 19): the
 * library asks for ompt_start_tool() and then calls back. Declared here is the part that is used.
 *
 * The library leaves open when a worker leaves the barrier at the end of a parallel region; what is recorded is when it
 * gets there, as with libgomp. In that barrier a worker has no return address, and the maker has that of the region. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "journal/openmp_libraries.h"
#include "measure/mpi/mpi_binding.h"
#include "measure/openmp/teams.h"
#include "measure/stack/walk.h"

enum endpoint { at_begin = 1, at_end = 2 };
enum event {
  on_parallel_begin = 3,
  on_parallel_end = 4,
  on_task_create = 5,
  on_task_schedule = 6,
  on_implicit_task = 7,
  on_sync_region_wait = 16,
  on_mutex_released = 17,
  on_work = 20,
  on_masked = 21,
  on_sync_region = 23,
  on_mutex_acquire = 26,
  on_mutex_acquired = 27
};
enum region {
  barrier_of_any_kind = 1,
  barrier_implicit = 2,
  barrier_explicit = 3,
  barrier_within = 4, /* of a construct: copyprivate */
  taskwait = 5,
  taskgroup = 6,
  barrier_of_workshare = 8,
  barrier_of_parallel = 9
};
enum work {
  work_loop = 1,
  work_sections = 2,
  work_single = 3,
  work_taskloop = 7,
  work_loop_static = 10,
  work_loop_other = 13 /* the last one of loops */
};
enum schedule { task_complete = 1, task_yields = 2, task_cancelled = 3, task_detached = 4, task_waits = 7 };
enum mutex { of_lock = 1, of_nest_lock = 3, of_critical = 5, of_ordered = 7 };
enum { initial_task = 1, explicit_task = 4, deepest_nesting = 16 };
/* What the data of a task say that is no team's: where it was made. */
#define MADE_AT (UINT64_C(1) << 63)
enum { begun_from = 48 /* bits of what mora_task_begin gave */, begun_bits = 0xff };
static const unsigned a_team = 0x80000000u;

union data {
  uint64_t value;
  void* pointer;
};
typedef void (*callback_t)(void);
typedef callback_t (*lookup_t)(const char* name);
typedef int (*set_callback_t)(int event, callback_t callback);
struct start_tool_result {
  int (*initialize)(lookup_t lookup, int device, union data* tool);
  void (*finalize)(union data* tool);
  union data tool;
};

int mora_runtime_tells;

/* The regions that this thread makes, and since when it wants a lock. */
static __thread const void* made_at[deepest_nesting];
static __thread unsigned nesting;
static __thread uint64_t wanted_since;

#define FRAME __builtin_frame_address(0)
/* The frame that a callee was given must be there while it runs, so nothing is called in the last place. */
#define KEEP_FRAME __asm__ volatile("")

static void parallel_begin(union data* task, const void* frame, union data* parallel, unsigned threads, int flags,
                           void* site) {
  (void)task, (void)frame;
  if (nesting < deepest_nesting) made_at[nesting] = site;
  nesting++;
  parallel->value = ((unsigned)flags & a_team) != 0 ? mora_team_fork(threads, site, FRAME) : 0;
  KEEP_FRAME;
}

static void parallel_end(union data* parallel, union data* task, int flags, const void* site) {
  (void)task, (void)flags, (void)site;
  if (nesting > 0) nesting--;
  if (parallel->value != 0) mora_team_join(parallel->value);
}

/* A task of a team keeps the team's number, if the thread is recorded. */
static void implicit_task(int endpoint, union data* parallel, union data* task, unsigned threads, unsigned index,
                          int flags) {
  (void)threads, (void)index;
  if (endpoint != at_begin || flags == initial_task) return;
  const uint64_t team = parallel ? parallel->value : 0;
  task->value = team != 0 && mora_team_begin(team) ? team : 0;
}

static void task_create(union data* maker, const void* frame, union data* task, int flags, int has_dependences,
                        void* site) {
  (void)maker, (void)frame, (void)has_dependences;
  if (flags & explicit_task) task->value = MADE_AT | (uintptr_t)mora_called_at(site, FRAME);
  KEEP_FRAME;
}

static void* site_of_task(const union data* task) {
  return (void*)(uintptr_t)(task->value & ((UINT64_C(1) << begun_from) - 1));
}

/* A task that waits stays on the stack of its thread, and what is executed meanwhile stands inside. Of a task of
 * several parts (untied) each begin is told, and only the end of the last: the others end with what is around them. */
static void task_schedule(union data* before, int why, union data* next) {
  const int ends = why == task_complete || why == task_cancelled || why == task_detached;
  if (ends && before && (before->value & MADE_AT)) {
    const int begun = (int)(before->value >> begun_from) & begun_bits;
    if (begun) mora_task_end(begun, site_of_task(before));
  }
  if ((why == task_waits || why == task_yields) && next && (next->value & MADE_AT)) {
    void* site = site_of_task(next);
    next->value = MADE_AT | (uintptr_t)site | (uint64_t)mora_task_begin(site) << begun_from;
  }
}

/* In a frame of its own: in that of who asked where the program called, the library's call is known as the outermost
 * one that is not the program's. */
static __attribute__((noinline)) void write_step(enum mora_sync kind, int endpoint, void* site) {
  const uint64_t now = endpoint == at_begin || endpoint == at_end ? mora_sync_now() : 0;
  if (now) mora_sync_write(kind, endpoint == at_begin ? MORA_SYNC_BEGIN : MORA_SYNC_END, now, 0, site, FRAME);
  KEEP_FRAME;
}

static void work(int kind, int endpoint, union data* parallel, union data* task, uint64_t count, void* site) {
  (void)parallel, (void)task, (void)count;
  const int is_loop = kind == work_loop || (kind >= work_loop_static && kind <= work_loop_other);
  const enum mora_sync sync = is_loop                 ? MORA_SYNC_LOOP
                              : kind == work_sections ? MORA_SYNC_SECTIONS
                              : kind == work_single   ? MORA_SYNC_SINGLE
                              : kind == work_taskloop ? MORA_SYNC_TASKLOOP
                                                      : (enum mora_sync)0;
  if (sync) write_step(sync, endpoint, endpoint == at_begin ? mora_called_at(site, FRAME) : NULL);
  KEEP_FRAME;
}

static void masked(int endpoint, union data* parallel, union data* task, void* site) {
  (void)parallel, (void)task;
  write_step(MORA_SYNC_MASTER, endpoint, endpoint == at_begin ? site : NULL);
  KEEP_FRAME;
}

static int ends_parallel(int kind, const void* site) {
  if (kind == barrier_of_parallel) return 1;
  const int is_mine = nesting > 0 && nesting <= deepest_nesting && site == made_at[nesting - 1];
  return kind == barrier_implicit && (!site || is_mine);
}

static void sync_region(int kind, int endpoint, union data* parallel, union data* task, void* site) {
  (void)parallel;
  const uint64_t team = task ? task->value : 0;
  if (team == 0) return;
  if (ends_parallel(kind, site)) {
    if (endpoint == at_begin) mora_team_end(team);
    return;
  }
  enum mora_sync sync;
  switch (kind) {
    case barrier_of_any_kind:
    case barrier_explicit:
      sync = MORA_SYNC_BARRIER;
      break;
    case barrier_implicit:
    case barrier_within:
    case barrier_of_workshare:
      sync = MORA_SYNC_IMPLICIT_BARRIER;
      break;
    case taskwait:
      sync = MORA_SYNC_TASKWAIT;
      break;
    default:
      return;
  }
  if (site) write_step(sync, endpoint, mora_called_at(site, FRAME));
  KEEP_FRAME;
}

/* A group of tasks is a region from the begin of its block on; the thread waits at the end. */
static void sync_region_wait(int kind, int endpoint, union data* parallel, union data* task, void* site) {
  (void)parallel;
  if (kind == taskgroup && task && task->value != 0 && site)
    write_step(MORA_SYNC_TASKWAIT, endpoint, mora_called_at(site, FRAME));
  KEEP_FRAME;
}

/* 0: not recorded. */
static enum mora_sync sync_of(int mutex) {
  return mutex == of_critical                          ? MORA_SYNC_CRITICAL
         : mutex == of_ordered                         ? MORA_SYNC_ORDERED
         : (mutex == of_lock || mutex == of_nest_lock) ? MORA_SYNC_LOCK
                                                       : (enum mora_sync)0;
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t lock, const void* site) {
  (void)kind, (void)hint, (void)implementation, (void)lock, (void)site;
  wanted_since = mora_sync_now();
}

static void mutex_acquired(int kind, uint64_t lock, void* site) {
  const enum mora_sync sync = sync_of(kind);
  if (sync && wanted_since) mora_sync_write(sync, MORA_SYNC_ACQUIRED, wanted_since, lock, site, FRAME);
  KEEP_FRAME;
}

static void mutex_released(int kind, uint64_t lock, void* site) {
  const enum mora_sync sync = sync_of(kind);
  const uint64_t now = sync ? mora_sync_now() : 0;
  if (now) mora_sync_write(sync, MORA_SYNC_RELEASED, now, lock, sync == MORA_SYNC_LOCK ? site : NULL, FRAME);
  KEEP_FRAME;
}

/* Stacks end in the library. Where it is linked into the program, or into a library that has functions of the program,
 * too, they cannot: these would be ends as well. */
static void end_stacks_in(const void* code) {
  static const char* const names[] = {MORA_OPENMP_LIBRARIES};
  struct dl_find_object module;
  if (_dl_find_object((void*)(uintptr_t)code, &module) != 0) return;
  const char* const slash = strrchr(module.dlfo_link_map->l_name, '/');
  for (size_t i = 0; slash && i < sizeof names / sizeof *names; i++)
    if (strncmp(slash + 1, names[i], strlen(names[i])) == 0)
      mora_stack_end_in((uintptr_t)module.dlfo_map_start, (uintptr_t)module.dlfo_map_end);
}

static int initialize(lookup_t lookup, int device, union data* tool) {
  (void)device, (void)tool;
  const set_callback_t set = (set_callback_t)lookup("ompt_set_callback");
  if (!set) return 0;
  end_stacks_in((const void*)(uintptr_t)lookup);
  set(on_parallel_begin, (callback_t)parallel_begin);
  set(on_parallel_end, (callback_t)parallel_end);
  set(on_implicit_task, (callback_t)implicit_task);
  set(on_task_create, (callback_t)task_create);
  set(on_task_schedule, (callback_t)task_schedule);
  set(on_work, (callback_t)work);
  set(on_masked, (callback_t)masked);
  set(on_sync_region, (callback_t)sync_region);
  set(on_sync_region_wait, (callback_t)sync_region_wait);
  set(on_mutex_acquire, (callback_t)mutex_acquire);
  set(on_mutex_acquired, (callback_t)mutex_acquired);
  set(on_mutex_released, (callback_t)mutex_released);
  mora_runtime_tells = 1;
  return 1;
}

static void finalize(union data* tool) {
  (void)tool;
  mora_stack_end_in(0, 0); /* it may be unloaded */
}

/* A tool that the program brings goes first. */
MORA_EXPORT struct start_tool_result* ompt_start_tool(unsigned version, const char* runtime);
struct start_tool_result* ompt_start_tool(unsigned version, const char* runtime) {
  static struct start_tool_result result = {initialize, finalize, {0}};
  typedef struct start_tool_result* start_tool(unsigned, const char*);
  start_tool* const others = (start_tool*)dlsym(RTLD_NEXT, "ompt_start_tool");
  struct start_tool_result* const theirs = others ? others(version, runtime) : NULL;
  if (theirs) return theirs;
  return getenv("MORA_DIR") && mora_teams_are_wanted() ? &result : NULL;
}
