/// How much the run time depends on latency, bandwidth and overhead of the network, and how much slower each may get
/// before the run is 1 % longer.
///
/// Idea: the run time is that of one chain of computation and messages, the critical path. While the chain stays the
/// same, the run time grows with a part of the costs as fast as the chain has of it; where another chain becomes the
/// longest it grows faster. So whole replays with a part multiplied say both: the growth at an eighth more is the
/// part's share, and the factor at which 1 % is reached is looked for (secant, then bisection; it never shrinks but for
/// which message enters a port first). Source: the derivatives and the tolerance are those of LLAMP (Shen 2024), which
/// takes them from a linear program. Rule: sensitivity. Cost: one reading of the trace and some forty replays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/prediction/prediction.h"

namespace mora::predict {

struct Sensitivity {
  std::string key;    ///< "latency", "bytes", "overhead", "all"
  std::string words;  ///< for people
  double share = 0;   ///< growth of the run time for each growth of the part, measured at an eighth more
  /// The largest factor, to a hundredth of what it is above 1, at which the run is at most 1 % longer; nothing: more
  /// than 1000.
  std::optional<double> tolerance;
};

/// In the order of the keys above. Errors: as predict().
Result<std::vector<Sensitivity>> sensitivity(trace::Source& source, const PredictionRequest& request);

}  // namespace mora::predict
