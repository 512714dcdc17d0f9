// Calls in functions with C++ names: compiled without -g, the recorder's call sites are these names.
#include <mpi.h>

namespace ring {
template <class T>
struct Exchange {
  __attribute__((noinline)) T step(int rank);
};
template <class T>
T Exchange<T>::step(int rank) {
  double mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum + 1;
}
template struct Exchange<double>;
}  // namespace ring

static __attribute__((noinline)) int hidden() { return MPI_Barrier(MPI_COMM_WORLD) + 1; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double sum = ring::Exchange<double>().step(argc);
  const int last = hidden();
  MPI_Finalize();
  return sum < 0 || last < 0;
}
