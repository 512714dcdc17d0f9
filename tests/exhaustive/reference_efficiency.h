/// The naive reference of the efficiency analysis: every amount straight from the list of events, nanosecond by
/// nanosecond where it is time. Shares nothing with the engine but the event model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "reference.h"

namespace mora::exhaustive {

/// A piece of an amount, and where it is charged.
struct Amount {
  std::string metric;
  std::uint32_t rank = 0;
  std::string path;                    ///< as in Cells
  std::vector<std::string> intervals;  ///< around it, outermost first; the program is ""
  std::string function;                ///< of MPI; empty outside
  std::int64_t amount = 0;
};

/// An interval as one rank executes it.
struct Execution {
  std::int64_t count = 0;
  std::uint32_t replication = 1;  ///< trace::no_id: all processes
};

struct EfficiencyReference {
  std::vector<Amount> amounts;
  /// interval (its identity and those of the intervals around it) -> rank
  std::map<std::string, std::map<std::uint32_t, Execution>> intervals;
  std::map<std::string, std::string> parent;  ///< of intervals; not of the program
  /// Each complete collective: potential synchronisation and variation of its members (invariant 7).
  std::vector<std::vector<std::int64_t>> potentials, delays, variations;
};

EfficiencyReference measure_naively(const trace::MemorySource& source);

/// Cells of the metrics of measure_naively(), inclusive along the metric tree.
Cells cells_of(const EfficiencyReference& reference);

/// interval -> characteristic -> rank -> amount; rank = no_rank: the interval's own value.
inline constexpr std::uint32_t no_rank = 0xFFFFFFFF;
using CharacteristicValues = std::map<std::string, std::map<std::string, std::map<std::uint32_t, std::int64_t>>>;

/// Without real_synchronization: that is the wait states' business.
CharacteristicValues characteristics_naively(const EfficiencyReference& reference,
                                             const analysis::EfficiencyRules& rules);

/// What identifies an interval among its siblings.
std::string interval_label(const std::string& name, const std::string& file, std::uint32_t line, std::uint32_t id);

}  // namespace mora::exhaustive
