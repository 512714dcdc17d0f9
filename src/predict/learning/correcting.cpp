#include "predict/learning/correcting.h"

#include <algorithm>
#include <cmath>

namespace mora::predict {

namespace {

Nanoseconds scaled_time(Nanoseconds time, double factor) {
  const double product = static_cast<double>(time) * factor;
  return product < 4e18 ? std::llround(product) : INT64_MAX / 2;
}

}  // namespace

std::uint64_t add_observations(const Prediction& prediction, const std::vector<FeatureRow>& features,
                               const std::string& application, std::uint32_t run, std::vector<Observation>& into) {
  std::uint64_t left_out = 0;
  const std::size_t ranks = prediction.machine.ranks.size();
  const std::size_t step = std::max<std::size_t>(1, (ranks + most_ranks_of_a_run - 1) / most_ranks_of_a_run);
  for (std::size_t r = 0; r < ranks; r += step) {
    const Nanoseconds predicted = prediction.machine.ranks[r], measured = prediction.measured.ranks[r];
    if (predicted <= 0 || measured <= 0 || r >= features.size()) {
      ++left_out;
      continue;
    }
    into.push_back({application, run, features[r], static_cast<double>(predicted), static_cast<double>(measured)});
  }
  return left_out;
}

CorrectedTimes corrected_times(const Prediction& prediction, const std::vector<FeatureRow>& features,
                               const Correction& correction, const std::string& file) {
  CorrectedTimes all;
  all.file = file;
  all.held_out_error = correction.held_out_error;
  for (std::uint32_t r = 0; r < prediction.machine.ranks.size(); ++r) {
    CorrectedRank rank;
    rank.rank = r;
    rank.predicted = rank.corrected = prediction.machine.ranks[r];
    rank.low = prediction.low.ranks[r];
    rank.high = prediction.high.ranks[r];
    if (r < features.size()) {
      for (const std::size_t f : out_of_range(correction, features[r]))
        rank.beyond.emplace_back(rank_feature_table()[f].name);
      rank.applies = rank.beyond.empty();
      for (const std::size_t f : extrapolated(correction, features[r]))
        rank.beyond.emplace_back(rank_feature_table()[f].name);
      if (rank.applies) {
        const double factor = factor_of(correction, features[r]), error = 1 + correction.held_out_error;
        rank.corrected = scaled_time(rank.predicted, factor);
        rank.low = std::min(scaled_time(rank.low, factor), scaled_time(rank.corrected, 1 / error));
        rank.high = std::max(scaled_time(rank.high, factor), scaled_time(rank.corrected, error));
      }
    }
    all.ranks.push_back(std::move(rank));
  }
  return all;
}

}  // namespace mora::predict
