/// A prediction of a recorded run against the run: signed relative errors of the time in MPI calls.
///
/// Total run time is the wrong score: a network that costs nothing predicts it well, since most of it is computation.
/// So errors are those of the time in MPI calls, by rank, and by rank and call path. Error: (predicted - measured) /
/// measured. A call path of a rank counts if it has at least a hundredth of the rank's measured time in MPI; the others
/// are many and hold nothing. Quantiles are of the sizes of the errors, by nearest rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/prediction/prediction.h"

namespace mora::predict {

struct CheckedTime {
  std::uint32_t rank = 0;
  std::string path;  ///< empty: all calls of the rank
  Nanoseconds predicted = 0, measured = 0;
  double error() const;  ///< measured is not 0
};

struct ErrorSummary {
  std::uint64_t count = 0;
  double median = 0, ninth_decile = 0;  ///< of |error|
  double worst = 0;                     ///< signed
  double mean_signed = 0;
};
/// Of an empty list all are 0.
ErrorSummary summary_of(const std::vector<CheckedTime>& times);

struct Check {
  double run_time_error = 0;
  ErrorSummary ranks, calls;                  ///< of the machine
  ErrorSummary free_ranks, free_calls;        ///< of a network that costs nothing
  ErrorSummary hockney_ranks, hockney_calls;  ///< of Hockney's line
  double free_run_time_error = 0, hockney_run_time_error = 0;
  std::vector<CheckedTime> by_rank, by_call;    ///< of the machine, the worst first
  std::uint64_t left_out = 0;                   ///< call paths of ranks below a hundredth
  std::optional<ErrorSummary> corrected_ranks;  ///< of corrected times, if there are some
};
/// All but `corrected_ranks`.
Check check_of(const Prediction& prediction);
/// The errors of corrected times in MPI, by rank.
ErrorSummary summary_of(const CorrectedTimes& times, const Prediction& prediction);

}  // namespace mora::predict
