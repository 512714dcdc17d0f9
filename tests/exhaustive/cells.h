/// What the exhaustive tests read out of a cube, and the invariants of its cells. Some hundred thousand cubes pass
/// through here: metrics are chosen once, names made once a call path, and text only of what differs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/result.h"
#include "reference.h"

namespace mora::exhaustive {

/// Metrics by their ids. All cubes of the engine have the same metrics: they are looked up in the first one.
class MetricChoice {
 public:
  explicit MetricChoice(std::function<bool(const std::string& id)> accepts) : accepts_(std::move(accepts)) {}
  const std::vector<cube::MetricId>& in(const cube::Cube& cube) const;

 private:
  std::function<bool(const std::string&)> accepts_;
  mutable std::vector<cube::MetricId> chosen_;
};

/// Names of the path's nodes below the root, each after a '/'; by call path.
std::vector<std::string> path_names(const cube::Cube& cube);

/// The cells that are not 0.
Cells cells_of(const cube::Cube& cube, const MetricChoice& metrics);

std::string text_of(const Cells& cells);

/// "" if they are equal, else both.
std::string difference_of(const Cells& found, const Cells& wanted);

/// In every cell: not negative, and the children of a metric together at most the metric itself; so waiting never
/// exceeds the time of its call. "" or the first that breaks it.
std::string broken_parent(const cube::Cube& cube);

/// How often data quality counts `kind`.
std::uint64_t counted(const analysis::AnalysisResult& result, const std::string& kind);

}  // namespace mora::exhaustive
