/// Counters of `mora record --counters` in the archive: one class of metrics behind those of the core
/// (base/core_counters.h), with what could be opened somewhere in the job. Not thread-safe while it is filled.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// What the journals of a process say of its counters.
struct CounterDefinition {
  std::uint32_t number = 0;  ///< its place in readings
  std::int32_t how = 0;      ///< enum mora_counter_how
  std::int32_t error = 0;    ///< errno
  bool is_program_only = false;
  std::string name;
  auto operator<=>(const CounterDefinition&) const = default;
};

/// Of a DEFINE_COUNTER.
CounterDefinition counter_definition(const journal::Record& record);

class RecordedCounters {
 public:
  /// Of every process, in the order of ranks.
  void add(std::uint32_t rank, const std::set<CounterDefinition>& definitions);
  /// Appends the metrics, and says what is missing, each reason once.
  void finish(archive::Definitions& definitions, DataQuality& quality);

  /// Of one reading of all counters: those that are metrics. `counts` outlives the call.
  const std::vector<std::uint64_t>& chosen(std::span<const std::uint64_t> counts,
                                           std::vector<std::uint64_t>& room) const;
  std::uint32_t metric_class() const { return metric_class_; }
  bool empty() const { return numbers_.empty(); }

 private:
  struct Counter {
    std::string name;
    std::set<std::uint32_t> missing;  ///< ranks
    bool is_found = false;
  };
  std::map<std::uint32_t, Counter> counters_;              ///< by number
  std::map<std::int32_t, std::set<std::string>> missing_;  ///< by errno: names
  std::set<std::string> program_only_, by_usage_, not_in_proc_;
  std::vector<std::uint32_t> numbers_;  ///< of the metrics
  std::uint32_t metric_class_ = 0;
};

}  // namespace mora::experiment
