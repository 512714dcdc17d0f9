/// The table in three passes: which interval each call path belongs to (interval_tree.h); elementary amounts of each
/// interval's own call paths, per location, then added to the intervals around it; and per process, the characteristics
/// that follow from them. Only integers, only additions before the last step. Source: DVM analyser, 4.1 and 5.3.2.
/// Cost: O(call paths x locations x metrics); memory: intervals x locations.
#include "analysis/efficiency/interval_table.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "analysis/efficiency/elementary_times.h"
#include "analysis/efficiency/interval_tree.h"
#include "base/time.h"

namespace mora::analysis {

namespace {

struct LocationAmounts {
  ElementaryAmounts own{};  ///< without nested intervals
  ElementaryAmounts inclusive{};
  std::int64_t executions = 0;
  std::int64_t first_execution = 0;
  std::int64_t insufficient = 0;  ///< user insufficient parallelism: computation that others repeat
};

std::int64_t of(const ElementaryAmounts& amounts, Elementary e) { return amounts[static_cast<std::size_t>(e)]; }
std::int64_t& of(Amounts& amounts, Characteristic c) { return amounts[static_cast<std::size_t>(c)]; }

std::int64_t computation(const ElementaryAmounts& a) {
  return of(a, Elementary::time) - of(a, Elementary::mpi) - of(a, Elementary::device) - of(a, Elementary::overhead) -
         of(a, Elementary::unrecorded);
}

/// One table; make() runs the passes.
class IntervalTableMaker {
 public:
  IntervalTableMaker(const cube::Cube& cube, const EfficiencyRules& rules)
      : cube_(cube), cells_(cube), tree_(interval_tree(cube)) {
    table_.rules = rules;
    table_.has_regions = std::any_of(cube.call_paths.begin(), cube.call_paths.end(), [](const cube::CallPath& path) {
      return path.kind != cube::CallPathKind::program && path.kind != cube::CallPathKind::compute;
    });
    amounts_.assign(tree_.intervals.size(), std::vector<LocationAmounts>(cube.locations.size()));
  }

  IntervalTable make() {
    add_own();
    if (!amounts_.empty()) choose_threads();
    find_replication();
    for (std::size_t i = amounts_.size(); i-- > 0;) add_nested(i);
    table_.intervals = std::move(tree_.intervals);
    for (std::size_t i = 0; i < table_.intervals.size(); ++i) fill(i);
    add_kinds();
    for (Interval& interval : table_.intervals) note(interval);
    return std::move(table_);
  }

 private:
  /// First pass: each call path's amounts go to its innermost interval, by location.
  void add_own() {
    const cube::MetricId visits = cube_.find_metric("visits"), first = cube_.find_metric("first-execution");
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      std::vector<LocationAmounts>& here = amounts_[tree_.of_path[c]];
      cells_.of(c, [&](Elementary e, const std::vector<std::int64_t>& row) {
        for (std::size_t l = 0; l < row.size(); ++l) here[l].own[static_cast<std::size_t>(e)] += row[l];
        if (e == Elementary::ideal) table_.is_replayed = true;
      });
      const bool begins =
          cube_.call_paths[c].kind == cube::CallPathKind::interval || cube_.call_paths[c].parent == cube::no_id;
      if (!begins) continue;
      const auto add = [&](cube::MetricId metric, std::int64_t LocationAmounts::*place) {
        if (metric == cube::no_id) return;
        const std::vector<std::int64_t>& row = cube_.row(metric, c);
        for (std::size_t l = 0; l < row.size(); ++l) here[l].*place += row[l];
      };
      add(visits, &LocationAmounts::executions);
      add(first, &LocationAmounts::first_execution);
    }
    // A process that did something took part in the program, and in its interval if visits were not counted.
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
      for (std::size_t l = 0; l < cube_.locations.size(); ++l) {
        LocationAmounts& here = amounts_[i][l];
        const bool did_something = of(here.own, Elementary::time) > 0;
        if (did_something && visits == cube::no_id) here.executions = std::max<std::int64_t>(here.executions, 1);
        if (did_something || here.executions > 0) {
          amounts_[0][l].executions = std::max<std::int64_t>(amounts_[0][l].executions, 1);
        }
      }
    }
  }

  /// How many processes repeat the computation of each interval: the largest of its own and those around it.
  void find_replication() {
    replication_.assign(amounts_.size(), 1);
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
      const Interval& interval = tree_.intervals[i];
      // No more copies than processes that execute it.
      const std::uint32_t own =
          std::clamp<std::uint32_t>(interval.replication, 1, std::max<std::uint32_t>(1, processes_of(i)));
      replication_[i] = interval.parent == SIZE_MAX ? own : std::max(own, replication_[interval.parent]);
    }
  }

  std::uint32_t processes_of(std::size_t i) const {
    return static_cast<std::uint32_t>(std::count_if(threads_.begin(), threads_.end(),
                                                    [&](cube::LocationId l) { return amounts_[i][l].executions > 0; }));
  }

  /// One thread stands for its process in all intervals, so that parts never exceed the whole: the lowest that took
  /// part in the program. By rank.
  void choose_threads() {
    std::map<std::uint32_t, cube::LocationId> by_rank;
    for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
      if (amounts_[0][l].executions == 0) continue;
      const auto [place, is_new] = by_rank.try_emplace(cube_.locations[l].rank, l);
      if (is_new) continue;
      table_.has_threads = true;
      if (cube_.locations[l].thread < cube_.locations[place->second].thread) place->second = l;
    }
    for (const auto& [rank, location] : by_rank) threads_.push_back(location);
    counted_ = threads_;
    std::sort(counted_.begin(), counted_.end());
  }

  /// Called from the last interval to the first: children come after their parents, so theirs has been added already.
  void add_nested(std::size_t i) {
    const std::size_t parent = tree_.intervals[i].parent;
    for (std::size_t l = 0; l < cube_.locations.size(); ++l) {
      LocationAmounts& here = amounts_[i][l];
      for (std::size_t e = 0; e < elementaries; ++e) here.inclusive[e] += here.own[e];
      const auto repeated = static_cast<__int128>(computation(here.own)) * (replication_[i] - 1) / replication_[i];
      here.insufficient += static_cast<std::int64_t>(repeated);
      if (parent == SIZE_MAX) continue;
      for (std::size_t e = 0; e < elementaries; ++e) amounts_[parent][l].inclusive[e] += here.inclusive[e];
      amounts_[parent][l].insufficient += here.insufficient;
    }
  }

  void fill(std::size_t i) {
    Interval& interval = table_.intervals[i];
    const auto executes = [&](cube::LocationId l) { return amounts_[i][l].executions != 0; };
    interval.processes.reserve(std::count_if(threads_.begin(), threads_.end(), executes));
    for (const cube::LocationId l : threads_) {
      const LocationAmounts& from = amounts_[i][l];
      if (!executes(l)) continue;
      ProcessAmounts process;
      process.rank = cube_.locations[l].rank;
      process.location = l;
      process.executions = from.executions;
      process.ideal_time = of(from.inclusive, Elementary::ideal);
      process.useful = of(from.inclusive, Elementary::useful);
      process.instructions = of(from.inclusive, Elementary::instructions);
      process.cycles = of(from.inclusive, Elementary::cycles);
      fill_own(from, process.amounts);
      interval.processes.push_back(process);
    }
    relate_processes(interval);
  }

  /// What a process's own events decide.
  void fill_own(const LocationAmounts& from, Amounts& to) const {
    const ElementaryAmounts& e = from.inclusive;
    const EfficiencyRules& rules = table_.rules;
    using enum Characteristic;
    of(to, execution_time) = of(e, Elementary::time);
    of(to, mpi_time) = of(e, Elementary::mpi);
    of(to, measurement) = of(e, Elementary::overhead) + of(e, Elementary::unrecorded);
    of(to, time_outside_mpi) = computation(e);
    of(to, device_time) = of(e, Elementary::device);
    of(to, user_insufficient_parallelism) = from.insufficient;
    of(to, point_to_point) = rules.send_receive == SendReceiveRule::in_calls ? of(e, Elementary::point_to_point)
                                                                             : of(e, Elementary::lifetime);
    of(to, collective) = of(e, Elementary::collective);
    of(to, all_to_all) = of(e, Elementary::all_to_all);
    of(to, one_sided) = of(e, Elementary::one_sided);
    of(to, io) = of(e, Elementary::io);
    of(to, communication) =
        of(to, point_to_point) + of(to, collective) + of(to, all_to_all) + of(to, one_sided) + of(to, io);
    of(to, system_insufficient_parallelism) = of(to, mpi_time) - of(to, communication);
    of(to, real_synchronization) = of(e, Elementary::waiting);
    of(to, potential_synchronization) =
        of(e, Elementary::potential_p2p) + (rules.synchronization == SynchronizationRule::waiting
                                                ? of(e, Elementary::potential_collective)
                                                : of(e, Elementary::start_delay));
    of(to, time_variation) = of(e, Elementary::variation);
    of(to, overlap) = of(e, Elementary::overlap);
    of(to, unhidden) = of(e, Elementary::unhidden);
    of(to, start_time) = of(e, Elementary::start_time);
    of(to, start_delay) = of(e, Elementary::start_delay);
    of(to, message_lifetime) = of(e, Elementary::lifetime);
    of(to, first_execution) = from.first_execution;
    of(to, cpu_time) = of(e, Elementary::cpu_time);
    of(to, run_queue_wait) = of(e, Elementary::run_queue);
    of(to, page_faults) = of(e, Elementary::page_faults);
    of(to, voluntary_switches) = of(e, Elementary::voluntary_switches);
    of(to, involuntary_switches) = of(e, Elementary::involuntary_switches);
  }

  /// What depends on the other processes, and the interval's own values.
  void relate_processes(Interval& interval) const {
    using enum Characteristic;
    std::int64_t longest = 0, largest_load = 0;
    const auto load_of = [&](const ProcessAmounts& p) {
      const std::int64_t cpu = p.amounts[static_cast<std::size_t>(time_outside_mpi)];
      return table_.rules.load == LoadRule::computation ? cpu : cpu + p.amounts[static_cast<std::size_t>(mpi_time)];
    };
    ProcessAmounts* least_mpi = nullptr;
    for (ProcessAmounts& p : interval.processes) {
      longest = std::max(longest, of(p.amounts, execution_time));
      largest_load = std::max(largest_load, load_of(p));
      if (least_mpi == nullptr || of(p.amounts, mpi_time) < of(least_mpi->amounts, mpi_time)) least_mpi = &p;
    }
    if (table_.rules.productive == ProductiveRule::one_mpi && least_mpi != nullptr) {
      of(least_mpi->amounts, useful_mpi) = of(least_mpi->amounts, mpi_time);
    }
    interval.fewest_executions = interval.processes.empty() ? 0 : INT64_MAX;
    for (ProcessAmounts& p : interval.processes) {
      Amounts& a = p.amounts;
      of(a, idle_time) = longest - of(a, execution_time);
      of(a, load_imbalance) = largest_load - load_of(p);
      of(a, lost_time) = of(a, user_insufficient_parallelism) + of(a, system_insufficient_parallelism) +
                         of(a, communication) + of(a, device_time) + of(a, idle_time) + of(a, measurement) -
                         of(a, useful_mpi);
      of(a, total_time) = longest;
      of(a, productive_time) = longest - of(a, lost_time);
      for (std::size_t c = 0; c < characteristics; ++c) interval.sum[c] += a[c];
      interval.executions = std::max(interval.executions, p.executions);
      interval.fewest_executions = std::min(interval.fewest_executions, p.executions);
    }
    of(interval.sum, execution_time) = longest;
  }

  /// Rows by MPI function: each call path counts in its interval and in all around it.
  void add_kinds() {
    const cube::MetricId visits = cube_.find_metric("visits");
    std::vector<std::map<std::string, KindRow>> kinds(table_.intervals.size());
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      const cube::CallPath& path = cube_.call_paths[c];
      if (path.kind != cube::CallPathKind::mpi) continue;
      std::vector<KindAmounts> row(cube_.locations.size());
      bool communicates = false;
      cells_.of(c, [&](Elementary e, const std::vector<std::int64_t>& amounts) {
        std::int64_t KindAmounts::*place = place_of(e, table_.rules);
        if (place == nullptr) return;
        communicates = true;
        for (std::size_t l = 0; l < amounts.size(); ++l) row[l].*place += amounts[l];
      });
      if (!communicates) continue;
      if (visits != cube::no_id) {
        const std::vector<std::int64_t>& counts = cube_.row(visits, c);
        for (std::size_t l = 0; l < counts.size(); ++l) row[l].count = counts[l];
      }
      for (std::size_t i = tree_.of_path[c]; i != SIZE_MAX; i = table_.intervals[i].parent) {
        const Interval& interval = table_.intervals[i];
        KindRow& kind = kinds[i][path.name];
        kind.name = path.name;
        kind.is_collective = cells_.is_collective(c);
        kind.by_process.resize(interval.processes.size());
        for (std::size_t p = 0; p < interval.processes.size(); ++p) {
          add(row[interval.processes[p].location], kind.by_process[p]);
          add(row[interval.processes[p].location], kind.sum);
        }
      }
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      for (auto& [name, row] : kinds[i]) table_.intervals[i].kinds.push_back(std::move(row));
    }
  }

  static void add(const KindAmounts& from, KindAmounts& to) {
    to.count += from.count;
    to.communication += from.communication;
    to.real_synchronization += from.real_synchronization;
    to.potential_synchronization += from.potential_synchronization;
    to.time_variation += from.time_variation;
    to.overlap += from.overlap;
  }

  /// In which column of a function's row an elementary amount stands under the definitions in force; nullptr: in none.
  static std::int64_t KindAmounts::*place_of(Elementary e, const EfficiencyRules& rules) {
    const bool lateness = rules.synchronization == SynchronizationRule::lateness;
    switch (e) {
      case Elementary::point_to_point:
        return rules.send_receive == SendReceiveRule::in_calls ? &KindAmounts::communication : nullptr;
      case Elementary::lifetime:
        return rules.send_receive == SendReceiveRule::lifetime ? &KindAmounts::communication : nullptr;
      case Elementary::collective:
      case Elementary::all_to_all:
      case Elementary::one_sided:
      case Elementary::io:
        return &KindAmounts::communication;
      case Elementary::waiting:
        return &KindAmounts::real_synchronization;
      case Elementary::potential_p2p:
        return &KindAmounts::potential_synchronization;
      case Elementary::potential_collective:
        return lateness ? nullptr : &KindAmounts::potential_synchronization;
      case Elementary::start_delay:
        return lateness ? &KindAmounts::potential_synchronization : nullptr;
      case Elementary::variation:
        return &KindAmounts::time_variation;
      case Elementary::request_overlap:
        return &KindAmounts::overlap;
      default:
        return nullptr;
    }
  }

  /// What must be said beside the numbers of an interval.
  void note(Interval& interval) const {
    const std::size_t all = table_.intervals.front().processes.size();
    const std::size_t some = interval.processes.size();
    if (some < all) interval.notes.push_back(fmt::format("executed by {} of {} processes", some, all));
    if (interval.fewest_executions != interval.executions) {
      interval.notes.push_back(fmt::format("executed {} to {} times, depending on the process",
                                           interval.fewest_executions, interval.executions));
    }
    if (some > 0 && interval.value(Characteristic::execution_time) == 0) {
      interval.notes.emplace_back("without length: its efficiency has no meaning");
    }
    const bool is_negative =
        std::any_of(interval.processes.begin(), interval.processes.end(), [](const ProcessAmounts& p) {
          return p.amounts[static_cast<std::size_t>(Characteristic::system_insufficient_parallelism)] < 0;
        });
    if (table_.rules.send_receive == SendReceiveRule::lifetime && is_negative) {
      interval.notes.emplace_back(
          "message lifetimes exceed the time in point-to-point calls: MPI without communication time is negative "
          "(Mora's rule "
          "efficiency-defaults)");
    }
    const auto i = static_cast<std::size_t>(&interval - table_.intervals.data());
    const std::uint32_t asked = interval.replication;
    if (asked != cube::all_processes && asked > replication_[i]) {
      interval.notes.push_back(fmt::format("marked as repeated by {} processes, executed by {}", asked, some));
    }
    std::size_t others = 0;
    for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
      const bool is_counted = std::binary_search(counted_.begin(), counted_.end(), l);
      others += !is_counted && amounts_[i][l].executions > 0;
    }
    if (others > 0) {
      interval.notes.push_back(fmt::format("{} other {} executed it, too: one thread of each process is counted",
                                           others, others == 1 ? "thread" : "threads"));
    }
    std::int64_t unrecorded = 0;
    std::size_t processes = 0;
    for (const ProcessAmounts& p : interval.processes) {
      const std::int64_t amount = of(amounts_[i][p.location].inclusive, Elementary::unrecorded);
      unrecorded += amount;
      processes += amount > 0;
    }
    if (unrecorded > 0) {
      interval.notes.push_back(fmt::format("not recorded: {} s on {} {}, counted as measurement",
                                           seconds_exact(unrecorded), processes,
                                           processes == 1 ? "process" : "processes"));
    }
  }

  const cube::Cube& cube_;
  ElementaryCells cells_;
  IntervalTree tree_;
  IntervalTable table_;
  std::vector<std::vector<LocationAmounts>> amounts_;  ///< [interval][location]
  std::vector<std::uint32_t> replication_;
  std::vector<cube::LocationId> threads_;  ///< one per process
  std::vector<cube::LocationId> counted_;  ///< the same, ascending
};

}  // namespace

double Interval::efficiency() const {
  const std::int64_t total = value(Characteristic::total_time);
  return total == 0 ? 1.0 : static_cast<double>(value(Characteristic::productive_time)) / static_cast<double>(total);
}

Comparison Interval::compare(Characteristic c) const {
  Comparison comparison;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::int64_t value = processes[i].amounts[static_cast<std::size_t>(c)];
    all += value;
    if (i == 0 || value < comparison.minimum) comparison.minimum = value, comparison.minimum_rank = processes[i].rank;
    if (i == 0 || value > comparison.maximum) comparison.maximum = value, comparison.maximum_rank = processes[i].rank;
  }
  if (!processes.empty()) comparison.mean = all / static_cast<std::int64_t>(processes.size());
  return comparison;
}

IntervalTable interval_table(const cube::Cube& cube, const EfficiencyRules& rules) {
  return IntervalTableMaker(cube, rules).make();
}

}  // namespace mora::analysis
