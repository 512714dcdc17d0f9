#include "predict/calibration/quantity.h"

#include <algorithm>
#include <cmath>

namespace mora::predict {

namespace {

constexpr std::size_t folds = 5;

/// The part's quantile of values in order lies between those of these ranks in 95 of 100 cases.
void set_interval(Quantity& q, std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size()), half = 1.96 * std::sqrt(n * part * (1 - part));
  q.low = values[static_cast<std::size_t>(std::clamp(std::floor(n * part - half), 0.0, n - 1))];
  q.high = values[static_cast<std::size_t>(std::clamp(std::ceil(n * part + half), 0.0, n - 1))];
}

void set_errors(Quantity& q, const std::vector<double>& errors) {
  q.median_error = quantile(errors, 0.5);
  q.ninth_decile_error = quantile(errors, 0.9);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// Those that the fold leaves.
std::vector<double> without_fold(const std::vector<double>& values, std::size_t fold) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % folds != fold) kept.push_back(values[i]);
  }
  return kept;
}

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

Quantity constant_quantity(const SizeSamples& samples, const std::string& class_name, const std::string& name) {
  Quantity q{class_name,      name, samples.median, samples.low, samples.high, samples.count + samples.outliers,
             samples.outliers};
  std::vector<double> errors;
  for (std::size_t i = 0; i < samples.passes.size() && samples.passes.size() > 1; ++i) {
    std::vector<double> others = samples.passes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double own = std::max(1.0, samples.passes[i]);
    errors.push_back(std::abs(median(others) - own) / own);
  }
  set_errors(q, errors);
  return q;
}

Quantity rate_quantity(const std::vector<RateSample>& samples, const std::string& class_name, const std::string& name) {
  Quantity q{class_name, name};
  std::vector<double> rates, errors;
  for (const RateSample& s : samples) rates.push_back((s.measured - s.base) / s.factor);
  q.value = median(rates);
  q.samples = samples.size();
  set_interval(q, rates, 0.5);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto kept = without_fold(rates, i % folds);
    if (kept.empty()) continue;
    const RateSample& s = samples[i];
    errors.push_back(std::abs(s.base + median(kept) * s.factor - s.measured) / s.measured);
  }
  set_errors(q, errors);
  return q;
}

Quantity spread_quantity(const std::vector<std::int64_t>& ns, const std::string& name) {
  Quantity q{"", name};
  std::vector<double> ratios(ns.begin(), ns.end()), errors;
  const double middle = std::max(1.0, median(ratios));
  for (double& ratio : ratios) ratio /= middle;
  const auto spread = [](const std::vector<double>& values) { return quantile(values, 0.9); };
  q.value = spread(ratios);
  q.samples = ns.size();
  if (ratios.empty()) return q;
  set_interval(q, ratios, 0.9);
  for (std::size_t fold = 0; fold < folds && ratios.size() >= 2 * folds; ++fold) {
    std::vector<double> own;
    for (std::size_t i = fold; i < ratios.size(); i += folds) own.push_back(ratios[i]);
    const double measured = spread(own);
    errors.push_back(std::abs(spread(without_fold(ratios, fold)) - measured) / measured);
  }
  set_errors(q, errors);
  return q;
}

}  // namespace mora::predict
