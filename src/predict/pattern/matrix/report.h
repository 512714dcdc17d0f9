/// A pattern matrix as text, JSON and CSV (docs/formats/pattern-matrix.md). Pure functions; nothing here prints.
#pragma once

#include <string>

#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

struct MatrixReport {
  std::string source;  ///< what was read, for people
  CollectiveModel model = CollectiveModel::linear;
  const Placement* placement = nullptr;  ///< for nodes; may be null
  const PhaseTraffic* phase = nullptr;   ///< only this one; null: all
  unsigned top = 20;                     ///< pairs of the text; 0 = all
  bool histogram = false;                ///< message sizes in the text
  bool nodes = false;                    ///< CSV: a row per pair of nodes instead of ranks
};

/// Tables for people: phases, pairs, collectives, nodes, sizes, as the report asks.
std::string matrix_text(const PatternMatrix& matrix, const MatrixReport& report);
/// One JSON object (schema mora-pattern-matrix).
std::string matrix_json(const PatternMatrix& matrix, const MatrixReport& report);
/// Every phase, not the total (unless it is report.phase), so that rows can be added up.
std::string matrix_csv(const PatternMatrix& matrix, const MatrixReport& report);

/// By name; "total" is the sum. Error (usage) with the names there are.
Result<const PhaseTraffic*> find_phase(const PatternMatrix& matrix, const std::string& name);

}  // namespace mora::predict
