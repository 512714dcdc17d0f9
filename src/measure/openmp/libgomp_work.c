/* Work that GCC's OpenMP library shares out: loops whose parts are given out, sections, and single parts with a value
 * for all. Loops of fixed parts, other single parts and master have no entry point where they begin or end: the
 * compiler writes them out. */
#include "measure/openmp/libgomp.h"

__thread unsigned mora_gomp_workshares;

/* Their ends call with no more than that, so they belong to the innermost one. */
static inline int end_of_workshare(void) { return mora_gomp_workshares > 0 ? (int)mora_gomp_workshares-- : 0; }

#define BEGINS(result, name, PARAMETERS, ARGUMENTS, kind) \
  MORA_EXPORT result name(LIST PARAMETERS);               \
  result name(LIST PARAMETERS) {                          \
    const uint64_t now = mora_gomp_now();                 \
    if (now) {                                            \
      mora_gomp_workshares++;                             \
      WRITE(kind, MORA_SYNC_BEGIN, now, 0, SITE, FRAME);  \
    }                                                     \
    return REAL(name) ARGUMENTS;                          \
  }

typedef unsigned long long ull;

/* `name` with the parameters between the loop and where its first part is to be written; of both kinds of numbers. */
#define LOOP(name, FURTHER, GIVEN)                                                                                 \
  BEGINS(_Bool, GOMP_loop_##name##_start, (long start, long end, long step LIST FURTHER, long* first, long* last), \
         (start, end, step LIST GIVEN, first, last), MORA_SYNC_LOOP)
#define LOOP_ULL(name, FURTHER, GIVEN)                                                   \
  BEGINS(_Bool, GOMP_loop_ull_##name##_start,                                            \
         (_Bool up, ull start, ull end, ull step LIST FURTHER, ull * first, ull * last), \
         (up, start, end, step LIST GIVEN, first, last), MORA_SYNC_LOOP)
#define LOOP_IN_CHUNKS(name)            \
  LOOP(name, (, long chunk), (, chunk)) \
  LOOP_ULL(name, (, ull chunk), (, chunk))
#define LOOP_OF_RUNTIME(name) \
  LOOP(name, (), ())          \
  LOOP_ULL(name, (), ())

LOOP_IN_CHUNKS(static)
LOOP_IN_CHUNKS(dynamic)
LOOP_IN_CHUNKS(guided)
LOOP_IN_CHUNKS(nonmonotonic_dynamic)
LOOP_IN_CHUNKS(nonmonotonic_guided)
LOOP_IN_CHUNKS(ordered_static)
LOOP_IN_CHUNKS(ordered_dynamic)
LOOP_IN_CHUNKS(ordered_guided)
LOOP_OF_RUNTIME(runtime)
LOOP_OF_RUNTIME(nonmonotonic_runtime)
LOOP_OF_RUNTIME(maybe_nonmonotonic_runtime)
LOOP_OF_RUNTIME(ordered_runtime)

/* Any schedule; with reductions of tasks. */
#define LOOP_OF_ANY(name, ull_name)                                                                                   \
  BEGINS(_Bool, name,                                                                                                 \
         (long start, long end, long step, long schedule, long chunk, long* first, long* last, uintptr_t* reductions, \
          void** memory),                                                                                             \
         (start, end, step, schedule, chunk, first, last, reductions, memory), MORA_SYNC_LOOP)                        \
  BEGINS(_Bool, ull_name,                                                                                             \
         (_Bool up, ull start, ull end, ull step, long schedule, ull chunk, ull* first, ull* last,                    \
          uintptr_t* reductions, void** memory),                                                                      \
         (up, start, end, step, schedule, chunk, first, last, reductions, memory), MORA_SYNC_LOOP)
LOOP_OF_ANY(GOMP_loop_start, GOMP_loop_ull_start)
LOOP_OF_ANY(GOMP_loop_ordered_start, GOMP_loop_ull_ordered_start)

/* Iterations that wait for others (depend(sink)). */
#define LOOP_ACROSS(name, FURTHER, FURTHER_ULL, GIVEN)                                                                \
  BEGINS(_Bool, GOMP_loop_doacross_##name, (unsigned loops, long* counts LIST FURTHER, long* first, long* last),      \
         (loops, counts LIST GIVEN, first, last), MORA_SYNC_LOOP)                                                     \
  BEGINS(_Bool, GOMP_loop_ull_doacross_##name, (unsigned loops, ull* counts LIST FURTHER_ULL, ull* first, ull* last), \
         (loops, counts LIST GIVEN, first, last), MORA_SYNC_LOOP)
LOOP_ACROSS(static_start, (, long chunk), (, ull chunk), (, chunk))
LOOP_ACROSS(dynamic_start, (, long chunk), (, ull chunk), (, chunk))
LOOP_ACROSS(guided_start, (, long chunk), (, ull chunk), (, chunk))
LOOP_ACROSS(runtime_start, (), (), ())
#define LOOP_ACROSS_OF_ANY(name, number)                                                            \
  BEGINS(_Bool, name,                                                                               \
         (unsigned loops, number* counts, long schedule, number chunk, number* first, number* last, \
          uintptr_t* reductions, void** memory),                                                    \
         (loops, counts, schedule, chunk, first, last, reductions, memory), MORA_SYNC_LOOP)
LOOP_ACROSS_OF_ANY(GOMP_loop_doacross_start, long)
LOOP_ACROSS_OF_ANY(GOMP_loop_ull_doacross_start, ull)

BEGINS(unsigned, GOMP_sections_start, (unsigned count), (count), MORA_SYNC_SECTIONS)
/* With reductions of tasks. */
BEGINS(unsigned, GOMP_sections2_start, (unsigned count, uintptr_t* reductions, void** memory),
       (count, reductions, memory), MORA_SYNC_SECTIONS)

/* With the barrier the region ends, too: one record for both. */
#define ENDS(what, kind)                                                                               \
  WAIT(GOMP_##what##_end, void, , MORA_SYNC_IMPLICIT_BARRIER, end_of_workshare() > 0)                  \
  WAIT_OF(_Bool, GOMP_##what##_end_cancel, void, , MORA_SYNC_IMPLICIT_BARRIER, end_of_workshare() > 0, \
          const _Bool is_cancelled =, return is_cancelled;)                                            \
  MORA_EXPORT void GOMP_##what##_end_nowait(void);                                                     \
  void GOMP_##what##_end_nowait(void) {                                                                \
    if (end_of_workshare() > 0) {                                                                      \
      const uint64_t now = mora_gomp_now();                                                            \
      if (now) WRITE(kind, MORA_SYNC_END, now, 0, NULL, FRAME);                                        \
    }                                                                                                  \
    REAL(GOMP_##what##_end_nowait)();                                                                  \
  }
ENDS(loop, MORA_SYNC_LOOP)
ENDS(sections, MORA_SYNC_SECTIONS)

/* Who executes the part gets NULL and says when it is done; for the others the call is the wait. Tasks that they
 * execute in it are recorded before that is known: then the wait is what is left behind the last one. */
MORA_EXPORT void* GOMP_single_copy_start(void);
void* GOMP_single_copy_start(void) {
  uint64_t begin = mora_gomp_now();
  if (!begin) return REAL(GOMP_single_copy_start)();
  void* const value = REAL(GOMP_single_copy_start)();
  const uint64_t end = value ? mora_sync_now() : 0;
  if (begin < mora_gomp_task_ended) begin = mora_gomp_task_ended;
  if (end) {
    WRITE(MORA_SYNC_IMPLICIT_BARRIER, MORA_SYNC_BEGIN, begin, 0, SITE, FRAME);
    WRITE(MORA_SYNC_IMPLICIT_BARRIER, MORA_SYNC_END, end, 0, SITE, FRAME);
  }
  return value;
}
WAIT(GOMP_single_copy_end, void* value, value, MORA_SYNC_IMPLICIT_BARRIER, 0)
