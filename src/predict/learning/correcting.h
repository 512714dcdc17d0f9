/// From runs to what a correction is learned from, and from a prediction to corrected times. Pure functions.
#pragma once

#include "predict/learning/correction_file.h"
#include "predict/prediction/prediction.h"

namespace mora::predict {

/// Of a run with more ranks every n-th teaches, so that there are at most so many: the others are much like them.
inline constexpr std::uint32_t most_ranks_of_a_run = 128;

/// The ranks of a predicted recorded run that have time in MPI, recorded and predicted. Returns how many have not.
/// Appends to `into`; `features`: by rank.
std::uint64_t add_observations(const Prediction& prediction, const std::vector<FeatureRow>& features,
                               const std::string& application, std::uint32_t run, std::vector<Observation>& into);

/// By rank. `file` is for people.
CorrectedTimes corrected_times(const Prediction& prediction, const std::vector<FeatureRow>& features,
                               const Correction& correction, const std::string& file);

}  // namespace mora::predict
