/// What replays for a prediction have in common: the program that is asked for, and the error if it would hang.
#pragma once

#include <string>

#include "predict/prediction/prediction.h"
#include "replay/replay.h"

namespace mora::predict {

/// How long each location computes, beside what was recorded.
replay::ReplayedProgram program_of(const trace::Definitions& definitions, const PredictionRequest& request);

/// From the first event of all ranks to the last `end`.
Nanoseconds run_time_of(const trace::Definitions& definitions, const replay::Replayed& replayed,
                        Nanoseconds replay::ReplayedLocation::*end = &replay::ReplayedLocation::end);

/// Of a replay with blocked calls: the circle of ranks and calls, if there is one. `machine`: the model's file.
tl::unexpected<Error> deadlock_error(const trace::Definitions& definitions, const replay::Replayed& replayed,
                                     const std::string& machine);

}  // namespace mora::predict
