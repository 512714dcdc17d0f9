/* One rank is slow in one function, without frame pointers: built as it is (relax stands here), with the function in a
 * shared library (WITH_LIBRARY), inlined (INLINED), or called from two places of which one is slow (PLACES). */
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

__attribute__((noinline)) static void step(int is_slow) {
#ifdef PLACES
  coarse(1.3);
  fine(is_slow ? 24.3 : 1.7);
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
  tell("relax", "slow_library.c", 7, 14, NULL, spent);
#elif defined INLINED /* what follows the loop is moved into the caller's code */
  tell("relax", "slow.c", first_line, last_line - 1, NULL, spent);
#elif defined PLACES
  tell("relax", "slow.c", first_line, last_line, "fine", spent);
#else
  tell("relax", "slow.c", first_line, last_line, NULL, spent);
#endif
  MPI_Finalize();
  return 0;
}
