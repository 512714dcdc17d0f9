/* What the entry points of GCC's OpenMP library have in common (GNU Offloading and Multi Processing Runtime Library,
 * chapter "The libgomp ABI"; libgomp_g.h of GCC 12): the way to the library, and records around a call of it. */
#ifndef MORA_MEASURE_OPENMP_LIBGOMP_H
#define MORA_MEASURE_OPENMP_LIBGOMP_H

#include "measure/call/library.h"
#include "measure/openmp/teams.h"

#define REAL(name)                                                        \
  ({                                                                      \
    static __typeof__(&(name)) known;                                     \
    __typeof__(&(name)) real = __atomic_load_n(&known, __ATOMIC_RELAXED); \
    if (__builtin_expect(!real, 0)) {                                     \
      real = (__typeof__(&(name)))mora_find_next(#name, "libgomp.so.1");  \
      __atomic_store_n(&known, real, __ATOMIC_RELAXED);                   \
    }                                                                     \
    real;                                                                 \
  })

#define SITE __builtin_return_address(0)
#define FRAME __builtin_frame_address(0)
#define LIST(...) __VA_ARGS__

typedef void work_of(void*);

/* Functions of the recorder that call the program's part of a team or a task: stacks end there (measure/stack). */
#define CALLS_PART __attribute__((noinline, section("mora_parts")))

/* One record; whoever asks has its frame until then, which a call in its last place would not have. */
#define WRITE(...)                \
  do {                            \
    mora_sync_write(__VA_ARGS__); \
    __asm__ volatile("");         \
  } while (0)

static inline uint64_t mora_gomp_now(void) { return mora_runtime_tells ? 0 : mora_sync_now(); }

/* Of the calling thread, in the innermost part or task: loops and sections that were begun and have not ended. */
extern MORA_HIDDEN __thread unsigned mora_gomp_workshares;
/* When its last task ended. */
extern MORA_HIDDEN __thread uint64_t mora_gomp_task_ended;

/* A call that is not recorded leaves no frame of ours: the library may tell where it was called. A wait in which the
 * thread may execute tasks, which may call MPI: two records around it. `keep` and `give`: of the result; `end`: the
 * object of the second one. */
#define WAIT_OF(result, name, PARAMETERS, ARGUMENTS, kind, end, keep, give)  \
  MORA_EXPORT result name(PARAMETERS);                                       \
  result name(PARAMETERS) {                                                  \
    const uint64_t object_of_end = (uint64_t)(end);                          \
    const uint64_t begin = mora_gomp_now();                                  \
    if (!begin) return REAL(name)(ARGUMENTS);                                \
    WRITE(kind, MORA_SYNC_BEGIN, begin, 0, SITE, FRAME);                     \
    keep REAL(name)(ARGUMENTS);                                              \
    WRITE(kind, MORA_SYNC_END, mora_sync_now(), object_of_end, SITE, FRAME); \
    give                                                                     \
  }
#define WAIT(name, PARAMETERS, ARGUMENTS, kind, end) WAIT_OF(void, name, PARAMETERS, ARGUMENTS, kind, end, , )

#endif
