/// What would the run time be, if: changes of the program and of the machine beside each other.
///
/// Idea: the prediction has the recorded placement on the machine and on a network that costs nothing; a second one has
/// the same with the computation of all ranks made equal in sum (each rank's stretches times mean / own). Without
/// waiting is a bound, not a run: no rank is quicker than its own computation and messages. Rule: what-if. Cost: a
/// second prediction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/prediction/check.h"

namespace mora::predict {

struct WhatIf {
  std::string key;    ///< "balanced_free_network"
  std::string words;  ///< "… and the network costs nothing"
  Nanoseconds run_time = 0, mpi_time = 0;
  std::optional<Nanoseconds> low,
      high;  ///< run time with all costs lower and higher by the errors that the model states
  /// (predicted - recorded) / recorded of the recorded run itself on the same network; nothing: the prediction is of
  /// another placement or computation.
  std::optional<double> error;
};

/// predict() of the run, or predict_scaled() of one that is scaled.
using Predictor = std::function<Result<Prediction>(const PredictionRequest&)>;

/// `prediction` is what `of` makes of `request`; `check`: of it, if it is of the recorded run. Errors: of `of`.
Result<std::vector<WhatIf>> what_if(const Predictor& of, const PredictionRequest& request, const Prediction& prediction,
                                    const std::optional<Check>& check);

}  // namespace mora::predict
