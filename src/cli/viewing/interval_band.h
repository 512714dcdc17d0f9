/// Where the intervals of a process are in time: what the timeline shows above its ruler. The intervals and their
/// numbers are those of `mora report --intervals`.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "serve/site.h"
#include "trace/clock/correct_clocks.h"
#include "trace/intervals/interval_source.h"

namespace mora::cli {

/// Reads a location when it is first asked for and keeps the last one. Thread-safe.
class IntervalBand {
 public:
  /// `table` outlives it. `options`: with which the analysis found them.
  IntervalBand(std::string path, const analysis::IntervalTable& table, trace::IntervalOptions options);

  /// Query: `location`, `from`, `until`, `columns`. {"bars": [[interval, level, begin, end, executions] …], "numbers":
  /// by interval, "all"}: executions that are shorter than a column are joined with their neighbours of one interval.
  /// Errors: those of the trace.
  Result<std::string> json(const serve::Query& query);

 private:
  struct Bar {
    std::uint32_t interval = 0, level = 0;
    Nanoseconds begin = 0, end = 0;
  };
  Result<void> read(std::uint32_t location);

  const std::string path_;
  const analysis::IntervalTable& table_;
  const trace::IntervalOptions options_;
  std::mutex guards_;
  trace::ClockCorrection correction_;
  std::unique_ptr<trace::MarkedSource> marked_;
  std::uint32_t location_ = trace::no_id;
  std::vector<Bar> bars_;  ///< of the location, ascending by begin
};

}  // namespace mora::cli
