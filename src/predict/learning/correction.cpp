#include "predict/learning/correction.h"

#include <cmath>

namespace mora::predict {

namespace {

template <class Counts>
std::vector<std::size_t> outside(const Correction& correction, const FeatureRow& features, const Counts& counts) {
  std::vector<std::size_t> out;
  for (const CorrectionTerm& term : correction.terms) {
    const double value = features[term.feature];
    // Files hold rounded numbers.
    const double room = 1e-8 * std::max({1.0, std::abs(term.from), std::abs(term.to)});
    if (counts(term) && (value < term.from - room || value > term.to + room)) out.push_back(term.feature);
  }
  return out;
}

}  // namespace

std::vector<std::size_t> out_of_range(const Correction& correction, const FeatureRow& features) {
  return outside(correction, features, [](const CorrectionTerm& term) { return term.binds(); });
}

std::vector<std::size_t> extrapolated(const Correction& correction, const FeatureRow& features) {
  return outside(correction, features, [](const CorrectionTerm& term) {
    return !term.binds() && term.feature <= static_cast<std::size_t>(RankFeature::message_bytes);
  });
}

double factor_of(const Correction& correction, const FeatureRow& features) {
  double sum = correction.constant;
  for (const CorrectionTerm& term : correction.terms) sum += term.coefficient * features[term.feature];
  return std::exp(sum);
}

}  // namespace mora::predict
