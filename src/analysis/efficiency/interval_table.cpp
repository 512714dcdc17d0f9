/// The table in three passes: which interval each call path belongs to (interval_tree.h); elementary amounts of each
/// interval's own call paths, a column over all locations for each, then added to those of the intervals around it; and
/// of these the columns of the processes. Only integers, only additions. Source: DVM analyser, 4.1 and 5.3.2.
/// Cost: O(call paths x locations x metrics); memory: 8 bytes for each interval, location and elementary amount that is
/// not 0 everywhere.
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

std::int64_t at(const Column& column, std::size_t index) { return column.empty() ? 0 : column[index]; }

void add_row(const Column& from, Column& to) {
  if (to.empty())
    to = from;
  else
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

std::int64_t computation(const ElementaryColumns& columns, std::size_t l) {
  const auto of = [&](Elementary e) { return at(columns.of(e), l); };
  return of(Elementary::time) - of(Elementary::mpi) - of(Elementary::device) - of(Elementary::overhead) -
         of(Elementary::unrecorded);
}

/// One table; make() runs the passes.
class IntervalTableMaker {
 public:
  IntervalTableMaker(const cube::Cube& cube, const EfficiencyRules& rules, const std::vector<bool>& left_out)
      : cube_(cube), cells_(cube), left_out_(left_out), tree_(interval_tree(cube)), amounts_(tree_.intervals.size()) {
    table_.rules = rules;
    table_.has_regions = std::any_of(cube.call_paths.begin(), cube.call_paths.end(), [](const cube::CallPath& path) {
      return path.kind != cube::CallPathKind::program && path.kind != cube::CallPathKind::compute;
    });
  }

  IntervalTable make() {
    add_own();
    if (!amounts_.empty()) choose_threads();
    find_replication();
    for (std::size_t i = 0; i < amounts_.size(); ++i) add_insufficient(i);
    for (std::size_t i = amounts_.size(); i-- > 1;) add_nested(i);
    table_.intervals = std::move(tree_.intervals);
    for (std::size_t i = 0; i < table_.intervals.size(); ++i) fill(i);
    add_kinds();
    for (Interval& interval : table_.intervals) note(interval);
    return std::move(table_);
  }

 private:
  bool is_left_out(cube::CallPathId c) const { return c < left_out_.size() && left_out_[c]; }

  /// First pass: each call path's amounts go to its innermost interval, by location.
  void add_own() {
    const cube::MetricId visits = cube_.find_metric("visits"), first = cube_.find_metric("first-execution");
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      if (is_left_out(c)) continue;
      ElementaryColumns& here = amounts_[tree_.of_path[c]];
      cells_.of(c, [&](Elementary e, const Column& row) {
        add_row(row, here.of(e));
        if (e == Elementary::ideal) table_.is_replayed = true;
      });
      const bool begins =
          cube_.call_paths[c].kind == cube::CallPathKind::interval || cube_.call_paths[c].parent == cube::no_id;
      if (!begins) continue;
      if (visits != cube::no_id) add_row(cube_.row(visits, c), here.executions);
      if (first != cube::no_id) add_row(cube_.row(first, c), here.first_execution);
    }
    // A process that did something took part in the program, and in its interval if visits were not counted.
    for (ElementaryColumns& here : amounts_) {
      const auto once = [](std::size_t l, std::size_t all, Column& executions) {
        executions.resize(all);
        executions[l] = std::max<std::int64_t>(executions[l], 1);
      };
      for (std::size_t l = 0, all = cube_.locations.size(); l < all; ++l) {
        const bool did_something = at(here.of(Elementary::time), l) > 0;
        if (did_something && visits == cube::no_id) once(l, all, here.executions);
        if (did_something || at(here.executions, l) > 0) once(l, all, amounts_.front().executions);
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

  bool executes(cube::LocationId l, std::size_t i) const { return at(amounts_[i].executions, l) != 0; }
  std::uint32_t processes_of(std::size_t i) const {
    return static_cast<std::uint32_t>(std::count_if(
        threads_.begin(), threads_.end(), [&](cube::LocationId l) { return at(amounts_[i].executions, l) > 0; }));
  }

  /// One thread stands for its process in all intervals, so that parts never exceed the whole: the lowest that took
  /// part in the program. By rank.
  void choose_threads() {
    for (cube::LocationId l = 0; l < cube_.locations.size(); ++l)
      if (executes(l, 0)) threads_.push_back(l);
    const auto before = [&](cube::LocationId a, cube::LocationId b) {
      const cube::Location &x = cube_.locations[a], &y = cube_.locations[b];
      return std::pair(x.rank, x.thread) < std::pair(y.rank, y.thread);
    };
    if (!std::is_sorted(threads_.begin(), threads_.end(), before))
      std::stable_sort(threads_.begin(), threads_.end(), before);
    const auto others = std::unique(threads_.begin(), threads_.end(), [&](cube::LocationId a, cube::LocationId b) {
      return cube_.locations[a].rank == cube_.locations[b].rank;
    });
    table_.has_threads = others != threads_.end();
    threads_.erase(others, threads_.end());
    others_.assign(amounts_.size(), 0);
    if (!table_.has_threads) return;
    std::vector<bool> is_counted(cube_.locations.size());
    for (const cube::LocationId l : threads_) is_counted[l] = true;
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
      for (cube::LocationId l = 0; l < cube_.locations.size(); ++l)
        others_[i] += !is_counted[l] && at(amounts_[i].executions, l) > 0;
    }
  }

  /// Of the interval's own computation, before that of nested ones is added.
  void add_insufficient(std::size_t i) {
    if (replication_[i] == 1) return;
    ElementaryColumns& here = amounts_[i];
    here.insufficient.resize(cube_.locations.size());
    for (std::size_t l = 0; l < here.insufficient.size(); ++l) {
      const auto repeated = static_cast<__int128>(computation(here, l)) * (replication_[i] - 1) / replication_[i];
      here.insufficient[l] = static_cast<std::int64_t>(repeated);
    }
  }

  /// Called from the last interval to the first: children come after their parents, so theirs has been added already.
  void add_nested(std::size_t i) {
    const ElementaryColumns& here = amounts_[i];
    ElementaryColumns& parent = amounts_[tree_.intervals[i].parent];
    for (std::size_t e = 0; e < elementaries; ++e) add_row(here.elementary[e], parent.elementary[e]);
    add_row(here.insufficient, parent.insufficient);
  }

  /// The columns of the processes take the place of those of locations.
  void fill(std::size_t i) {
    Interval& interval = table_.intervals[i];
    ElementaryColumns columns = std::move(amounts_[i]);
    std::vector<cube::LocationId> locations;
    std::vector<std::uint32_t> ranks;
    locations.reserve(threads_.size());
    for (const cube::LocationId l : threads_)
      if (at(columns.executions, l) != 0) locations.push_back(l);
    locations.shrink_to_fit();
    ranks.reserve(locations.size());
    for (const cube::LocationId l : locations) ranks.push_back(cube_.locations[l].rank);
    columns.each([&](Column& column) { column = of_processes(std::move(column), locations); });
    interval.fewest_executions = locations.empty() ? 0 : INT64_MAX;
    for (const std::int64_t executions : columns.executions) {
      interval.executions = std::max(interval.executions, executions);
      interval.fewest_executions = std::min(interval.fewest_executions, executions);
    }
    interval.processes = ProcessList(table_.rules, std::move(ranks), std::move(locations), std::move(columns));
    interval.sum = interval.processes.sums();
  }

  /// Of a column over all locations.
  static Column of_processes(Column&& all, const std::vector<cube::LocationId>& locations) {
    const auto is_at = [&](std::size_t p) { return locations[p] == p; };
    std::size_t same = 0;
    while (same < locations.size() && is_at(same)) ++same;
    if (all.empty() || (same == all.size() && same == locations.size())) return std::move(all);
    Column some;
    some.reserve(locations.size());
    bool is_zero = true;
    for (const cube::LocationId l : locations) {
      some.push_back(all[l]);
      is_zero = is_zero && all[l] == 0;
    }
    return is_zero ? Column() : some;
  }

  /// Rows by MPI function: each call path counts in its interval and in all around it.
  void add_kinds() {
    const cube::MetricId visits = cube_.find_metric("visits");
    std::vector<std::map<std::string, KindRow>> kinds(table_.intervals.size());
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      const cube::CallPath& path = cube_.call_paths[c];
      if (path.kind != cube::CallPathKind::mpi || is_left_out(c)) continue;
      std::vector<std::pair<std::int64_t KindAmounts::*, const Column*>> rows;
      cells_.of(c, [&](Elementary e, const Column& row) {
        if (const auto place = place_of(e, table_.rules); place != nullptr) rows.emplace_back(place, &row);
      });
      if (rows.empty()) continue;
      if (visits != cube::no_id) rows.emplace_back(&KindAmounts::count, &cube_.row(visits, c));
      for (std::size_t i = tree_.of_path[c]; i != SIZE_MAX; i = table_.intervals[i].parent) {
        KindRow& kind = kinds[i][path.name];
        kind.name = path.name;
        kind.is_collective = cells_.is_collective(c);
        for (const auto& [place, row] : rows) add_kind(place, *row, table_.intervals[i].processes.locations(), kind);
      }
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      for (auto& [name, row] : kinds[i]) table_.intervals[i].kinds.push_back(std::move(row));
    }
  }

  static void add_kind(std::int64_t KindAmounts::*place, const Column& row,
                       const std::vector<cube::LocationId>& locations, KindRow& kind) {
    const auto member = std::find(std::begin(kind_members), std::end(kind_members), place) - std::begin(kind_members);
    Column& to = kind.by_process[static_cast<std::size_t>(member)];
    if (row.empty()) return;
    to.resize(locations.size());
    for (std::size_t p = 0; p < locations.size(); ++p) {
      to[p] += row[locations[p]];
      kind.sum.*place += row[locations[p]];
    }
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
    const auto is_negative = [](const ProcessAmounts& p) {
      return p.value(Characteristic::system_insufficient_parallelism) < 0;
    };
    if (table_.rules.send_receive == SendReceiveRule::lifetime &&
        std::any_of(interval.processes.begin(), interval.processes.end(), is_negative)) {
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
    if (const std::size_t others = others_[i]; others > 0) {
      interval.notes.push_back(fmt::format("{} other {} executed it, too: one thread of each process is counted",
                                           others, others == 1 ? "thread" : "threads"));
    }
    std::int64_t unrecorded = 0;
    std::size_t processes = 0;
    for (const ProcessAmounts& p : interval.processes) {
      const std::int64_t amount = p.value(Elementary::unrecorded);
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
  const std::vector<bool>& left_out_;
  IntervalTree tree_;
  IntervalTable table_;
  std::vector<ElementaryColumns> amounts_;  ///< by interval, over locations
  std::vector<std::uint32_t> replication_;
  std::vector<cube::LocationId> threads_;  ///< one per process, by rank
  std::vector<std::size_t> others_;        ///< by interval: threads that executed it and are not counted
};

}  // namespace

double Interval::efficiency() const {
  const std::int64_t total = value(Characteristic::total_time);
  return total == 0 ? 1.0 : static_cast<double>(value(Characteristic::productive_time)) / static_cast<double>(total);
}

Comparison Interval::compare(Characteristic c) const {
  Comparison comparison;
  std::int64_t all = 0;
  bool is_first = true;
  for (const ProcessAmounts& process : processes) {
    const std::int64_t value = process.value(c);
    all += value;
    if (is_first || value < comparison.minimum) comparison.minimum = value, comparison.minimum_rank = process.rank;
    if (is_first || value > comparison.maximum) comparison.maximum = value, comparison.maximum_rank = process.rank;
    is_first = false;
  }
  if (!processes.empty()) comparison.mean = all / static_cast<std::int64_t>(processes.size());
  return comparison;
}

KindAmounts KindRow::of_process(std::size_t process) const {
  KindAmounts amounts;
  for (std::size_t m = 0; m < by_process.size(); ++m) amounts.*kind_members[m] = at(by_process[m], process);
  return amounts;
}

IntervalTable interval_table(const cube::Cube& cube, const EfficiencyRules& rules, const std::vector<bool>& left_out) {
  return IntervalTableMaker(cube, rules, left_out).make();
}

}  // namespace mora::analysis
