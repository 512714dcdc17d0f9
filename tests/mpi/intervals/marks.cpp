// Marks from C++, also to the end of a scope that is left by an exception, and from code at fixed addresses (-no-pie).
#include <mora/mora.h>
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static int fall(int depth) {
  MORA_INTERVAL(depth);   // line: fall
  MORA_REGION("inside");  // line: inside
  if (depth == 0) throw std::runtime_error("deep");
  return fall(depth - 1);
}

template <class Number>
static Number twice(Number number) {
  MORA_REPLICATED(2);  // line: twice
  return 2 * number;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int caught = 0;
  MORA_REGION_BEGIN("all");  // line: all
  try {
    fall(1);
  } catch (const std::runtime_error&) {
    ++caught;
  }
  for (int i = 0; i < 2; ++i)
    if (i == 0)
      MORA_INTERVAL_BEGIN(twice(i + 1));  // line: one statement
    else
      MORA_INTERVAL_END(2);
  MORA_REGION_END("all");
  MPI_Finalize();
  std::printf("caught %d, twice %g\n", caught, twice(2.5));
}
