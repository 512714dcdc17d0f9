/* The entry points of GCC's OpenMP library that make teams and let threads wait. Their arguments are those that GCC
 * gives (GNU Offloading and Multi Processing Runtime Library, chapter "The libgomp ABI"; libgomp_g.h of GCC 12). The
 * versions of their symbols do not matter to the loader, as this library has none. Other libraries that have these
 * entry points, too, tell by themselves (ompt.c). */
#include "measure/openmp/libgomp.h"

/* What the threads of a team are given in place of the compiler's function and its data. GOMP_parallel_reductions
 * reads the first word of the data itself. Stands in the maker's frame, which stays until all have ended. */
struct part {
  void* first_word;
  work_of* work;
  void* data;
  uint64_t team;
};

/* Call paths of a part begin behind its frame (src/experiment/code/stacks.cpp). */
static CALLS_PART void execute_part(void* given) {
  const struct part* part = given;
  const uint64_t team = part->team;
  const unsigned around = mora_gomp_workshares;
  mora_gomp_workshares = 0;
  const int is_recorded = mora_team_begin(team);
  part->work(part->data);
  if (is_recorded) mora_team_end(team);
  mora_gomp_workshares = around;
}

int omp_get_max_threads(void);

/* A new team, with the function and the data that its threads are to be given; 0: it is not recorded. */
static inline int fork_team(struct part* part, work_of* work, void* data, unsigned threads, void* site,
                            const void* frame) {
  if (!mora_teams_are_recorded() || mora_runtime_tells) return 0;
  part->work = work;
  part->data = data;
  part->first_word = data ? *(void**)data : NULL;
  part->team = mora_team_fork(threads != 0 ? threads : (unsigned)REAL(omp_get_max_threads)(), site, frame);
  return part->team != 0;
}

/* GOMP_parallel and its like; the lists are of what stands behind the number of threads. A call that is not recorded
 * leaves no frame of ours. `keep` and `give`: of the result. */
#define PARALLEL(result, name, PARAMETERS, ARGUMENTS, keep, give)                                                    \
  MORA_EXPORT result name(work_of*, void*, unsigned, LIST PARAMETERS);                                               \
  result name(work_of* work, void* data, unsigned threads, LIST PARAMETERS) {                                        \
    struct part part;                                                                                                \
    if (!fork_team(&part, work, data, threads, SITE, FRAME)) return REAL(name)(work, data, threads, LIST ARGUMENTS); \
    keep REAL(name)(execute_part, &part, threads, LIST ARGUMENTS);                                                   \
    mora_team_join(part.team);                                                                                       \
    give                                                                                                             \
  }

PARALLEL(void, GOMP_parallel, (unsigned flags), (flags), , )
PARALLEL(unsigned, GOMP_parallel_reductions, (unsigned flags), (flags), const unsigned made =, return made;)
PARALLEL(void, GOMP_parallel_sections, (unsigned count, unsigned flags), (count, flags), , )

#define PARALLEL_LOOP(kind)                                                                                \
  PARALLEL(void, GOMP_parallel_loop_##kind, (long start, long end, long step, long chunk, unsigned flags), \
           (start, end, step, chunk, flags), , )
#define PARALLEL_LOOP_OF_RUNTIME(kind)                                                         \
  PARALLEL(void, GOMP_parallel_loop_##kind, (long start, long end, long step, unsigned flags), \
           (start, end, step, flags), , )

PARALLEL_LOOP(static)
PARALLEL_LOOP(dynamic)
PARALLEL_LOOP(guided)
PARALLEL_LOOP(nonmonotonic_dynamic)
PARALLEL_LOOP(nonmonotonic_guided)
PARALLEL_LOOP_OF_RUNTIME(runtime)
PARALLEL_LOOP_OF_RUNTIME(nonmonotonic_runtime)
PARALLEL_LOOP_OF_RUNTIME(maybe_nonmonotonic_runtime)

WAIT(GOMP_barrier, void, , MORA_SYNC_BARRIER, 0)
WAIT_OF(_Bool, GOMP_barrier_cancel, void, , MORA_SYNC_BARRIER, 0, const _Bool is_cancelled =, return is_cancelled;)

/* What only one thread has at a time: one record when it has it, one before it gives it up (at a `site` where that is a
 * call of the program). */
#define TAKE(name, kind, PARAMETERS, ARGUMENTS, object)                       \
  MORA_EXPORT void name(PARAMETERS);                                          \
  void name(PARAMETERS) {                                                     \
    const uint64_t begin = mora_gomp_now();                                   \
    if (!begin) {                                                             \
      REAL(name)(ARGUMENTS);                                                  \
      return;                                                                 \
    }                                                                         \
    REAL(name)(ARGUMENTS);                                                    \
    WRITE(kind, MORA_SYNC_ACQUIRED, begin, (uintptr_t)(object), SITE, FRAME); \
  }
#define GIVE(name, kind, PARAMETERS, ARGUMENTS, object, site)                        \
  MORA_EXPORT void name(PARAMETERS);                                                 \
  void name(PARAMETERS) {                                                            \
    const uint64_t now = mora_gomp_now();                                            \
    if (now) WRITE(kind, MORA_SYNC_RELEASED, now, (uintptr_t)(object), site, FRAME); \
    REAL(name)(ARGUMENTS);                                                           \
  }

TAKE(GOMP_critical_start, MORA_SYNC_CRITICAL, void, , 0)
GIVE(GOMP_critical_end, MORA_SYNC_CRITICAL, void, , 0, NULL)
TAKE(GOMP_critical_name_start, MORA_SYNC_CRITICAL, void** name, name, name)
GIVE(GOMP_critical_name_end, MORA_SYNC_CRITICAL, void** name, name, name, NULL)
TAKE(GOMP_ordered_start, MORA_SYNC_ORDERED, void, , 0)
GIVE(GOMP_ordered_end, MORA_SYNC_ORDERED, void, , 0, NULL)

/* In C and in Fortran. */
#define LOCK(set, unset)                            \
  TAKE(set, MORA_SYNC_LOCK, void* lock, lock, lock) \
  GIVE(unset, MORA_SYNC_LOCK, void* lock, lock, lock, SITE)

LOCK(omp_set_lock, omp_unset_lock)
LOCK(omp_set_lock_, omp_unset_lock_)
LOCK(omp_set_nest_lock, omp_unset_nest_lock)
LOCK(omp_set_nest_lock_, omp_unset_nest_lock_)
