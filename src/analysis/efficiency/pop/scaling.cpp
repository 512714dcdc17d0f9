/// The rows of the table are the POP tree of each run; the extrapolation multiplies the fitted factors. Global
/// efficiency = growth x useful(ref) / (P x T), so run time and speed-up follow from it. Source: POP metrics, Rosas
/// 2014; Mora's rule extrapolation. O(runs x metrics).
#include "analysis/efficiency/pop/scaling.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace mora::analysis {

namespace {

using Values = std::vector<std::optional<double>>;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Above it work per process counts as constant (basicanalysis).
constexpr double weak_threshold = 0.9;

class ScalingTableMaker {
 public:
  ScalingTableMaker(std::vector<ScalingRun> runs, Scaling scaling) {
    table_.scaling = scaling;
    table_.runs = std::move(runs);
    std::stable_sort(table_.runs.begin(), table_.runs.end(),
                     [](const ScalingRun& a, const ScalingRun& b) { return a.pop.processes < b.pop.processes; });
    for (const ScalingRun& run : table_.runs) against_.push_back(scaling_against(first(), run.pop, scaling));
  }

  ScalingTable make(std::vector<std::uint32_t> extrapolate_to) {
    if (table_.runs.empty()) return std::move(table_);
    find_serialisation();
    add_efficiencies();
    add_threads();
    add_times();
    add_notes();
    extrapolate(std::move(extrapolate_to));
    return std::move(table_);
  }

 private:
  const PopMetrics& first() const { return table_.runs.front().pop; }

  template <class Of>
  Values values(const Of& of) const {
    Values all;
    for (std::size_t i = 0; i < table_.runs.size(); ++i) all.emplace_back(of(i));
    return all;
  }
  template <class Of>
  Values of_pop(const Of& of) const {
    return values([&](std::size_t i) -> std::optional<double> { return of(table_.runs[i].pop); });
  }
  void row(std::string_view key, std::string_view name, unsigned depth, Values of,
           ScalingUnit unit = ScalingUnit::efficiency) {
    const bool is_known = std::any_of(of.begin(), of.end(), [](const auto& v) { return v.has_value(); });
    if (is_known) table_.rows.push_back({key, name, depth, unit, std::move(of)});
  }

  /// The first definition that all runs know: columns of different definitions must not stand side by side.
  void find_serialisation() {
    for (std::size_t d = 0; d < ideal_times && !table_.serialisation; ++d) {
      const bool all = std::all_of(table_.runs.begin(), table_.runs.end(), [&](const ScalingRun& run) {
        return d < run.pop.serialisations.size() && run.pop.serialisations[d].ideal_time;
      });
      if (all) table_.serialisation = static_cast<IdealTime>(d);
    }
    if (!table_.serialisation) {
      table_.notes.emplace_back(
          "no definition of serialisation is known in all runs: communication efficiency is not split");
      return;
    }
    for (const ScalingRun& run : table_.runs) {
      if (run.pop.headline()->definition == *table_.serialisation) continue;
      table_.notes.push_back(fmt::format("serialisation and transfer by {}: not all runs know {}",
                                         run.pop.of(*table_.serialisation).name, run.pop.headline()->name));
      break;
    }
  }

  double communication(const PopMetrics& pop) const {
    return table_.serialisation ? pop.of(*table_.serialisation).communication_efficiency : pop.communication_efficiency;
  }

  void add_efficiencies() {
    row("global_efficiency", "Global efficiency", 0,
        values([&](std::size_t i) { return against_[i].global_efficiency; }));
    row("parallel_efficiency", "Parallel efficiency", 1,
        of_pop([](const PopMetrics& p) { return p.parallel_efficiency; }));
    row("load_balance", "Load balance", 2, of_pop([](const PopMetrics& p) { return p.load_balance; }));
    row("communication_efficiency", "Communication efficiency", 2,
        of_pop([&](const PopMetrics& p) { return communication(p); }));
    if (table_.serialisation) {
      row("serialisation", "Serialisation", 3,
          of_pop([&](const PopMetrics& p) { return p.of(*table_.serialisation).serialisation; }));
      row("transfer", "Transfer", 3, of_pop([&](const PopMetrics& p) { return p.of(*table_.serialisation).transfer; }));
    }
    row("computation_scaling", "Computation scaling", 1,
        values([&](std::size_t i) { return against_[i].computation; }));
    row("instruction_scaling", "Instruction scaling", 2,
        values([&](std::size_t i) { return against_[i].instructions; }));
    row("ipc_scaling", "IPC scaling", 2, values([&](std::size_t i) { return against_[i].ipc; }));
    row("frequency_scaling", "Frequency scaling", 2, values([&](std::size_t i) { return against_[i].frequency; }));
  }

  void add_threads() {
    const auto of = [&](double HybridMetrics::*member) {
      return of_pop(
          [&](const PopMetrics& p) { return p.hybrid ? std::optional<double>((*p.hybrid).*member) : std::nullopt; });
    };
    row("hybrid_parallel_efficiency", "Parallel efficiency of all threads", 0, of(&HybridMetrics::parallel_efficiency));
    row("hybrid_process_efficiency", "Process level", 1, of(&HybridMetrics::process_efficiency));
    row("hybrid_thread_efficiency", "Thread level", 1, of(&HybridMetrics::thread_efficiency));
  }

  double growth(double processes) const {
    return table_.scaling == Scaling::strong || first().processes == 0 ? 1 : processes / first().processes;
  }

  void add_times() {
    const auto speed_up = [&](const PopMetrics& p) -> std::optional<double> {
      if (p.run_time == 0) return std::nullopt;
      return growth(p.processes) * static_cast<double>(first().run_time) / static_cast<double>(p.run_time);
    };
    row("speed_up", "Speed-up", 0, of_pop(speed_up), ScalingUnit::ratio);
    row("relative_efficiency", "Speed-up / processes, against the first", 0,
        of_pop([&](const PopMetrics& p) -> std::optional<double> {
          const std::optional<double> s = speed_up(p);
          return s && p.processes > 0 ? std::optional<double>(*s * first().processes / p.processes) : std::nullopt;
        }));
    row("run_time", "Run time", 0, of_pop([](const PopMetrics& p) { return static_cast<double>(p.run_time); }),
        ScalingUnit::nanoseconds);
    row("useful", "Useful computation, all processes", 0,
        of_pop([](const PopMetrics& p) { return static_cast<double>(p.useful_sum); }), ScalingUnit::nanoseconds);
  }

  /// Does the work look as if it scaled the way the user says? (basicanalysis: mean of the work's growth / the
  /// processes'.)
  void add_notes() {
    double sum = 0;
    unsigned larger = 0;
    const bool has_counters = std::all_of(table_.runs.begin(), table_.runs.end(),
                                          [](const ScalingRun& run) { return run.pop.instructions > 0; });
    const auto work = [&](const PopMetrics& p) {
      return static_cast<double>(has_counters ? p.instructions : p.useful_sum);
    };
    for (const ScalingRun& run : table_.runs) {
      if (run.pop.processes == first().processes || work(first()) <= 0) continue;
      sum += work(run.pop) / work(first()) * first().processes / run.pop.processes;
      ++larger;
    }
    if (larger > 0 && (sum / larger > weak_threshold) != (table_.scaling == Scaling::weak)) {
      table_.notes.push_back(fmt::format(
          "compared as {} scaling, but {} per process {} {:.2f} times the first run's: it looks like {} scaling",
          table_.scaling == Scaling::weak ? "weak" : "strong", has_counters ? "instructions" : "useful computation",
          larger == 1 ? "is" : "is on average", sum / larger, table_.scaling == Scaling::weak ? "strong" : "weak"));
    }
    for (const ScalingRun& run : table_.runs) {
      if (run.pop.useful_sum == 0) {
        table_.notes.push_back(fmt::format("{}: no useful computation; computation scaling has no meaning", run.label));
      }
    }
  }

  void extrapolate(std::vector<std::uint32_t> to) {
    Extrapolation& e = table_.extrapolation;
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
    if (to.empty()) return;
    e.processes = to;
    std::set<std::uint32_t> different;
    std::vector<std::uint32_t> processes;
    for (const ScalingRun& run : table_.runs) {
      processes.push_back(run.pop.processes);
      different.insert(run.pop.processes);
    }
    if (to.front() == 0) {
      e.why_not = "a run has at least one process";
    } else if (different.size() < fewest_runs) {
      e.why_not = fmt::format(
          "{} different numbers of processes were measured; a fit of two parameters with an error needs at least {}",
          different.size(), fewest_runs);
    } else if (first().useful_sum == 0) {
      e.why_not = "the first run has no useful computation";
    } else if (fit_factors(processes)) {
      multiply();
    }
  }

  bool fit_factors(const std::vector<std::uint32_t>& processes) {
    Extrapolation& e = table_.extrapolation;
    const auto fit = [&](std::string_view key, std::string_view name, const Values& of, bool is_at_most_one) {
      std::vector<double> known;
      for (const auto& value : of) known.push_back(value.value_or(0));
      std::optional<FactorFit> found = fit_factor(processes, known, e.processes, e.confidence);
      if (!found) {
        e.why_not = fmt::format("{} is 0 in one of the runs", name);
        return false;
      }
      found->key = key;
      found->name = name;
      for (Extrapolated& at : found->at) {
        if (!is_at_most_one) continue;
        at.value = std::min(at.value, 1.0);
        at.lower = std::min(at.lower, 1.0);
        at.upper = std::min(at.upper, 1.0);
      }
      e.factors.push_back(std::move(*found));
      return true;
    };
    const auto values_of = [&](std::string_view key) {
      return std::find_if(table_.rows.begin(), table_.rows.end(), [&](const ScalingRow& r) { return r.key == key; })
          ->values;
    };
    const auto at_most_one = [](const Values& of) {
      return std::all_of(of.begin(), of.end(), [](const auto& v) { return v && *v <= 1; });
    };
    std::vector<std::pair<std::string_view, std::string_view>> keys = {{"load_balance", "Load balance"}};
    if (table_.serialisation == IdealTime::replay_outside || !table_.serialisation) {
      keys.emplace_back("communication_efficiency", "Communication efficiency");
    } else {
      keys.emplace_back("serialisation", "Serialisation");
      keys.emplace_back("transfer", "Transfer");
    }
    for (const auto& [key, name] : keys) {
      const Values of = values_of(key);
      if (!fit(key, name, of, key == "load_balance" || at_most_one(of))) return false;
    }
    return fit("computation_scaling", "Computation scaling", values_of("computation_scaling"), false);
  }

  /// Of positive numbers, so the ends of the product's interval are the products of the ends.
  static void multiply_into(Extrapolated& product, const Extrapolated& factor) {
    product.value *= factor.value;
    product.lower *= factor.lower;
    product.upper *= factor.upper;
  }

  /// Run time and speed-up follow from global efficiency: global = growth x useful(ref) / (P x T).
  void multiply() {
    Extrapolation& e = table_.extrapolation;
    for (std::size_t k = 0; k < e.processes.size(); ++k) {
      Extrapolated product{e.processes[k], 1, 1, 1, e.factors.front().at[k].is_far};
      for (std::size_t f = 0; f + 1 < e.factors.size(); ++f) multiply_into(product, e.factors[f].at[k]);
      e.parallel_efficiency.push_back(product);
      multiply_into(product, e.factors.back().at[k]);
      e.global_efficiency.push_back(product);
      // Global efficiency = growth x useful(ref) / (P x T), and speed-up = growth x T(ref) / T.
      const double p = e.processes[k], work = growth(p) * static_cast<double>(first().useful_sum) / p;
      const double speed = growth(p) * static_cast<double>(first().run_time) / work;
      Extrapolated time = product, speed_up = product;
      time.value = work / product.value;
      time.lower = product.upper == infinity ? 0 : work / product.upper;
      time.upper = work / product.lower;
      speed_up.value *= speed;
      speed_up.lower *= speed;
      speed_up.upper *= speed;
      e.run_time.push_back(time);
      e.speed_up.push_back(speed_up);
    }
  }

  ScalingTable table_;
  std::vector<ComputationScaling> against_;
};

}  // namespace

ScalingTable scaling_table(std::vector<ScalingRun> runs, Scaling scaling, std::vector<std::uint32_t> extrapolate_to) {
  return ScalingTableMaker(std::move(runs), scaling).make(std::move(extrapolate_to));
}

}  // namespace mora::analysis
