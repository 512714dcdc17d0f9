/* One rank is slow in one function, without frame pointers: built as it is (relax stands here), with the function in a
 * shared library (WITH_LIBRARY), inlined (INLINED), called by two functions of which one is slow (PLACES), from two
 * lines of one function of which one is slow (LINES), through six others (DEEP), by itself (RECURSIVE), or by the C
 * library (CALLBACK). */
#include "burn.h"

volatile double sink, start = 3;

enum { first_line = __LINE__ + 9 }; /* of relax */

#if defined INLINED
#define KIND static inline __attribute__((always_inline))
#else
#define KIND __attribute__((noinline))
#endif

#ifndef WITH_LIBRARY
KIND double relax(double ms) {
  double x = start;
  const double end = used() + ms * 1e-3;
  do {
    for (int i = 0; i < 20000; i++) x = x * 0.999 + 0.001;
  } while (used() < end);
  return x;
}
enum { last_line = __LINE__ - 1 };
#else
double relax(double ms);
enum { last_line = 0 };
#endif

__attribute__((noinline)) static void flux(double ms) {
  double x = start;
  const double end = used() + ms * 1e-3;
  do {
    for (int i = 0; i < 20000; i++) x = x * 0.998 + 0.002;
  } while (used() < end);
  sink = x;
}

static double spent;

static void timed_relax(double ms) {
  const double begin = now();
  sink = relax(ms);
  spent += now() - begin;
}

__attribute__((noinline)) void coarse(double ms) { sink = relax(ms) + 1; }
__attribute__((noinline)) void fine(double ms) {
  const double begin = now();
  sink = relax(ms) + 2;
  spent += now() - begin;
}

/* Each passes the call on; what it does afterwards keeps the call from becoming a jump. */
#define PASS(name, next) \
  __attribute__((noinline)) static double name(double ms) { return next(ms) + start; }
PASS(level1, relax)
PASS(level2, level1)
PASS(level3, level2)
PASS(level4, level3)
PASS(level5, level4)
PASS(level6, level5)

__attribute__((noinline)) static double again(double ms, int more) {
  return relax(ms) + (more > 0 ? again(ms, more - 1) : start);
}

static double each_ms;
static int by_relaxing(const void* a, const void* b) {
  sink = relax(each_ms);
  return (a > b) - (a < b);
}

static int slow_line;
__attribute__((noinline)) static void step(int is_slow) {
#if defined PLACES
  coarse(1.3);
  fine(is_slow ? 24.3 : 1.7);
#elif defined LINES || defined DEEP || defined RECURSIVE || defined CALLBACK
  const double ms = is_slow ? 24.3 : 1.7;
#ifdef LINES
  sink = relax(1.3);
  sink += start;
#endif
  const double begin = now();
#if defined LINES
  slow_line = __LINE__ + 1;
  sink = relax(ms) + 2;
#elif defined DEEP
  sink = level6(ms);
#elif defined RECURSIVE
  sink = again(ms / 4, 3);
#else
  char two[2] = {1, 2};
  each_ms = ms;
  qsort(two, 2, 1, by_relaxing);
#endif
  spent += now() - begin;
#else
  timed_relax(is_slow ? 23.3 : 1.9);
#endif
  flux(2.3);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank == slow_rank);
#if defined WITH_LIBRARY
  tell("relax", "slow_library.c", 7, 14, NULL, 0, spent);
#elif defined INLINED /* what follows the loop is moved into the caller's code */
  tell("relax", "slow.c", first_line, last_line - 1, NULL, 0, spent);
#elif defined PLACES
  tell("relax", "slow.c", first_line, last_line, "fine", 0, spent);
#elif defined LINES
  tell("relax", "slow.c", first_line, last_line, "step", slow_line, spent);
#elif defined DEEP
  tell("relax", "slow.c", first_line, last_line, "level1", 0, spent);
#elif defined RECURSIVE
  tell("relax", "slow.c", first_line, last_line, "again", 0, spent);
#elif defined CALLBACK
  tell("relax", "slow.c", first_line, last_line, "by_relaxing", 0, spent);
#else
  tell("relax", "slow.c", first_line, last_line, NULL, 0, spent);
#endif
  MPI_Finalize();
  return 0;
}
