/// Which algorithms the library's collective operations have: what was measured beside what each algorithm would take.
///
/// The messages of the algorithm that the library's rules choose (mpi/schedules) take, on the network just calibrated,
/// from a common begin until the last rank is through, so long; and so do those of the other models' algorithms. Where
/// another one is nearer by more than the samples' own interval, the library seems to use another than its rules say:
/// counted and named. Two algorithms of the same time cannot be told apart. Rule calibration-practice. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "predict/calibration/samples.h"
#include "predict/machine/message_model.h"

namespace mora::predict {

struct CollectiveCheck {
  std::string operation;                ///< "allreduce"
  std::vector<std::string> algorithms;  ///< of the library's rules, by size, each once
  std::uint64_t sizes = 0, samples = 0, outliers = 0;
  double median_signed = 0, median_error = 0, ninth_decile_error = 0;  ///< (predicted - measured) / measured
  std::vector<std::string> others;  ///< "24 bytes: ring", where another algorithm is nearer
};

/// `model`: of all pairs of ranks; `library`: as MPI_Get_library_version says it. Empty: the library is not known, or
/// there are no samples.
std::vector<CollectiveCheck> check_collectives(const ClassSamples& samples, std::uint32_t ranks,
                                               const std::string& library, const MessageModel& model);

}  // namespace mora::predict
