// A method of a template is slow on one rank: reached through a std::function, in a shared library (WITH_LIBRARY; the
// library itself: IS_LIBRARY), inlined (INLINED), called by two functions of which one is slow (PLACES), through
// virtual methods (DEEP), or by a method that calls itself (RECURSIVE).
#include <functional>

#include "burn.h"

volatile double sink, start = 3;

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

template <class Number>
Number Grid<Number>::again(double ms) {
  return relax(ms) + (more-- > 0 ? again(ms) : start);
}

}  // namespace solver

#if defined IS_LIBRARY

template struct solver::Grid<double>;

#else

#if defined WITH_LIBRARY
extern template struct solver::Grid<double>;
#endif

namespace solver {

__attribute__((noinline)) void flux(double ms) {
  double x = start;
  const double end = used() + ms * 1e-3;
  do {
    for (int i = 0; i < 20000; i++) x = x * 0.998 + 0.002;
  } while (used() < end);
  sink = x;
}

struct Step {
  virtual double pass(double ms) = 0;
  virtual ~Step() = default;
};

/* What each does behind the call keeps it from becoming a jump. */
template <int more>
struct Level : Step {
  Level<more - 1> next;
  double pass(double ms) override { return static_cast<Step&>(next).pass(ms) + start; }
};
template <>
struct Level<0> : Step {
  Grid<double> grid;
  double pass(double ms) override { return grid.relax(ms) + start; }
};

double spent;
Grid<double> grid;
__attribute__((noinline)) void coarse(double ms) { sink = grid.relax(ms) + 1; }
__attribute__((noinline)) void fine(double ms) {
  const double begin = now();
  sink = grid.relax(ms) + 2;
  spent += now() - begin;
}

}  // namespace solver

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if defined DEEP
  solver::Level<6> level;
  solver::Step* const steps_down = &level;
  const std::function<double(double)> relax = [&](double ms) { return steps_down->pass(ms); };
#elif defined RECURSIVE
  const std::function<double(double)> relax = [](double ms) {
    solver::grid.more = 3;
    return solver::grid.again(ms / 4);
  };
#else
  const std::function<double(double)> relax = [](double ms) { return solver::grid.relax(ms); };
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) {
#if defined PLACES
    solver::coarse(1.3);
    solver::fine(rank == slow_rank ? 23.3 : 1.9);
#else
    const double begin = now();
    sink = relax(rank == slow_rank ? 23.3 : 1.9);
    solver::spent += now() - begin;
#endif
    solver::flux(2.3);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const char* const name = "solver::Grid<double>::relax(double)";
  const int first = solver::first_line;
#if defined INLINED /* what follows the loop is moved into the caller's code */
  tell(name, "slow_cpp.cpp", first, solver::last_line - 1, nullptr, 0, solver::spent);
#elif defined PLACES
  tell(name, "slow_cpp.cpp", first, solver::last_line, "solver::fine(double)", 0, solver::spent);
#elif defined DEEP
  tell(name, "slow_cpp.cpp", first, solver::last_line, "solver::Level<0>::pass(double)", 0, solver::spent);
#elif defined RECURSIVE
  tell(name, "slow_cpp.cpp", first, solver::last_line, "solver::Grid<double>::again(double)", 0, solver::spent);
#else
  tell(name, "slow_cpp.cpp", first, solver::last_line, nullptr, 0, solver::spent);
#endif
  MPI_Finalize();
}

#endif
