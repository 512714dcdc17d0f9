/// Calls that a prediction only approximates: which, how, and how much of the recorded MPI time they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "mpi/function.h"

namespace mora::predict {

struct Unmodelled {
  std::string function;  ///< "MPI_Put"
  std::string how;       ///< what is assumed instead
  std::uint64_t calls = 0;
  Nanoseconds measured = 0;
};

struct UsedWindows {
  std::size_t most_ranks = 0;  ///< of one
  bool shares_locks = false;   ///< some lock is MPI_LOCK_SHARED
};

/// What the replay assumes of the function's calls; empty: they are modelled. `is_measured`: of a call on a window: the
/// machine model knows what it costs. `windows`: of the program.
std::string approximation_of(const mpi::Function& function, bool is_measured, const UsedWindows& windows);

/// "point-to-point", "collective", "one-sided", "file", "other".
std::string kind_of(const mpi::Function& function);

}  // namespace mora::predict
