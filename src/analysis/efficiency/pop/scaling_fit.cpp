/// One factor as a function of the number of processes P, by two published forms of two parameters:
///   amdahl    y = x0 / (f + (1 - f) P)              1/y = a + b P    x0 = 1 / (a + b), f = a x0
///   pipeline  y = x0 P / ((1 - f) + f (2 P - 1))    1/y = a + b / P  x0 = 1 / (a + b), f = a x0 / 2
/// Source: Rosas 2014; the same forms in basicanalysis, which fits them by non-linear least squares with bounds; the
/// choice between the forms and the interval are Mora's rule extrapolation.
///
/// 1/y is linear in a and b. The squares of the relative errors 1 - y_i (a + b z_i) are minimised, which is linear
/// least squares of 1/y with weights y^2, done by hand. f is bounded as published: a factor that would grow with P is a
/// constant, one that would fall faster than the form can is the form's steepest; then x0 alone is fitted.
///
/// The interval is for a run that was not measured yet, not for the mean: the prediction interval of linear regression
/// (Student's t with n - 2 or n - 1 degrees of freedom), of the logarithm, so that no efficiency is negative and none
/// without bound. It holds the error of the model: where the other form predicts left-out runs nearly as well
/// (ratio_by_chance), the runs cannot tell which of both holds, and the interval covers both forms' intervals; and
/// beyond the largest run it grows by the error that the smaller runs make there (error_beyond), for neither form may
/// hold. Far extrapolations are marked. With three runs t is 6.3 at 90 %, so the interval is wide. Cost: O(runs^2), for
/// the leave-one-out errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/efficiency/pop/scaling.h"

namespace mora::analysis {

namespace {

struct Points {
  std::vector<double> processes, values;
  std::size_t size() const { return values.size(); }
};

double abscissa(ScalingForm form, double processes) { return form == ScalingForm::amdahl ? processes : 1 / processes; }

double f_at(ScalingForm form, FitBound bound) {
  if (form == ScalingForm::amdahl) return bound == FitBound::constant ? 1 : 0;
  return bound == FitBound::constant ? 0.5 : 1;
}

/// What is left of exact data after the arithmetic of doubles is no scatter.
double without_rounding(double relative) { return relative < 1e-12 ? 0 : relative; }

/// Shape of 1/y with f at its bound, x0 = 1.
double shape(ScalingForm form, FitBound bound, double processes) {
  return 1 / evaluate(form, 1, f_at(form, bound), processes);
}

/// 1/y = a + b z, or scale x shape where a bound holds.
struct Line {
  ScalingForm form = ScalingForm::amdahl;
  FitBound bound = FitBound::none;
  double a = 0, b = 0, scale = 0;
  double sum_w = 0, mean_z = 0, spread_z = 0, spread_shape = 0;  ///< for the interval
  double residual = 0;  ///< relative standard deviation, of degrees of freedom below
  int freedom = 0;

  double at(double processes) const {
    return bound == FitBound::none ? a + b * abscissa(form, processes) : scale * shape(form, bound, processes);
  }
  /// Variance of at(), without residual^2.
  double variance_at(double processes) const {
    if (bound != FitBound::none) return shape(form, bound, processes) * shape(form, bound, processes) / spread_shape;
    const double z = abscissa(form, processes) - mean_z;
    return 1 / sum_w + z * z / spread_z;
  }
  double x0() const { return 1 / at(1); }
  double f() const {
    if (bound != FitBound::none) return f_at(form, bound);
    return a * x0() / (form == ScalingForm::amdahl ? 1 : 2);
  }
};

double weight(const Points& points, std::size_t i) { return points.values[i] * points.values[i]; }

void regress_both(const Points& points, Line& line) {
  double sum_wz = 0, sum_wv = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    line.sum_w += weight(points, i);
    sum_wz += weight(points, i) * abscissa(line.form, points.processes[i]);
    sum_wv += weight(points, i) / points.values[i];
  }
  line.mean_z = sum_wz / line.sum_w;
  const double mean_v = sum_wv / line.sum_w;
  double covariance = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double z = abscissa(line.form, points.processes[i]) - line.mean_z;
    line.spread_z += weight(points, i) * z * z;
    covariance += weight(points, i) * z * (1 / points.values[i] - mean_v);
  }
  line.b = line.spread_z > 0 ? covariance / line.spread_z : 0;
  line.a = mean_v - line.b * line.mean_z;
}

void regress_at_bound(const Points& points, Line& line) {
  double product = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double g = shape(line.form, line.bound, points.processes[i]);
    line.spread_shape += weight(points, i) * g * g;
    product += weight(points, i) * g / points.values[i];
  }
  line.scale = product / line.spread_shape;
}

Line regress(const Points& points, ScalingForm form) {
  Line line;
  line.form = form;
  regress_both(points, line);
  if (form == ScalingForm::amdahl) {  // 0 <= f <= 1 is a >= 0, b >= 0
    line.bound = !(line.b > 0) ? FitBound::constant : line.a < 0 ? FitBound::steepest : FitBound::none;
  } else {  // 1/2 <= f <= 1 is -a / 2 <= b <= 0
    line.bound = !(line.b < 0) ? FitBound::constant : line.b < -line.a / 2 ? FitBound::steepest : FitBound::none;
  }
  if (line.bound != FitBound::none) regress_at_bound(points, line);
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double error = 1 - points.values[i] * line.at(points.processes[i]);
    squares += error * error;
  }
  line.freedom = static_cast<int>(points.size()) - (line.bound == FitBound::none ? 2 : 1);
  line.residual = line.freedom > 0 ? without_rounding(std::sqrt(squares / line.freedom)) : 0;
  return line;
}

double leave_one_out(const Points& points, ScalingForm form) {
  double squares = 0;
  for (std::size_t left_out = 0; left_out < points.size(); ++left_out) {
    Points others;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == left_out) continue;
      others.processes.push_back(points.processes[i]);
      others.values.push_back(points.values[i]);
    }
    const double predicted = 1 / regress(others, form).at(points.processes[left_out]);
    const double error = predicted / points.values[left_out] - 1;
    squares += error * error;
  }
  return without_rounding(std::sqrt(squares / static_cast<double>(points.size())));
}

/// How wrong the form is beyond what was measured: the largest error of the logarithm at a run that is predicted from
/// the smaller ones (at least two), per step of the logarithm of P that lies between it and the next smaller run.
double error_beyond(const Points& points, ScalingForm form) {
  std::map<double, std::vector<double>> by_processes;
  for (std::size_t i = 0; i < points.size(); ++i) by_processes[points.processes[i]].push_back(points.values[i]);
  double largest = 0;
  Points smaller;
  std::size_t different = 0;
  for (const auto& [processes, values] : by_processes) {
    if (different >= 2) {
      double sum = 0;
      for (const double value : values) sum += std::log(value);
      const double error = -std::log(regress(smaller, form).at(processes)) - sum / static_cast<double>(values.size());
      largest = std::max(largest, without_rounding(std::abs(error)) / std::log(processes / smaller.processes.back()));
    }
    for (const double value : values) {
      smaller.processes.push_back(processes);
      smaller.values.push_back(value);
    }
    ++different;
  }
  return largest;
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

/// How many times larger one of two standard deviations of equal scatter may be by chance: the root of the quantile of
/// the F distribution with these degrees of freedom on both sides.
double ratio_by_chance(double confidence, int freedom) {
  double low = 1, high = 1e6;  // of F; P(F <= x) = I(x / (1 + x); freedom / 2, freedom / 2) rises with x
  for (int step = 0; step < 200; ++step) {
    const double x = (low + high) / 2;
    (incomplete_beta(freedom / 2.0, freedom / 2.0, x / (1 + x)) < confidence ? low : high) = x;
  }
  return std::sqrt((low + high) / 2);
}

}  // namespace

double evaluate(ScalingForm form, double x0, double f, double processes) {
  return form == ScalingForm::amdahl ? x0 / (f + (1 - f) * processes)
                                     : x0 * processes / ((1 - f) + f * (2 * processes - 1));
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

std::optional<FactorFit> fit_factor(const std::vector<std::uint32_t>& processes, const std::vector<double>& values,
                                    const std::vector<std::uint32_t>& extrapolate_to, double confidence) {
  std::vector<std::uint32_t> different = processes;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < fewest_runs || processes.size() != values.size() || different.front() == 0)
    return std::nullopt;
  if (std::any_of(values.begin(), values.end(), [](double v) { return !(v > 0) || !std::isfinite(v); }))
    return std::nullopt;
  const Points points{{processes.begin(), processes.end()}, values};
  struct Candidate {
    Line line;
    double leave_one_out = 0, error_beyond = 0;
  };
  std::vector<Candidate> candidates;
  for (const ScalingForm form : {ScalingForm::amdahl, ScalingForm::pipeline})
    candidates.push_back({regress(points, form), leave_one_out(points, form), error_beyond(points, form)});
  if (candidates[1].leave_one_out < candidates[0].leave_one_out) std::swap(candidates[0], candidates[1]);
  if (candidates[1].leave_one_out >
      ratio_by_chance(confidence, candidates[0].line.freedom) * candidates[0].leave_one_out)
    candidates.pop_back();
  const Line& line = candidates[0].line;
  FactorFit fit;
  fit.form = line.form;
  fit.leave_one_out = candidates[0].leave_one_out;
  fit.x0 = line.x0();
  fit.f = line.f();
  fit.bound = line.bound;
  fit.residual = line.residual;
  for (const std::uint32_t asked : extrapolate_to) {
    Extrapolated at;
    at.processes = asked;
    at.value = at.lower = at.upper = 1 / line.at(asked);
    for (const Candidate& candidate : candidates) {
      const double inverse = candidate.line.at(asked);
      // Of the new run, and of the fit; relative, so that it is the error of the logarithm.
      const double steps = std::log(std::max(1.0, static_cast<double>(asked) / different.back()));
      const double half = candidate.error_beyond * steps +
                          student_quantile(confidence, candidate.line.freedom) * candidate.line.residual *
                              std::sqrt(1 + candidate.line.variance_at(asked) / (inverse * inverse));
      at.lower = std::min(at.lower, std::exp(-half) / inverse);
      at.upper = std::max(at.upper, std::exp(half) / inverse);
    }
    at.is_far = asked > std::uint64_t{far_factor} * different.back();
    fit.at.push_back(at);
  }
  return fit;
}

}  // namespace mora::analysis
