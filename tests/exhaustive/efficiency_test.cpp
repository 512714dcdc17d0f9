/// The efficiency analysis against the naive reference on random programs: its metrics cell by cell, all
/// characteristics of all intervals under every rule, and the invariants that hold between characteristics.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/analyze.h"
#include "analysis/efficiency/interval_table.h"
#include "programs_efficiency.h"
#include "reference_efficiency.h"

namespace mora::exhaustive {
namespace {

using analysis::Characteristic;
using analysis::EfficiencyRules;
using analysis::Interval;
using analysis::IntervalTable;
using analysis::ProcessAmounts;

constexpr std::uint64_t programs = 4000;

const std::set<std::string>& metrics_of_reference() {
  static const std::set<std::string> ids = {"time",
                                            "computation",
                                            "overhead",
                                            "mpi",
                                            "mpi-communicator",
                                            "barrier",
                                            "fence",
                                            "window-handling",
                                            "point-to-point",
                                            "collective",
                                            "one-sided",
                                            "mpi-io",
                                            "potential-synchronization",
                                            "potential-synchronization-point-to-point",
                                            "potential-synchronization-collective",
                                            "start-delay",
                                            "time-variation",
                                            "message-lifetime",
                                            "overlap",
                                            "request-overlap",
                                            "first-execution"};
  return ids;
}

std::string label_of(const cube::CallPath& path) {
  return path.kind == cube::CallPathKind::interval ? interval_label(path.name, path.file, path.line, path.id)
                                                   : path.name;
}

std::string path_of(const cube::Cube& cube, cube::CallPathId path) {
  std::string text;
  for (; cube.call_paths[path].parent != cube::no_id; path = cube.call_paths[path].parent) {
    text = "/" + label_of(cube.call_paths[path]) + text;
  }
  return text;
}

/// The innermost interval around a call path, as the reference names it.
std::string interval_of(const cube::Cube& cube, cube::CallPathId path) {
  std::string text;
  for (; path != cube::no_id; path = cube.call_paths[path].parent) {
    if (cube.call_paths[path].kind == cube::CallPathKind::interval) text = "|" + label_of(cube.call_paths[path]) + text;
  }
  return text;
}

std::string interval_of(const IntervalTable& table, std::size_t i) {
  const Interval& interval = table.intervals[i];
  if (interval.parent == SIZE_MAX) return "";
  return interval_of(table, interval.parent) + "|" +
         interval_label(interval.name, interval.file, interval.line, interval.id);
}

template <class Accept>
std::string text_of(const cube::Cube& cube, const Accept& accept) {
  Cells cells;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    if (!accept(cube.metrics[m].id)) continue;
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      for (std::uint32_t l = 0; l < row.size(); ++l) cells[{cube.metrics[m].id, path_of(cube, c), l}] += row[l];
    }
  }
  std::string text;
  for (const auto& [where, amount] : cells) {
    if (amount == 0) continue;
    text += std::get<0>(where) + " " + std::get<1>(where) + " @" + std::to_string(std::get<2>(where)) + " = " +
            std::to_string(amount) + "\n";
  }
  return text;
}

std::string text_of(const Cells& cells) {
  std::string text;
  for (const auto& [where, amount] : cells) {
    if (amount == 0) continue;
    text += std::get<0>(where) + " " + std::get<1>(where) + " @" + std::to_string(std::get<2>(where)) + " = " +
            std::to_string(amount) + "\n";
  }
  return text;
}

/// What the table's real synchronisation must be: the wait states of two-sided calls, windows and files.
std::int64_t waiting(const cube::Cube& cube, const std::string& interval, cube::LocationId location) {
  std::int64_t sum = 0;
  for (const char* id :
       {"late-sender", "late-receiver", "wait-at-barrier", "late-broadcast", "early-reduce", "early-scan",
        "wait-at-scan", "wait-at-nxn", "wait-at-create", "wait-at-fence", "io-collective-wait", "file-collective-wait",
        "nonblocking-collective-wait", "nonblocking-progress"}) {
    const cube::MetricId metric = cube.find_metric(id);
    EXPECT_NE(metric, cube::no_id) << id;
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      if (interval_of(cube, c).starts_with(interval)) sum += cube.get(metric, c, location);
    }
  }
  return sum;
}

std::string text_of(const CharacteristicValues& values) {
  std::string text;
  for (const auto& [interval, characteristics] : values) {
    text += "interval '" + interval + "'\n";
    for (const auto& [key, by_rank] : characteristics) {
      text += "  " + key;
      for (const auto& [rank, amount] : by_rank) {
        text += " " + (rank == no_rank ? "sum" : std::to_string(rank)) + ":" + std::to_string(amount);
      }
      text += "\n";
    }
  }
  return text;
}

CharacteristicValues values_of(const IntervalTable& table) {
  CharacteristicValues values;
  for (std::size_t i = 0; i < table.intervals.size(); ++i) {
    auto& here = values[interval_of(table, i)];
    for (const analysis::CharacteristicInfo& info : analysis::characteristic_infos()) {
      if (info.key == "efficiency" || info.key == "processors" || info.key == "real_synchronization") continue;
      auto& by_rank = here[std::string(info.key)];
      for (const ProcessAmounts& p : table.intervals[i].processes) {
        by_rank[p.rank] = p.value(info.id);
      }
      by_rank[no_rank] = table.intervals[i].value(info.id);
    }
  }
  return values;
}

std::vector<EfficiencyRules> all_rules() {
  std::vector<EfficiencyRules> all;
  for (int bits = 0; bits < 16; ++bits) {
    EfficiencyRules rules;
    if ((bits & 1) != 0) rules.productive = analysis::ProductiveRule::one_mpi;
    if ((bits & 2) != 0) rules.synchronization = analysis::SynchronizationRule::lateness;
    if ((bits & 4) != 0) rules.load = analysis::LoadRule::execution;
    if ((bits & 8) != 0) rules.send_receive = analysis::SendReceiveRule::lifetime;
    all.push_back(rules);
  }
  return all;
}

std::int64_t of(const ProcessAmounts& p, Characteristic c) { return p.value(c); }

/// Sums and bounds between the characteristics of one interval.
void check_invariants(const Interval& interval, const EfficiencyRules& rules) {
  using enum Characteristic;
  const auto n = static_cast<std::int64_t>(interval.processes.size());
  ASSERT_GT(n, 0);
  std::int64_t longest = 0, executions = 0, largest_load = 0, loads = 0, least_idle = INT64_MAX;
  for (const ProcessAmounts& p : interval.processes) {
    longest = std::max(longest, of(p, execution_time));
    executions += of(p, execution_time);
    least_idle = std::min(least_idle, of(p, idle_time));
    const std::int64_t load =
        of(p, time_outside_mpi) + (rules.load == analysis::LoadRule::execution ? of(p, mpi_time) : 0);
    largest_load = std::max(largest_load, load);
    loads += load;
    EXPECT_EQ(of(p, execution_time),
              of(p, time_outside_mpi) + of(p, mpi_time) + of(p, device_time) + of(p, measurement));  // 3
    EXPECT_EQ(of(p, communication),
              of(p, point_to_point) + of(p, collective) + of(p, all_to_all) + of(p, one_sided) + of(p, io));  // 5
    if (of(p, user_insufficient_parallelism) == 0 && of(p, useful_mpi) == 0) {                                // 4
      EXPECT_EQ(of(p, lost_time), of(p, mpi_time) + of(p, idle_time) + of(p, measurement));
      EXPECT_EQ(of(p, productive_time), of(p, time_outside_mpi));
    }
    EXPECT_LE(of(p, overlap), of(p, time_outside_mpi));
    EXPECT_LE(of(p, real_synchronization), of(p, mpi_time));
  }
  EXPECT_EQ(interval.value(execution_time), longest);  // 1
  EXPECT_EQ(interval.value(total_time), n * longest);
  EXPECT_EQ(interval.value(lost_time), interval.value(total_time) - interval.value(productive_time));
  EXPECT_GE(interval.efficiency(), 0);
  EXPECT_LE(interval.efficiency(), 1);
  EXPECT_EQ(interval.value(idle_time), interval.value(total_time) - executions);  // 2
  EXPECT_EQ(least_idle, 0);
  EXPECT_EQ(interval.value(load_imbalance), n * largest_load - loads);                 // 8
  for (const analysis::CharacteristicInfo& info : analysis::characteristic_infos()) {  // 6
    if (!info.is_additive) continue;
    std::int64_t sum = 0;
    for (const ProcessAmounts& p : interval.processes) sum += of(p, info.id);
    EXPECT_EQ(interval.value(info.id), sum) << info.key;
    const analysis::Comparison comparison = interval.compare(info.id);
    EXPECT_EQ(comparison.mean, sum / n) << info.key;
    EXPECT_LE(comparison.minimum, comparison.mean) << info.key;
    EXPECT_LE(comparison.mean, comparison.maximum) << info.key;
  }
}

/// What adds up along the tree of intervals, per process. Not idle time and imbalance, which compensate each other
/// between intervals, nor what is made of them.
void check_nesting(const IntervalTable& table, std::size_t i) {
  using enum Characteristic;
  const Interval& child = table.intervals[i];
  if (child.parent == SIZE_MAX) return;
  const Interval& parent = table.intervals[child.parent];
  for (const ProcessAmounts& p : child.processes) {
    const auto around = std::find_if(parent.processes.begin(), parent.processes.end(),
                                     [&](const ProcessAmounts& q) { return q.rank == p.rank; });
    ASSERT_NE(around, parent.processes.end());
    for (const Characteristic c :
         {execution_time, time_outside_mpi, mpi_time, measurement, user_insufficient_parallelism, communication,
          point_to_point, collective, all_to_all, one_sided, io, potential_synchronization, real_synchronization,
          time_variation, overlap, unhidden, start_time, start_delay, message_lifetime}) {
      EXPECT_LE(of(p, c), of(*around, c)) << analysis::info_of(c).key;
    }
  }
}

void check_kinds(const Interval& interval, const std::string& identity, const EfficiencyReference& reference) {
  std::map<std::string, std::map<std::uint32_t, analysis::KindAmounts>> wanted;
  for (const Amount& a : reference.amounts) {
    if (a.function.empty() || std::find(a.intervals.begin(), a.intervals.end(), identity) == a.intervals.end())
      continue;
    analysis::KindAmounts& kind = wanted[a.function][a.rank];
    for (const char* communicates :
         {"point-to-point", "collective", "barrier", "one-sided", "fence", "window-handling", "mpi-io"}) {
      if (a.metric == communicates) kind.communication += a.amount;
    }
    if (a.metric.starts_with("potential-synchronization-")) kind.potential_synchronization += a.amount;
    if (a.metric == "time-variation") kind.time_variation += a.amount;
    if (a.metric == "request-overlap") kind.overlap += a.amount;
  }
  for (const analysis::KindRow& row : interval.kinds) {
    for (std::size_t p = 0; p < interval.processes.size(); ++p) {
      const analysis::KindAmounts& want = wanted[row.name][interval.processes[p].rank];
      EXPECT_EQ(row.of_process(p).communication, want.communication) << row.name;
      EXPECT_EQ(row.of_process(p).potential_synchronization, want.potential_synchronization) << row.name;
      EXPECT_EQ(row.of_process(p).time_variation, want.time_variation) << row.name;
      EXPECT_EQ(row.of_process(p).overlap, want.overlap) << row.name;
    }
    wanted.erase(row.name);
  }
  for (const auto& [name, by_rank] : wanted) {
    for (const auto& [rank, amounts] : by_rank) {
      EXPECT_EQ(amounts.communication + amounts.time_variation + amounts.overlap, 0) << name << " has no row";
    }
  }
}

analysis::AnalysisResult analyse(trace::MemorySource& source, unsigned partitions, unsigned workers, bool causes) {
  analysis::AnalyzeOptions options;
  options.workers = workers;
  options.partitions = partitions;
  options.causes = causes;
  options.ideal_network = causes;
  source.quality_table = DataQuality();
  auto result = analysis::analyze(source, "random", options);
  EXPECT_TRUE(result.has_value());
  return result ? std::move(*result) : analysis::AnalysisResult{};
}

TEST(Efficiency, MetricsEqualTheReferenceCellByCell) {
  std::set<std::string> seen;
  for (std::uint64_t number = 0; number < programs && !HasFailure(); ++number) {
    trace::MemorySource source = random_efficiency_program(number);
    const EfficiencyReference reference = measure_naively(source);
    const analysis::AnalysisResult result = analyse(source, 1, 1, false);
    const std::string cells =
        text_of(result.cube, [](const std::string& id) { return metrics_of_reference().contains(id); });
    EXPECT_EQ(cells, text_of(cells_of(reference))) << "program " << number;
    for (const Amount& a : reference.amounts) seen.insert(a.metric);
    for (const auto* instances : {&reference.potentials, &reference.delays, &reference.variations}) {  // invariant 7
      for (const std::vector<std::int64_t>& instance : *instances) {
        EXPECT_EQ(*std::min_element(instance.begin(), instance.end()), 0) << "program " << number;
      }
    }
    if (number % 8 != 0) continue;
    const auto everything = [](const analysis::AnalysisResult& r) {
      return text_of(r.cube, [](const std::string&) { return true; });
    };
    const std::string one = everything(analyse(source, 1, 1, true));
    for (const unsigned partitions : {2U, 3U, 5U}) {
      EXPECT_EQ(everything(analyse(source, partitions, number % 64 == 0 ? partitions : 1, true)), one)
          << "program " << number << ", " << partitions << " partitions";
    }
  }
  for (const std::string& metric : metrics_of_reference()) {  // nothing was compared with nothing
    EXPECT_TRUE(metric == "potential-synchronization" || seen.contains(metric)) << metric;
  }
}

TEST(Efficiency, CharacteristicsOfAllIntervalsEqualTheReferenceUnderEveryRule) {
  std::size_t intervals = 0, repeated = 0;
  for (std::uint64_t number = 0; number < programs / 4 && !HasFailure(); ++number) {
    trace::MemorySource source = random_efficiency_program(number);
    const EfficiencyReference reference = measure_naively(source);
    const analysis::AnalysisResult result = analyse(source, 1, 1, false);
    for (const EfficiencyRules& rules : all_rules()) {
      const IntervalTable table = analysis::interval_table(result.cube, rules);
      EXPECT_EQ(text_of(values_of(table)), text_of(characteristics_naively(reference, rules))) << "program " << number;
      for (std::size_t i = 0; i < table.intervals.size(); ++i) {
        SCOPED_TRACE("program " + std::to_string(number) + ", interval '" + interval_of(table, i) + "'");
        check_invariants(table.intervals[i], rules);
        check_nesting(table, i);
      }
    }
    const IntervalTable table = analysis::interval_table(result.cube);
    EXPECT_EQ(table.intervals.size(), reference.intervals.size());
    for (std::size_t i = 0; i < table.intervals.size(); ++i) {
      const Interval& interval = table.intervals[i];
      const std::string identity = interval_of(table, i);
      SCOPED_TRACE("program " + std::to_string(number) + ", interval '" + identity + "'");
      const auto& executions = reference.intervals.at(identity);
      EXPECT_EQ(interval.processes.size(), executions.size());
      for (const ProcessAmounts& p : interval.processes) {
        ASSERT_TRUE(executions.contains(p.rank));
        EXPECT_EQ(p.executions, executions.at(p.rank).count);
        EXPECT_EQ(of(p, Characteristic::real_synchronization), waiting(result.cube, identity, p.location));
        repeated += p.executions > 1 ? 1 : 0;
      }
      check_kinds(interval, identity, reference);
      ++intervals;
    }
  }
  EXPECT_GT(intervals, programs / 2);
  EXPECT_GT(repeated, programs / 40);
}

}  // namespace
}  // namespace mora::exhaustive
