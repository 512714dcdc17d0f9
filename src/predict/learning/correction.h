/// A correction of predictions that was learned from measured runs: by what factor the MPI time of a rank differs from
/// the prediction, as a function of what the rank communicates (rank_features.h).
///
///   ln(measured / predicted) = constant + sum of coefficient x feature
///
/// It holds where each of its features is in the range of the runs that it was learned from, and where features that
/// never differed there have the same value. Plain data and pure functions, thread-safe. Rule: learned-correction.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "predict/learning/rank_features.h"

namespace mora::predict {

struct CorrectionTerm {
  std::size_t feature = 0;  ///< index of rank_feature_table()
  double coefficient = 0;   ///< 0: the feature never differed, or is not needed
  double from = 0, to = 0;  ///< of the runs that it was learned from
  /// Whether a rank must be in the range.
  bool binds() const { return coefficient != 0 || from == to; }
};

struct Correction {
  double constant = 0;
  std::vector<CorrectionTerm> terms;  ///< of all features that were looked at, in their order
  double held_out_error = 0;  ///< of applications held out: e^x - 1, x the ninth decile of |ln(measured / corrected)|
};

/// Indices of the features that are out of the correction's range; empty: it applies.
std::vector<std::size_t> out_of_range(const Correction& correction, const FeatureRow& features);
/// Of the features that say how large a run is (ranks, messages, message_bytes) those out of the range that need not be
/// in it: the correction applies, to what it was not learned from.
std::vector<std::size_t> extrapolated(const Correction& correction, const FeatureRow& features);
/// What the predicted time is multiplied by. Of a rank in the range.
double factor_of(const Correction& correction, const FeatureRow& features);

}  // namespace mora::predict
