/// The numbers that rules read: amounts of an interval by characteristic or metric, by rank and by call path; which
/// rank computes more than the others, and where; which rank delays the others.
///
/// All amounts are exact sums of cells of the cube, computed when they are asked for; only the lists of call paths are
/// kept. Each query costs one pass over the interval's call paths x processes. Only the locations that the interval
/// table counts are read (the first thread of each process). Not thread-safe, because of the kept lists.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/advice/advice.h"

namespace mora::report::advice {

using Ids = std::initializer_list<const char*>;

/// A process that computes more than the others in an interval.
struct Load {
  std::uint32_t rank = 0;
  Nanoseconds computed = 0, mean = 0;        ///< in the interval; mean over its processes, rounded down
  cube::CallPathId call_path = cube::no_id;  ///< where the most of the difference is
  Nanoseconds there = 0, mean_there = 0;
};

/// The rank that delays the others most, and where.
struct Delayer {
  std::uint32_t rank = 0;
  Nanoseconds amount = 0, of = 0;            ///< of this rank, of all ranks
  cube::CallPathId call_path = cube::no_id;  ///< where it was delayed most; no_id = unknown
  Nanoseconds there = 0;
  std::string key;  ///< metric that the amount is of
};

/// Holds references to the input, which must outlive it.
class Ledger {
 public:
  explicit Ledger(const Input& input);

  const analysis::IntervalTable& table() const { return input_.table; }
  const analysis::Interval& interval(std::size_t i) const { return input_.table.intervals[i]; }
  const cube::Cube& cube() const { return input_.cube; }
  const Input& input() const { return input_; }
  Nanoseconds value(std::size_t interval, analysis::Characteristic c) const {
    return this->interval(interval).value(c);
  }
  /// Sum over the interval's processes, nested intervals included.
  Nanoseconds loss(std::size_t interval, Loss loss) const;
  const std::vector<std::size_t>& children(std::size_t interval) const { return children_[interval]; }
  bool is_inside(std::size_t interval, std::size_t ancestor) const;

  /// Sum over the interval's call paths and processes; 0 for metrics that the cube does not have.
  std::int64_t metric(std::size_t interval, Ids ids) const;
  /// The same per process, as Interval::processes.
  std::vector<std::int64_t> metric_by_process(std::size_t interval, Ids ids) const;
  /// One call path alone, over the interval's processes.
  std::int64_t metric_at(std::size_t interval, Ids ids, cube::CallPathId call_path) const;
  /// The interval's call paths with most of it, zeros left out.
  std::vector<Place> places(std::size_t interval, Ids ids, std::size_t most) const;
  /// Ascending.
  const std::vector<cube::CallPathId>& paths(std::size_t interval) const;
  bool holds(std::size_t interval, cube::CallPathId call_path) const;

  /// With file and line of the call path, or of the nearest region around it that has them.
  Place place(cube::CallPathId call_path, Nanoseconds amount, std::string of) const;
  /// "interval 0.2 solve (solve.c:20)", "the program".
  std::string name(std::size_t interval) const;

  /// Largest computation; nullopt if all compute alike, or alone.
  std::optional<Load> most_loaded(std::size_t interval) const;
  /// What `rank` computes more than the mean in `interval`; negative if less, 0 if it does not execute it.
  Nanoseconds above_mean(std::size_t interval, std::uint32_t rank) const;
  /// Where `rank` computes most above the mean, within `interval`.
  Load load_of(std::size_t interval, std::uint32_t rank) const;
  /// Ranks above (or below) the mean of computation, furthest first.
  std::vector<std::uint32_t> ranks_by_load(std::size_t interval, bool overloaded) const;

  /// The rank with the highest delay costs (metrics `delay-costs…`), anywhere in the program. nullopt without costs.
  std::optional<Delayer> by_delay_costs(Ids metrics) const;
  /// The rank that others waited for most, by the interval's findings of these metrics.
  std::optional<Delayer> by_causes(std::size_t interval, Ids metrics) const;
  /// nullptr if nobody waited there.
  const Finding* largest_finding(std::size_t interval) const;
  /// Kinds of data-quality rows which mean that some waiting is not known, because records of partners are missing.
  /// Messages and collectives without a partner count only if they are at least one in a hundred: a job that was killed
  /// always leaves a few.
  std::vector<std::string> gaps_of_waiting() const;
  /// The call path with these labels from the root (as findings have them); no_id = there is none.
  cube::CallPathId path_of(const std::vector<std::string>& labels) const;

 private:
  std::vector<cube::MetricId> metric_ids(Ids ids) const;

  const Input& input_;
  std::vector<std::vector<std::size_t>> children_;
  mutable std::vector<std::optional<std::vector<cube::CallPathId>>> paths_;
  mutable std::unordered_map<std::string, cube::CallPathId> by_labels_;  ///< filled when first asked
};

/// Siblings that were executed before the interval. If it has several executions, siblings after it were, too.
std::vector<std::size_t> neighbours(const Ledger& ledger, std::size_t interval);

/// amount / n, rounded up, because an upper bound must not become smaller by rounding.
inline Nanoseconds ceil_share(Nanoseconds amount, std::size_t n) {
  const auto d = static_cast<Nanoseconds>(n == 0 ? 1 : n);
  return amount <= 0 ? 0 : (amount - 1) / d + 1;
}

/// a / b; 0 if b is 0.
inline double ratio(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

/// "rank 3 waits", "ranks 1 and 2 wait"; `ranks` ascend.
std::string ranks_wait(const std::vector<std::uint32_t>& ranks);

}  // namespace mora::report::advice
