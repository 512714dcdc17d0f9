#include "cells.h"

namespace mora::exhaustive {

const std::vector<cube::MetricId>& MetricChoice::in(const cube::Cube& cube) const {
  if (chosen_.empty()) {
    for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
      if (accepts_(cube.metrics[m].id)) chosen_.push_back(m);
    }
  }
  return chosen_;
}

std::vector<std::string> path_names(const cube::Cube& cube) {
  std::vector<std::string> names(cube.call_paths.size());
  for (cube::CallPathId c = 0; c < names.size(); ++c) {  // parents before children
    const cube::CallPath& path = cube.call_paths[c];
    if (path.parent != cube::no_id) names[c] = names[path.parent] + "/" + path.name;
  }
  return names;
}

Cells cells_of(const cube::Cube& cube, const MetricChoice& metrics) {
  Cells cells;
  const std::vector<std::string> names = path_names(cube);
  for (const cube::MetricId m : metrics.in(cube)) {
    for (const auto& [c, row] : cube.rows(m)) {
      for (std::uint32_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) cells[{cube.metrics[m].id, names[c], l}] = row[l];
      }
    }
  }
  return cells;
}

std::string text_of(const Cells& cells) {
  std::string text;
  for (const auto& [where, amount] : cells) {
    text += std::get<0>(where) + " " + std::get<1>(where) + " @" + std::to_string(std::get<2>(where)) + " = " +
            std::to_string(amount) + "\n";
  }
  return text;
}

std::string difference_of(const Cells& found, const Cells& wanted) {
  return found == wanted ? "" : "found\n" + text_of(found) + "wanted\n" + text_of(wanted);
}

std::string broken_parent(const cube::Cube& cube) {
  const std::size_t locations = cube.locations.size();
  std::vector<char> has_cells(cube.metrics.size(), 0);  // of its own or of descendants
  std::vector<cube::MetricId> used;                     // these, children before parents
  using Row = std::map<cube::CallPathId, std::vector<std::int64_t>>::const_iterator;
  std::vector<std::pair<Row, Row>> rows;  // of each of them: the next one, the end
  for (auto m = static_cast<cube::MetricId>(cube.metrics.size()); m-- > 0;) {
    if (has_cells[m] == 0 && cube.rows(m).empty()) continue;
    used.push_back(m);
    rows.emplace_back(cube.rows(m).begin(), cube.rows(m).end());
    if (cube.metrics[m].parent != cube::no_id) has_cells[cube.metrics[m].parent] = 1;
  }
  std::vector<std::int64_t> children(cube.metrics.size() * locations, 0);
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    for (std::size_t u = 0; u < used.size(); ++u) {
      const cube::MetricId m = used[u];
      auto& [next, end] = rows[u];
      const std::int64_t* row = next != end && next->first == c ? (next++)->second.data() : nullptr;
      const cube::MetricId parent = cube.metrics[m].parent;
      for (std::size_t l = 0; l < locations; ++l) {
        const std::int64_t cell = row == nullptr ? 0 : row[l];
        std::int64_t& below = children[m * locations + l];
        if (cell < 0 || below > cell) {
          return cube.metrics[m].id + " or its children at " + path_names(cube)[c] + " @" + std::to_string(l);
        }
        below = 0;  // for the next call path
        if (parent != cube::no_id) children[parent * locations + l] += cell;
      }
    }
  }
  return "";
}

std::uint64_t counted(const analysis::AnalysisResult& result, const std::string& kind) {
  std::uint64_t count = 0;
  for (const QualityRow& row : result.quality.rows()) count += row.kind == kind ? row.count : 0;
  return count;
}

}  // namespace mora::exhaustive
