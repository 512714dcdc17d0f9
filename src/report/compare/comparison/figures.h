/// Everything that is compared by name: characteristics of intervals, POP metrics, and all metrics of the cube (wait
/// states among them). A name that several kinds have means the characteristic, then the POP metric; "metric:", "pop:"
/// and "characteristic:" before it choose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "analysis/efficiency/pop/pop.h"
#include "report/compare/runs/run.h"
#include "report/compare/runs/spread.h"

namespace mora::compare {

enum class FigureKind : std::uint8_t { characteristic, pop, metric };
/// "characteristic", "pop", "metric".
const char* to_string(FigureKind kind);

/// One name that can be compared. `index` is that of its kind.
struct Figure {
  std::string key;   ///< "lost_time", "load_balance", "late-sender"
  std::string name;  ///< "Lost Time"
  FigureKind kind = FigureKind::characteristic;
  FigureUnit unit = FigureUnit::seconds;
  std::size_t index = 0;       ///< within its kind
  bool is_additive = false;    ///< an interval's amount is the sum over its processes
  bool is_wait_state = false;  ///< metric
};

/// The figures that some runs have. Metrics are the same if their ids are; known ones that no run has count as zero.
class Catalogue {
 public:
  explicit Catalogue(const std::vector<Run>& runs);
  /// Characteristics, POP metrics, then metrics in the order of the cubes, known but absent ones last.
  const std::vector<Figure>& all() const { return figures_; }
  /// nullptr if there is none.
  const Figure* find(const std::string& name) const;
  /// The known name that is nearest in spelling; empty: none is near.
  std::string nearest(const std::string& name) const;

 private:
  std::vector<Figure> figures_;
};

/// Of an interval. nullopt: not known (a ratio without counters). `serialisation`: the definition that all runs know.
std::optional<Value> pop_value(const Figure& figure, const analysis::PopMetrics& pop,
                               std::optional<analysis::IdealTime> serialisation);
/// Of an interval, over its processes.
Value characteristic_value(const Figure& figure, const analysis::Interval& interval);

}  // namespace mora::compare
