/// Features of a communication pattern for predictors: categories A (of the program) and B (with its placement) of
/// Kotomatas 2018, 1.2: one row per phase and one for the total, the same columns always.
/// docs/formats/pattern-features.md says what each column is. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

/// Whole numbers are exact; means and shares are not; empty: has no meaning here (a mean of nothing, nodes without a
/// placement).
using FeatureValue = std::variant<std::monostate, std::uint64_t, double>;

struct FeatureTable {
  std::vector<std::string> columns;  ///< without "phase"
  struct Row {
    std::string phase;
    std::vector<FeatureValue> values;
  };
  std::vector<Row> rows;  ///< phases as in the matrix, then "total"
  DataQuality quality;
};

struct FeatureOptions {
  CollectiveModel collectives = CollectiveModel::linear;
  const Placement* placement = nullptr;  ///< null: no columns about nodes
};

/// Errors as make_matrix.
Result<FeatureTable> make_features(const PatternTrace& trace, const FeatureOptions& options);

/// A header line, then a line per row; empty fields have no value (docs/formats/pattern-features.md).
std::string features_csv(const FeatureTable& table);
std::string features_json(const FeatureTable& table);
/// For people: columns that are not 0 or empty everywhere, one per line.
std::string features_text(const FeatureTable& table);

}  // namespace mora::predict
