/// Laws of a positive quantity v(P) over the number of processes P: a + b z(P), or c g(P); how far they carry.
///
/// Idea: least squares of the relative errors, so that small runs count as much as large ones; which of several laws
/// holds is decided by leaving each run out. The interval is for a run that was not measured yet, not for the mean: the
/// prediction interval of linear regression (Student's t), of the logarithm, so that it holds no negative value. It
/// holds the error of the model: where another law predicts left-out runs nearly as well (ratio_by_chance()), the runs
/// cannot tell which of them holds, and the interval covers those of all such laws; and beyond the largest run it grows
/// by the error that the smaller runs make there (error_beyond()). Source: POP's extrapolation (Rosas 2014) has the
/// bounded forms of analysis/efficiency/pop/; the choice and the interval are Mora's rule extrapolation. Cost:
/// O(runs^2) for each law. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace mora {

/// What was measured: 1 / v at each number of processes. All positive.
struct FitPoints {
  std::vector<double> processes, reciprocals;
  std::size_t size() const { return reciprocals.size(); }
};

using ProcessShape = std::function<double(double processes)>;

/// a + b z(P), or scale x g(P).
struct RelativeFit {
  ProcessShape shape;  ///< z or g
  bool is_scaled = false;
  double a = 0, b = 0, scale = 0;
  double sum_w = 0, mean_z = 0, spread_z = 0, spread_g = 0;  ///< for the interval
  double residual = 0;                                       ///< relative standard deviation
  int freedom = 0;                                           ///< its degrees of freedom

  double at(double processes) const { return is_scaled ? scale * shape(processes) : a + b * shape(processes); }
  /// Variance of at(), without residual^2.
  double variance_at(double processes) const;
};

/// a + b z(P). Of one point or of a z that does not differ: b is 0.
RelativeFit fit_line(const FitPoints& points, ProcessShape z);
/// scale x g(P).
RelativeFit fit_scale(const FitPoints& points, ProcessShape g);

/// A law: how it is fitted to points.
using Fitter = std::function<RelativeFit(const FitPoints&)>;

/// What is left of exact data after the arithmetic of doubles is no scatter.
inline double without_rounding(double relative) { return relative < 1e-12 ? 0 : relative; }

/// Root mean square of the relative error (of v's reciprocal) at each run, fitted without it.
double leave_one_out(const FitPoints& points, const Fitter& fitter);

/// How wrong the law is beyond what was measured: the largest error of the logarithm at a run that is predicted from
/// the smaller ones (at least two), per step of the logarithm of P that lies between it and the next smaller run.
double error_beyond(const FitPoints& points, const Fitter& fitter);

/// t with P(|T| <= t) = confidence, T of Student's distribution; freedom >= 1.
double student_quantile(double confidence, int freedom);
/// How many times larger one of two standard deviations of equal scatter may be by chance: the root of the quantile of
/// the F distribution with these degrees of freedom on both sides.
double ratio_by_chance(double confidence, int freedom);

/// A law's value, and half its interval: of the logarithm.
struct LawValue {
  double value = 0, half = 0;
};

/// The law that predicts left-out runs best; ties: the first.
struct ChosenLaw {
  std::size_t law = 0;  ///< index of its fitter
  RelativeFit fit;
  double leave_one_out = 0;
  /// As `asked`: of this law, then of the others that the runs do not tell from it.
  std::vector<std::vector<LawValue>> at;
};

inline constexpr std::size_t fewest_runs = 3;   ///< of different numbers of processes
inline constexpr std::uint32_t far_factor = 4;  ///< beyond so many times the largest run extrapolations are marked

/// What is expected, at the confidence of choose_law().
struct LawInterval {
  double value = 0, lower = 0, upper = 0;
};
/// The interval that holds those of all the laws.
LawInterval interval_of(const std::vector<LawValue>& values);

/// `allows`: whether a fit is one that may be (a time that gets negative at a number that is asked for may not); all
/// are if empty. nullopt: fewer than fewest_runs different numbers of processes, values that are not positive and
/// finite, or no law that may be.
std::optional<ChosenLaw> choose_law(const FitPoints& points, const std::vector<Fitter>& laws,
                                    const std::vector<std::uint32_t>& asked, double confidence,
                                    const std::function<bool(const RelativeFit&)>& allows = {});

}  // namespace mora
