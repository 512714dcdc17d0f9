/// Where the recording of a job ends if some process's journals reached their budget (mora record --budget): at one
/// point of all processes, so that no figure compares a process that was recorded with one that was not any more.
#pragma once

#include <cstdint>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "experiment/journals/clock_fit.h"
#include "journal/journal_reader.h"
#include "mpi/function.h"

namespace mora::experiment {

/// What all recorded threads of a process left; without journals the process does not count.
struct ProcessJournals {
  std::vector<const journal::Journal*> journals;
  const ClockFit* clock = nullptr;
  std::vector<archive::ClockOffset> offsets;  ///< to rank 0's clock; empty: it is the same
};

/// A stamp of a process on rank 0's clock.
std::uint64_t on_common(const ProcessJournals& process, std::uint64_t stamp);

/// A call that returns nowhere before it was entered everywhere: no message is sent behind it and received before it.
bool waits_for_all(const mpi::Function& f);

struct CommonEnd {
  std::vector<std::uint64_t> stamps;  ///< by process, on its own clock; empty: no process reached its budget
  std::size_t first = 0;              ///< the process that reached it first
  std::uint64_t stamp = 0;            ///< on rank 0's clock: when the last process is at its end
  std::uint64_t collective =
      0;                  ///< recording ends with this call of MPI_COMM_WORLD that waits for all, from 1; 0: at a time
  unsigned function = 0;  ///< that call's
};

/// The end of the last call on MPI_COMM_WORLD that waits for all and that all processes recorded, if half of what the
/// process recorded that reached its budget first lies before it; else the time when it did. What ends later than that
/// is left out: no call is cut. Reads the journals twice, in so many threads (0: one a processor); O(records).
CommonEnd common_end(const std::vector<ProcessJournals>& processes, unsigned workers);

/// What users are told of it. `begin`: of the job, on rank 0's clock; `lost`: calls that are left out.
QualityRow row_of(const CommonEnd& end, std::uint64_t begin, std::uint64_t lost);

}  // namespace mora::experiment
