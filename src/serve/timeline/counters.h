/// Readings of counters (METRIC events) as stretches between one reading and the next of the same location: how much
/// was counted there, and how much of it for each nanosecond. Of CPU_TIME and RUN_QUEUE_WAIT that is the share of the
/// time in which the process had a core, or waited for one.
///
/// Filled in one pass by one thread, then read by any. Memory: 16 bytes for each reading, at most `readings_at_most`;
/// further ones are counted, and the answer says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_writer.h"
#include "serve/kept_bytes.h"
#include "serve/site.h"
#include "trace/definitions.h"
#include "trace/metrics/metric_value.h"

namespace mora::serve {

class Counters {
 public:
  Counters(const std::vector<trace::Metric>& metrics, std::uint32_t locations);
  /// The readings of a location come in order of time.
  void add(std::uint32_t metric, std::uint32_t location, Nanoseconds time, const trace::MetricValue& value);

  void keep(KeptBytes& bytes);

  /// Those that were read at all: [{"name", "unit", "readings"} …] in the order of the definitions, null for others.
  void write_names(JsonWriter& json) const;
  /// Query: `metric` (index), `from`, `until`, `first`, `count` (of `rows`: locations), `limit` (5000). {"stretches":
  /// [[location, from, until, amount, rate] …], "all": how many there are, "largest": the largest rate of the metric in
  /// the whole trace, "left_out": readings of the trace that were not kept}. Errors (usage): no such metric.
  Result<std::string> json(const Query& query, const std::vector<std::uint32_t>& rows) const;

 private:
  struct Reading {
    Nanoseconds time = 0;
    double value = 0;  ///< since the first one, of which a double may not have all digits
  };
  struct Counter {
    std::vector<std::vector<Reading>> of;   ///< by location; empty if it was never read
    std::vector<trace::MetricValue> first;  ///< by location, while readings come
    std::uint64_t readings = 0;
    double largest = 0;  ///< rate
  };
  /// What was counted between a reading and the one before it.
  double amount(std::uint32_t metric, const Reading& before, const Reading& now) const;

  const std::vector<trace::Metric>& metrics_;
  std::uint32_t locations_;
  std::vector<Counter> counters_;
  std::uint64_t kept_ = 0, left_out_ = 0;
};

}  // namespace mora::serve
