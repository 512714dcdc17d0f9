// Apart from the program, so that lines of it are not taken for lines of a method that is inlined.
#ifndef SLOW_GRID_H
#define SLOW_GRID_H
#include "burn.h"

extern volatile double start;

#if defined INLINED
#define KIND inline __attribute__((always_inline))
#else
#define KIND __attribute__((noinline))
#endif

namespace solver {

template <class Number>
struct Grid {
  KIND Number relax(double ms) {
    Number x = Number(start);
    const double end = used() + ms * 1e-3;
    do {
      for (int i = 0; i < 20000; i++) x = x * Number(0.999) + Number(0.001);
    } while (used() < end);
    return x;
  }
  __attribute__((noinline)) Number again(double ms);
  int more = 0;
};

enum { first_line = __LINE__ - 12, last_line = __LINE__ - 5 };

}  // namespace solver

#endif
