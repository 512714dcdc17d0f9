// A method of a template is slow on one rank; it is reached through a std::function.
#include <functional>

#include "burn.h"

volatile double sink, start = 3;

namespace solver {

template <class Number>
struct Grid {
  __attribute__((noinline)) Number relax(double ms) {
    Number x = Number(start);
    const double end = used() + ms * 1e-3;
    do {
      for (int i = 0; i < 20000; i++) x = x * Number(0.999) + Number(0.001);
    } while (used() < end);
    return x;
  }
};

__attribute__((noinline)) void flux(double ms) {
  double x = start;
  const double end = used() + ms * 1e-3;
  do {
    for (int i = 0; i < 20000; i++) x = x * 0.998 + 0.002;
  } while (used() < end);
  sink = x;
}

}  // namespace solver

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  solver::Grid<double> grid;
  const std::function<double(double)> relax = [&](double ms) { return grid.relax(ms); };
  double spent = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) {
    const double begin = now();
    sink = relax(rank == slow_rank ? 23.3 : 1.9);
    spent += now() - begin;
    solver::flux(2.3);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  tell("solver::Grid<double>::relax(double)", "slow_cpp.cpp", 12, 19, nullptr, 0, spent);
  MPI_Finalize();
}
