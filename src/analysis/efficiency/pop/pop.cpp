/// Everything is a sum or a maximum of integers over the interval's processes, and one division at the end.
///
/// The four definitions of serialisation differ in T_ideal (replayed, or execution without what Cube Advisor calls
/// transfer) and in what is compared with it (useful computation, or all time outside MPI). They give different numbers
/// for the same run, so they are never mixed and each is shown with its name. Source: POP metrics; basicanalysis, PyPOP
/// and Cube Advisor for the definitions; Mora's rule pop-metrics. Cost: O(call paths of the interval x locations).
/// Limit: threads are only counted where their call paths are recorded.
#include "analysis/efficiency/pop/pop.h"

#include <algorithm>
#include <array>
#include <map>
#include "analysis/efficiency/focus.h"

#include <fmt/format.h>

#include "analysis/metric_info.h"

namespace mora::analysis {

namespace {

double ratio(std::int64_t part, std::int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

std::int64_t amount(const ProcessAmounts& process, Characteristic c) { return process.value(c); }

bool is_below(const cube::Cube& cube, cube::MetricId metric, std::string_view ancestor) {
  for (; metric != cube::no_id; metric = cube.metrics[metric].parent) {
    if (cube.metrics[metric].id == ancestor) return true;
  }
  return false;
}

/// Sums of metrics over the interval's call paths but those `left_out`, by location.
class PathSums {
 public:
  PathSums(const cube::Cube& cube, const Interval& interval, const std::vector<bool>& left_out)
      : cube_(cube), paths_(call_paths_of(cube, interval)) {
    std::erase_if(paths_, [&](cube::CallPathId path) { return path < left_out.size() && left_out[path]; });
  }

  void add(cube::MetricId metric, std::vector<std::int64_t>& to) const {
    to.resize(cube_.locations.size());
    if (metric == cube::no_id) return;
    for (const cube::CallPathId path : paths_) {
      const std::vector<std::int64_t>& row = cube_.row(metric, path);
      for (std::size_t l = 0; l < row.size(); ++l) to[l] += row[l];
    }
  }
  std::vector<std::int64_t> of(const char* metric) const {
    std::vector<std::int64_t> sums;
    add(cube_.find_metric(metric), sums);
    return sums;
  }

 private:
  const cube::Cube& cube_;
  std::vector<cube::CallPathId> paths_;
};

constexpr std::array<Serialisation, ideal_times> definitions() {
  std::array<Serialisation, ideal_times> all{};
  all[0].definition = IdealTime::replay_useful;
  all[0].key = "replay";
  all[0].name = "basicanalysis, replayed";
  all[0].formula = "max(useful) / T_ideal; transfer T_ideal / T; T_ideal: replay on a network without cost";
  all[0].source = "basicanalysis";
  all[1].definition = IdealTime::replay_outside;
  all[1].key = "replay-outside";
  all[1].name = "PyPOP, replayed";
  all[1].formula = "max(outside MPI) / T_ideal; transfer T_ideal / T; T_ideal: replay on a network without cost";
  all[1].source = "PyPOP";
  all[2].definition = IdealTime::advisor;
  all[2].key = "advisor";
  all[2].name = "Cube Advisor, one-sided waits included";
  all[2].formula =
      "max(useful) / T_ideal; transfer T_ideal / T; T_ideal = max(execution - (MPI - waiting - file I/O)), waiting of "
      "one-sided communication included";
  all[2].source = "Cube Advisor; Mora's rule pop-metrics";
  all[3].definition = IdealTime::advisor_no_rma;
  all[3].key = "advisor-no-rma";
  all[3].name = "Cube Advisor, as published";
  all[3].formula =
      "max(useful) / T_ideal; transfer T_ideal / T; T_ideal = max(execution - (MPI - waiting - file I/O)), waiting in "
      "one-sided communication counts as transfer";
  all[3].source = "Cube Advisor";
  return all;
}

/// The factors once T_ideal is known. Without any computation nothing is serialised: 0/0 = 1.
void fill(Serialisation& s, std::int64_t ideal, std::int64_t computed, const PopMetrics& pop) {
  s.ideal_time = ideal;
  if (pop.run_time == 0) {
    s.communication_efficiency = s.serialisation = s.transfer = s.additive_serialisation = s.additive_transfer = 1;
    return;
  }
  s.communication_efficiency = ratio(computed, pop.run_time);
  s.serialisation = ideal == 0 ? 1 : ratio(computed, ideal);
  s.transfer = s.additive_transfer = ratio(ideal, pop.run_time);
  s.additive_serialisation = 1 - ratio(ideal - computed, pop.run_time);
}

/// nullopt: no process has a second thread with time in the interval.
std::optional<HybridMetrics> hybrid_metrics(const cube::Cube& cube, const Interval& interval, const PathSums& sums,
                                            const PopMetrics& pop) {
  const std::vector<std::int64_t> time = sums.of("time"), useful = sums.of("computation");
  std::map<std::uint32_t, cube::LocationId> first;  // by rank
  for (const ProcessAmounts& p : interval.processes) first.emplace(p.rank, p.location);
  HybridMetrics hybrid;
  bool has_others = false;
  for (cube::LocationId l = 0; l < cube.locations.size(); ++l) {
    const auto process = first.find(cube.locations[l].rank);
    if (process == first.end() || (l != process->second && time[l] == 0)) continue;
    has_others = has_others || l != process->second;
    ++hybrid.threads;
    hybrid.useful_sum += useful[l];
  }
  if (!has_others) return std::nullopt;
  const auto n = static_cast<std::int64_t>(pop.processes), t = static_cast<std::int64_t>(hybrid.threads);
  if (pop.run_time == 0) {
    hybrid.parallel_efficiency = hybrid.process_efficiency = hybrid.load_balance = hybrid.communication_efficiency = 1;
    hybrid.thread_efficiency = hybrid.additive_load_balance = hybrid.additive_thread_efficiency = 1;
    return hybrid;
  }
  const auto run_time = static_cast<double>(pop.run_time);
  const double outside = ratio(pop.outside_sum, n), computed = ratio(hybrid.useful_sum, t);
  hybrid.parallel_efficiency = computed / run_time;
  hybrid.process_efficiency = outside / run_time;
  hybrid.load_balance = pop.outside_max == 0 ? 1 : outside / static_cast<double>(pop.outside_max);
  hybrid.communication_efficiency = ratio(pop.outside_max, pop.run_time);
  hybrid.thread_efficiency = outside > 0 ? computed / outside : 1;
  hybrid.additive_load_balance = 1 - (static_cast<double>(pop.outside_max) - outside) / run_time;
  hybrid.additive_thread_efficiency = 1 - (outside - computed) / run_time;
  return hybrid;
}

/// What Cube Advisor would call the run time without transfers, with and without the waits of one-sided communication.
struct AdvisorTimes {
  std::int64_t with_rma = 0, without_rma = 0;
};

/// Also adds up the waiting, since it is at hand here.
AdvisorTimes advisor_times(const cube::Cube& cube, const std::vector<MpiWait>& metrics, const Interval& interval,
                           const PathSums& sums, PopMetrics& pop) {
  std::vector<std::int64_t> waits(cube.locations.size()), rma = waits, file = waits;
  for (const MpiWait& wait : metrics) sums.add(wait.metric, wait.is_file ? file : wait.is_rma ? rma : waits);
  const std::vector<std::int64_t> io = sums.of("mpi-io");
  AdvisorTimes ideal;
  for (const ProcessAmounts& p : interval.processes) {
    const std::int64_t moved = amount(p, Characteristic::mpi_time) - waits[p.location] - io[p.location];
    const std::int64_t execution = amount(p, Characteristic::execution_time);
    ideal.with_rma = std::max(ideal.with_rma, execution - (moved - rma[p.location]));
    ideal.without_rma = std::max(ideal.without_rma, execution - moved);
    pop.waiting += waits[p.location] + rma[p.location] + file[p.location];
    pop.rma_waiting += rma[p.location];
  }
  return ideal;
}

void add_notes(const IntervalTable& table, const Interval& interval, PopMetrics& pop) {
  if (pop.run_time == 0)
    pop.notes.emplace_back("the interval has no length: all efficiencies are 1 and have no meaning");
  const std::int64_t all = interval.value(Characteristic::total_time);
  if (pop.measurement > 0 && pop.measurement >= all / 100) {
    pop.notes.push_back(
        fmt::format("{:.1f} % of the processes' time is measurement or was not recorded: in the run time, never in "
                    "useful computation",
                    100 * ratio(pop.measurement, all)));
  }
  if (pop.rma_waiting > 0) {
    pop.notes.emplace_back(
        "waiting in one-sided communication: serialisation, but transfer in Cube Advisor as published");
  }
  const Serialisation& replayed = pop.of(IdealTime::replay_useful);
  if (pop.run_time > 0 && replayed.ideal_time && *replayed.ideal_time > pop.run_time) {
    pop.notes.push_back(fmt::format(
        "on the ideal network the run would take {:.4f} times as long, so transfer is above 1: calls that did not wait "
        "in the run wait in the replay, clocks disagree, or records are missing",
        ratio(*replayed.ideal_time, pop.run_time)));
  }
  if (table.has_threads && !pop.hybrid) {
    pop.notes.emplace_back("threads are not known in this interval: only the first thread of each process counts");
  }
  for (const std::string& note : interval.notes) pop.notes.push_back(note);
}

}  // namespace

const Serialisation* PopMetrics::headline() const {
  for (const Serialisation& s : serialisations) {
    if (s.ideal_time) return &s;
  }
  return nullptr;
}

std::vector<MpiWait> mpi_waits(const cube::Cube& cube) {
  std::vector<MpiWait> waits;
  for (const cube::MetricId metric : waiting_metrics(cube)) {
    waits.push_back({metric,
                     is_below(cube, metric, "synchronization-one-sided") || is_below(cube, metric, "one-sided") ||
                         is_below(cube, metric, "shmem-locks"),
                     is_below(cube, metric, "mpi-io")});
  }
  return waits;
}

namespace {

PopMetrics metrics_of(const cube::Cube& cube, const IntervalTable& table, std::size_t index,
                      const std::vector<bool>& left_out = {}) {
  const Interval& interval = table.intervals[index];
  PopMetrics pop;
  pop.processes = static_cast<std::uint32_t>(interval.processes.size());
  std::int64_t ideal = 0;
  for (const ProcessAmounts& p : interval.processes) {
    pop.run_time = std::max(pop.run_time, amount(p, Characteristic::execution_time));
    pop.useful_sum += p.useful();
    pop.useful_max = std::max(pop.useful_max, p.useful());
    pop.outside_sum += amount(p, Characteristic::time_outside_mpi);
    pop.outside_max = std::max(pop.outside_max, amount(p, Characteristic::time_outside_mpi));
    pop.instructions += p.instructions();
    pop.cycles += p.cycles();
    pop.measurement += amount(p, Characteristic::measurement);
    ideal = std::max(ideal, p.ideal_time());
  }
  const auto n = static_cast<std::int64_t>(pop.processes);
  if (pop.run_time == 0) {
    pop.parallel_efficiency = pop.load_balance = pop.communication_efficiency = 1;
    pop.additive_load_balance = pop.additive_communication_efficiency = 1;
  } else {
    const double mean = ratio(pop.useful_sum, n);
    const auto run_time = static_cast<double>(pop.run_time);
    pop.parallel_efficiency = mean / run_time;
    pop.load_balance = pop.useful_max == 0 ? 1 : mean / static_cast<double>(pop.useful_max);
    pop.communication_efficiency = pop.additive_communication_efficiency = ratio(pop.useful_max, pop.run_time);
    pop.additive_load_balance = 1 - (static_cast<double>(pop.useful_max) - mean) / run_time;
  }
  const PathSums sums(cube, interval, left_out);
  const std::vector<MpiWait> waits = mpi_waits(cube);
  const AdvisorTimes advisor = advisor_times(cube, waits, interval, sums, pop);
  for (Serialisation s : definitions()) {
    const bool replays = s.definition == IdealTime::replay_useful || s.definition == IdealTime::replay_outside;
    if (replays && !table.is_replayed) {
      s.why_not = "the result has no replay on the ideal network";
    } else if (!replays && waits.empty()) {
      s.why_not = "the result has no wait states";
    } else if (replays) {
      fill(s, ideal, s.definition == IdealTime::replay_useful ? pop.useful_max : pop.outside_max, pop);
    } else {
      fill(s, s.definition == IdealTime::advisor ? advisor.with_rma : advisor.without_rma, pop.useful_max, pop);
    }
    pop.serialisations.push_back(std::move(s));
  }
  if (table.has_threads) pop.hybrid = hybrid_metrics(cube, interval, sums, pop);
  add_notes(table, interval, pop);
  return pop;
}

/// Of the first threads of all processes.
std::int64_t time_of(const Interval& interval) {
  std::int64_t sum = 0;
  for (const ProcessAmounts& p : interval.processes) sum += amount(p, Characteristic::execution_time);
  return sum;
}

}  // namespace

std::optional<HybridMetrics> thread_metrics(const cube::Cube& cube, const IntervalTable& table, std::size_t index) {
  if (!table.has_threads) return std::nullopt;
  return metrics_of(cube, table, index).hybrid;
}

PopMetrics pop_metrics(const cube::Cube& cube, const IntervalTable& table, std::size_t index) {
  const std::vector<bool> outside = index == 0 ? outside_focus(cube) : std::vector<bool>();
  if (std::find(outside.begin(), outside.end(), true) == outside.end()) return metrics_of(cube, table, index);
  IntervalTable of_focus = interval_table(cube, table.rules, outside);
  // On the ideal network MPI_Init and MPI_Finalize only wait, which left with their call paths; what is computed before
  // and after them stands at the program's regions.
  Column outside_mpi(cube.locations.size());
  for (const ProcessAmounts& p : table.intervals[0].processes)
    outside_mpi[p.location] = amount(p, Characteristic::time_outside_mpi);
  ProcessList& processes = of_focus.intervals[0].processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const ProcessAmounts p = processes[i];
    const std::int64_t before_and_after = outside_mpi[p.location] - amount(p, Characteristic::time_outside_mpi);
    processes.set(i, Elementary::ideal, std::max<std::int64_t>(0, p.ideal_time() - before_and_after));
  }
  PopMetrics pop = metrics_of(cube, of_focus, 0, outside);
  pop.start_and_end = time_of(table.intervals[0]) - time_of(of_focus.intervals[0]);
  return pop;
}

ComputationScaling scaling_against(const PopMetrics& reference, const PopMetrics& run, Scaling scaling) {
  ComputationScaling result;
  const double growth = scaling == Scaling::strong || reference.processes == 0
                            ? 1
                            : static_cast<double>(run.processes) / reference.processes;
  if (reference.useful_sum > 0 && run.useful_sum > 0) {
    result.computation = growth * ratio(reference.useful_sum, run.useful_sum);
    if (reference.instructions > 0 && run.instructions > 0) {
      result.instructions = growth * ratio(reference.instructions, run.instructions);
      if (reference.cycles > 0 && run.cycles > 0) {
        result.ipc = ratio(run.instructions, run.cycles) / ratio(reference.instructions, reference.cycles);
      }
    }
    if (reference.cycles > 0 && run.cycles > 0) {
      result.frequency = ratio(run.cycles, run.useful_sum) / ratio(reference.cycles, reference.useful_sum);
    }
  }
  result.global_efficiency = run.parallel_efficiency * result.computation;
  return result;
}

}  // namespace mora::analysis
