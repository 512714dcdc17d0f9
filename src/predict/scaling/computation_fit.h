/// Laws of the times of a program: of what is computed between two calls, and of calls that last what they last.
#pragma once

#include "predict/scaling/scaled_program.h"

namespace mora::predict {

/// Fills the times of made.nodes and made.after, and what made.from says of them. Errors (unreadable): computation or
/// files that no law predicts, with the call site. Cost: the recorded calls, and a fit for each pair of sites.
Result<void> fit_computation(const std::vector<RecordedRun>& runs, const FitTarget& target, ScaledProgram& made);

}  // namespace mora::predict
