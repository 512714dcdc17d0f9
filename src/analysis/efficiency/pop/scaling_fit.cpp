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
/// Leaving out, the choice between both forms and the interval: base/numbers/relative_fit.h. Far extrapolations are
/// marked. With three runs t is 6.3 at 90 %, so the interval is wide.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/efficiency/pop/scaling.h"
#include "base/numbers/relative_fit.h"

namespace mora::analysis {

namespace {

double f_at(ScalingForm form, FitBound bound) {
  if (form == ScalingForm::amdahl) return bound == FitBound::constant ? 1 : 0;
  return bound == FitBound::constant ? 0.5 : 1;
}

/// 1/y with f at its bound, x0 = 1.
double shape(ScalingForm form, FitBound bound, double processes) {
  return 1 / evaluate(form, 1, f_at(form, bound), processes);
}

/// 1/y = a + b z, or scale x shape where a bound holds.
struct BoundedFit {
  RelativeFit fit;
  FitBound bound = FitBound::none;
};

BoundedFit regress(const FitPoints& points, ScalingForm form) {
  BoundedFit bounded;
  bounded.fit =
      fit_line(points, [form](double processes) { return form == ScalingForm::amdahl ? processes : 1 / processes; });
  const auto& [a, b] = std::pair(bounded.fit.a, bounded.fit.b);
  FitBound& bound = bounded.bound;
  if (form == ScalingForm::amdahl) {  // 0 <= f <= 1 is a >= 0, b >= 0
    bound = !(b > 0) ? FitBound::constant : a < 0 ? FitBound::steepest : FitBound::none;
  } else {  // 1/2 <= f <= 1 is -a / 2 <= b <= 0
    bound = !(b < 0) ? FitBound::constant : b < -a / 2 ? FitBound::steepest : FitBound::none;
  }
  if (bound != FitBound::none)
    bounded.fit = fit_scale(points, [form, bound](double processes) { return shape(form, bound, processes); });
  return bounded;
}

}  // namespace

double evaluate(ScalingForm form, double x0, double f, double processes) {
  return form == ScalingForm::amdahl ? x0 / (f + (1 - f) * processes)
                                     : x0 * processes / ((1 - f) + f * (2 * processes - 1));
}

std::optional<FactorFit> fit_factor(const std::vector<std::uint32_t>& processes, const std::vector<double>& values,
                                    const std::vector<std::uint32_t>& extrapolate_to, double confidence) {
  constexpr std::array forms = {ScalingForm::amdahl, ScalingForm::pipeline};
  std::vector<Fitter> laws;
  for (const ScalingForm form : forms)
    laws.emplace_back([form](const FitPoints& points) { return regress(points, form).fit; });
  const FitPoints points{{processes.begin(), processes.end()}, values};
  const std::optional<ChosenLaw> chosen = choose_law(points, laws, extrapolate_to, confidence);
  if (!chosen) return std::nullopt;
  FactorFit fit;
  fit.form = forms[chosen->law];
  fit.bound = regress(points, fit.form).bound;
  fit.leave_one_out = chosen->leave_one_out;
  fit.x0 = 1 / chosen->fit.at(1);
  fit.f = fit.bound != FitBound::none ? f_at(fit.form, fit.bound)
                                      : chosen->fit.a * fit.x0 / (fit.form == ScalingForm::amdahl ? 1 : 2);
  fit.residual = chosen->fit.residual;
  const std::uint32_t largest = *std::max_element(processes.begin(), processes.end());
  for (std::size_t k = 0; k < extrapolate_to.size(); ++k) {
    Extrapolated at;
    at.processes = extrapolate_to[k];
    at.value = at.lower = at.upper = 1 / chosen->at[k].front().value;
    for (const auto& [inverse, half] : chosen->at[k]) {
      at.lower = std::min(at.lower, std::exp(-half) / inverse);
      at.upper = std::max(at.upper, std::exp(half) / inverse);
    }
    at.is_far = at.processes > std::uint64_t{far_factor} * largest;
    fit.at.push_back(at);
  }
  return fit;
}

}  // namespace mora::analysis
