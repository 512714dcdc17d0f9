/// Scaling tables: the POP tree of one interval over several runs, and what it would be with more processes.
///
/// The reference is the run with the fewest processes (ties: the first given). Strong: the same problem; weak: the
/// problem grows with the number of processes. Speed-up = T_ref / T, weak: times the ratio of processes. Pure
/// functions; safe from any thread. Doubles only: these are ratios of sums that were exact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/pop/pop.h"
#include "base/numbers/relative_fit.h"

namespace mora::analysis {

struct ScalingRun {
  std::string label;  ///< experiment's name
  PopMetrics pop;     ///< of the matched interval
};

enum class ScalingUnit : std::uint8_t { efficiency, ratio, nanoseconds };

/// One line of the table; values per run, nullopt where it is not known.
struct ScalingRow {
  std::string_view key;   ///< "load_balance"
  std::string_view name;  ///< "Load balance"
  unsigned depth = 0;     ///< in the POP tree
  ScalingUnit unit = ScalingUnit::efficiency;
  std::vector<std::optional<double>> values;
};

/// Published forms (Rosas 2014; as in basicanalysis): amdahl y = x0 / (f + (1 - f) P); pipeline y = x0 P / ((1 - f) + f
/// (2 P - 1)). Both are linear in 1/y.
enum class ScalingForm : std::uint8_t { amdahl, pipeline };

/// A fitted value with its prediction interval.
struct Extrapolated {
  std::uint32_t processes = 0;
  double value = 0, lower = 0, upper = 0;  ///< the interval of Extrapolation::confidence
  bool is_far = false;                     ///< beyond far_factor x the largest measured number of processes
};

/// Where f left the form's bounds (amdahl 0 … 1, pipeline 1/2 … 1) and was set to one of them; x0 alone is then fitted.
enum class FitBound : std::uint8_t {
  none,
  constant,  ///< amdahl f = 1, pipeline f = 1/2: the factor does not fall with the number of processes
  steepest,  ///< amdahl f = 0: y = x0 / P; pipeline f = 1: y = x0 P / (2 P - 1)
};

/// One factor's fit.
struct FactorFit {
  std::string_view key, name;
  ScalingForm form = ScalingForm::amdahl;
  double x0 = 0, f = 0;
  FitBound bound = FitBound::none;
  double residual = 0;           ///< relative standard deviation about the fit
  double leave_one_out = 0;      ///< root mean square of the relative error at each run, fitted without it
  std::vector<Extrapolated> at;  ///< as Extrapolation::processes
};

/// What the table would be with more processes.
struct Extrapolation {
  std::vector<std::uint32_t> processes;  ///< asked for, ascending
  std::string why_not;                   ///< not empty: there is none, and why
  double confidence = 0.9;
  std::vector<FactorFit>
      factors;  ///< load balance, serialisation, transfer (or communication efficiency), computation scaling
  /// Products of the factors; their interval holds all combinations of the factors' intervals.
  std::vector<Extrapolated> parallel_efficiency, global_efficiency, speed_up;
  std::vector<Extrapolated> run_time;  ///< ns
};
using mora::far_factor;
using mora::fewest_runs;

/// One interval over several runs.
struct ScalingTable {
  Scaling scaling = Scaling::strong;
  std::vector<ScalingRun> runs;  ///< by number of processes
  std::vector<ScalingRow> rows;  ///< in the order and depth of the POP tree, then speed-up and times
  /// The definition of serialisation and transfer in `rows`: the headline that all runs know; nullopt: they have none
  /// in common.
  std::optional<IdealTime> serialisation;
  Extrapolation extrapolation;
  std::vector<std::string> notes;
};

/// `extrapolate_to`: numbers of processes, may be empty. No runs: an empty table.
ScalingTable scaling_table(std::vector<ScalingRun> runs, Scaling scaling,
                           std::vector<std::uint32_t> extrapolate_to = {});

/// The better of both forms by leave-one-out (scaling_fit.cpp); weights make errors relative. At least three different
/// numbers of processes and positive values, else nullopt.
std::optional<FactorFit> fit_factor(const std::vector<std::uint32_t>& processes, const std::vector<double>& values,
                                    const std::vector<std::uint32_t>& extrapolate_to, double confidence = 0.9);

/// Value of the form.
double evaluate(ScalingForm form, double x0, double f, double processes);

}  // namespace mora::analysis
