#include "base/numbers/relative_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mora {

namespace {

double weight(const FitPoints& points, std::size_t i) { return points.reciprocals[i] * points.reciprocals[i]; }

void find_residual(const FitPoints& points, RelativeFit& fit) {
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double error = 1 - points.reciprocals[i] * fit.at(points.processes[i]);
    squares += error * error;
  }
  fit.freedom = static_cast<int>(points.size()) - (fit.is_scaled ? 1 : 2);
  fit.residual = fit.freedom > 0 ? without_rounding(std::sqrt(squares / fit.freedom)) : 0;
}

/// Regularised incomplete beta function by its continued fraction (modified Lentz), for Student's distribution.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  constexpr double tiny = 1e-300;
  double c = 1, d = 1 / std::max(std::abs(1 - (a + b) * x / (a + 1)), tiny), f = d;
  for (int m = 1; m < 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / std::max(std::abs(1 + even * d), tiny);
    c = 1 + even / c;
    f *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / std::max(std::abs(1 + odd * d), tiny);
    c = 1 + odd / c;
    f *= c * d;
    if (std::abs(c * d - 1) < 1e-14) break;
  }
  return front * f / a;
}

}  // namespace

double RelativeFit::variance_at(double processes) const {
  if (is_scaled) return shape(processes) * shape(processes) / spread_g;
  const double z = shape(processes) - mean_z;
  return 1 / sum_w + z * z / spread_z;
}

RelativeFit fit_line(const FitPoints& points, ProcessShape z_of) {
  RelativeFit fit;
  fit.shape = std::move(z_of);
  double sum_wz = 0, sum_wv = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    fit.sum_w += weight(points, i);
    sum_wz += weight(points, i) * fit.shape(points.processes[i]);
    sum_wv += weight(points, i) / points.reciprocals[i];
  }
  fit.mean_z = sum_wz / fit.sum_w;
  const double mean_v = sum_wv / fit.sum_w;
  double covariance = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double z = fit.shape(points.processes[i]) - fit.mean_z;
    fit.spread_z += weight(points, i) * z * z;
    covariance += weight(points, i) * z * (1 / points.reciprocals[i] - mean_v);
  }
  fit.b = fit.spread_z > 0 ? covariance / fit.spread_z : 0;
  fit.a = mean_v - fit.b * fit.mean_z;
  find_residual(points, fit);
  return fit;
}

RelativeFit fit_scale(const FitPoints& points, ProcessShape g_of) {
  RelativeFit fit;
  fit.is_scaled = true;
  fit.shape = std::move(g_of);
  double product = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double g = fit.shape(points.processes[i]);
    fit.spread_g += weight(points, i) * g * g;
    product += weight(points, i) * g / points.reciprocals[i];
  }
  fit.scale = product / fit.spread_g;
  find_residual(points, fit);
  return fit;
}

double leave_one_out(const FitPoints& points, const Fitter& fitter) {
  double squares = 0;
  for (std::size_t left_out = 0; left_out < points.size(); ++left_out) {
    FitPoints others;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == left_out) continue;
      others.processes.push_back(points.processes[i]);
      others.reciprocals.push_back(points.reciprocals[i]);
    }
    const double predicted = 1 / fitter(others).at(points.processes[left_out]);
    const double error = predicted / points.reciprocals[left_out] - 1;
    squares += error * error;
  }
  return without_rounding(std::sqrt(squares / static_cast<double>(points.size())));
}

double error_beyond(const FitPoints& points, const Fitter& fitter) {
  std::map<double, std::vector<double>> by_processes;
  for (std::size_t i = 0; i < points.size(); ++i) by_processes[points.processes[i]].push_back(points.reciprocals[i]);
  double largest = 0;
  FitPoints smaller;
  std::size_t different = 0;
  for (const auto& [processes, reciprocals] : by_processes) {
    if (different >= 2) {
      double sum = 0;
      for (const double reciprocal : reciprocals) sum += std::log(reciprocal);
      const double error = -std::log(fitter(smaller).at(processes)) - sum / static_cast<double>(reciprocals.size());
      largest = std::max(largest, without_rounding(std::abs(error)) / std::log(processes / smaller.processes.back()));
    }
    for (const double reciprocal : reciprocals) {
      smaller.processes.push_back(processes);
      smaller.reciprocals.push_back(reciprocal);
    }
    ++different;
  }
  return largest;
}

double ratio_by_chance(double confidence, int freedom) {
  double low = 1, high = 1e6;  // of F; P(F <= x) = I(x / (1 + x); freedom / 2, freedom / 2) rises with x
  for (int step = 0; step < 200; ++step) {
    const double x = (low + high) / 2;
    (incomplete_beta(freedom / 2.0, freedom / 2.0, x / (1 + x)) < confidence ? low : high) = x;
  }
  return std::sqrt((low + high) / 2);
}

double student_quantile(double confidence, int freedom) {
  // P(|T| <= t) = 1 - I(freedom / (freedom + t^2); freedom / 2, 1 / 2) rises with t.
  double low = 0, high = 1e6;
  for (int step = 0; step < 200; ++step) {
    const double t = (low + high) / 2;
    const double inside = 1 - incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t));
    (inside < confidence ? low : high) = t;
  }
  return (low + high) / 2;
}

LawInterval interval_of(const std::vector<LawValue>& values) {
  LawInterval interval;
  if (values.empty()) return interval;
  interval.value = interval.lower = interval.upper = values.front().value;
  for (const auto& [value, half] : values) {
    interval.lower = std::min(interval.lower, value / std::exp(half));
    interval.upper = std::max(interval.upper, value * std::exp(half));
  }
  return interval;
}

std::optional<ChosenLaw> choose_law(const FitPoints& points, const std::vector<Fitter>& laws,
                                    const std::vector<std::uint32_t>& asked, double confidence,
                                    const std::function<bool(const RelativeFit&)>& allows) {
  std::vector<double> different = points.processes;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < fewest_runs || points.processes.size() != points.size() || different.front() < 1)
    return std::nullopt;
  if (std::any_of(points.reciprocals.begin(), points.reciprocals.end(),
                  [](double v) { return !(v > 0) || !std::isfinite(v); }))
    return std::nullopt;
  struct Candidate {
    std::size_t law = 0;
    RelativeFit fit;
    double leave_one_out = 0, error_beyond = 0;
  };
  std::vector<Candidate> candidates;
  for (std::size_t law = 0; law < laws.size(); ++law) {
    Candidate candidate{law, laws[law](points), leave_one_out(points, laws[law]), error_beyond(points, laws[law])};
    const bool is_finite = std::isfinite(candidate.leave_one_out) && std::isfinite(candidate.error_beyond);
    if (is_finite && (!allows || allows(candidate.fit))) candidates.push_back(std::move(candidate));
  }
  if (candidates.empty()) return std::nullopt;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& x, const Candidate& y) { return x.leave_one_out < y.leave_one_out; });
  const Candidate& best = candidates.front();
  const double by_chance = ratio_by_chance(confidence, best.fit.freedom) * best.leave_one_out;
  while (candidates.back().leave_one_out > by_chance && candidates.size() > 1) candidates.pop_back();
  ChosenLaw chosen{best.law, best.fit, best.leave_one_out, {}};
  for (const std::uint32_t processes : asked) {
    std::vector<LawValue>& at = chosen.at.emplace_back();
    for (const Candidate& candidate : candidates) {
      const double value = candidate.fit.at(processes);
      // Of the new run, and of the fit; relative, so that it is the error of the logarithm.
      const double steps = std::log(std::max(1.0, static_cast<double>(processes) / different.back()));
      const double half = candidate.error_beyond * steps +
                          student_quantile(confidence, candidate.fit.freedom) * candidate.fit.residual *
                              std::sqrt(1 + candidate.fit.variance_at(processes) / (value * value));
      at.push_back({value, half});
    }
  }
  return chosen;
}

}  // namespace mora
