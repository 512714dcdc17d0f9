/// Where the intervals of a process are in time: what the timeline shows above its ruler. The intervals and their
/// numbers are those of `mora report --intervals`.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "serve/site.h"
#include "trace/intervals/interval_source.h"

namespace mora::cli {

/// Reads a location when it is asked for and keeps the last one, if it is of at most `kept_at_most` executions.
/// Thread-safe if nobody else reads the trace meanwhile.
class IntervalBand {
 public:
  /// `table` outlives it.
  explicit IntervalBand(const analysis::IntervalTable& table) : table_(table) {}

  /// Query: `location`, `from`, `until`, `columns`, `limit`. {"bars": [[interval, level, begin, end, executions] …],
  /// "numbers", "names": by interval, "all", "drawn", "in_run": executions of the location, in this time, in `bars`,
  /// and ever}: executions that are shorter than a column are joined with their neighbours of one interval; of more
  /// bars than `limit` the outer ones are there. `marked`: the trace as it was analysed.
  /// Errors: those of the trace.
  Result<std::string> json(trace::MarkedSource& marked, const serve::Query& query);

 private:
  struct Bar {
    std::uint32_t interval = 0, level = 0;
    Nanoseconds begin = 0, end = 0;
  };
  static constexpr std::size_t kept_at_most = 1 << 20;
  /// Of each interval in the order in which they begin; of an interval and one inside of it the inner one first.
  Result<void> each(trace::MarkedSource& marked, std::uint32_t location, const std::function<void(const Bar&)>& use);

  const analysis::IntervalTable& table_;
  std::mutex guards_;
  std::uint32_t location_ = trace::no_id;
  std::vector<Bar> bars_;  ///< of the location
};

}  // namespace mora::cli
