/// A prediction as text and as JSON (docs/formats/schema/mora-prediction.json). Pure functions.
#pragma once

#include <optional>
#include <string>

#include "base/numbers/relative_fit.h"
#include "base/table/text_page.h"
#include "predict/prediction/check.h"
#include "predict/prediction/sensitivity.h"
#include "predict/prediction/what_if.h"

namespace mora::predict {

/// What a law was found for.
struct ScaledLaw {
  std::string path;  ///< call site
  std::string what;  ///< "partners", "bytes", "computation before"
  std::string words;
  /// Relative error at a run that is left out; 0: all runs meet it exactly; nothing: there is no law, or hardly
  /// anything tests it (two terms from three runs).
  std::optional<double> leave_one_out;
  Nanoseconds predicted = 0;  ///< of computation and local calls: a rank's mean time in it
};

/// What a prediction of another number of ranks rests on (predict/scaling/).
struct ScaledFrom {
  struct Run {
    std::string trace;
    std::uint32_t ranks = 0;
  };
  std::vector<Run> runs;
  std::uint32_t ranks = 0;           ///< that are predicted
  double worst_error = 0;            ///< largest leave-one-out error of a law that had to carry
  double limit = 0;                  ///< of these errors
  Nanoseconds computation = 0;       ///< a rank's mean
  Nanoseconds local = 0;             ///< … in MPI calls that last what they last: files, MPI_Init
  Nanoseconds unfitted = 0;          ///< … of both, without a law
  std::vector<std::string> remarks;  ///< sentences: what the runs do not test
  std::vector<ScaledLaw> laws;

  void add_exact(std::string path, std::string what, std::string words, std::optional<double> leave_one_out) {
    laws.push_back({std::move(path), std::move(what), std::move(words), leave_one_out, 0});
  }

  std::uint32_t largest() const {
    std::uint32_t most = 1;
    for (const Run& run : runs) most = run.ranks > most ? run.ranks : most;
    return most;
  }
  std::uint32_t smallest() const {
    std::uint32_t least = UINT32_MAX;
    for (const Run& run : runs) least = run.ranks < least ? run.ranks : least;
    return least;
  }
  bool is_far() const { return ranks > std::uint64_t{far_factor} * largest(); }
  bool is_beyond() const { return ranks > largest() || ranks < smallest(); }
};

struct PredictionNames {
  std::string trace, machine;
  std::string collectives;  ///< whose algorithms: "openmpi"
  std::string placement;    ///< "as recorded", "one node", or the words of --map
  std::uint64_t compute_factor = 1'000'000;
  std::optional<ScaledFrom> scaled;  ///< the run is one with another number of ranks
};

/// `explain`: also each call that is approximated, with its share, and the law of each call site. `changes`: nothing
/// without --what-if; `parts`: nothing without --sensitivity; `corrected`: nothing without --correct.
std::string prediction_text(const Prediction& prediction, const PredictionNames& names, bool explain,
                            const TextOptions& options, const std::vector<WhatIf>& changes = {},
                            const std::vector<Sensitivity>& parts = {},
                            const std::optional<CorrectedTimes>& corrected = {});
/// `saw_run`: the correction was learned from this run, too.
std::string check_text(const Prediction& prediction, const Check& check, const PredictionNames& names,
                       const TextOptions& options, bool saw_run = false);
/// `check`: nothing without --check.
std::string prediction_json(const Prediction& prediction, const PredictionNames& names,
                            const std::optional<Check>& check, const std::vector<WhatIf>& changes = {},
                            const std::vector<Sensitivity>& parts = {},
                            const std::optional<CorrectedTimes>& corrected = {});

}  // namespace mora::predict
