/// The predicted run as a trace: the recorded events at the times at which the replay has them happen on the machine,
/// so that every tool that reads traces reads the predicted run (replay/times/replayed_source.h; Mora's rule
/// predicted-trace). Cost: one replay, and 24 bytes for each event, on disk beyond a few MiB.
#pragma once

#include <memory>

#include "predict/prediction/prediction.h"

namespace mora::predict {

/// `source` outlives the result. Errors: as predict().
Result<std::unique_ptr<trace::Source>> predicted_trace(trace::Source& source, const PredictionRequest& request);

}  // namespace mora::predict
