/// Tables of a .cubex file. Sums along the call tree take one backward pass, because parents stand before their
/// children.
#include "report/cube/cube_tables.h"

#include "base/json/json_document.h"
#include "base/numbers/cartesian_grid_text.h"
#include "base/table/table.h"
#include "base/table/wrapped.h"
#include "cube/labels.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "report/data/figures.h"
#include "report/data/report_data.h"

namespace mora::report {
namespace {

using cube::Cube;
using cube::MetricId;
using cube::Unit;

/// What is printed behind a table as text, and the table in any format.
Result<std::string> rendered(const Table& table, const std::string& notes, const char* schema,
                             const cube::CubexFile& file, TableFormat format) {
  if (format == TableFormat::csv) return csv_of(table);
  if (format == TableFormat::text) return text_of(table) + notes;
  JsonDocument json(schema);
  json.fields("rows", table);
  return json.finish(file.quality.rows());
}

Result<std::vector<MetricId>> wanted_metrics(const Cube& cube, const std::string& name) {
  std::vector<MetricId> wanted;
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    if (name.empty() || cube.metrics[m].id == name || cube.metrics[m].unique_name == name) wanted.push_back(m);
  }
  if (wanted.empty() && !name.empty()) {
    std::string near;
    for (const cube::Metric& metric : cube.metrics) {
      if (metric.id.find(name) != std::string::npos) near += (near.empty() ? "" : ", ") + metric.id;
    }
    return fail(ErrorKind::usage, "there is no metric '" + name + "' in this file", "--metric", "",
                (near.empty() ? "" : "did you mean one of: " + near + "? ") +
                    std::string("`mora cube info` lists the metrics of a file"));
  }
  return wanted;
}

std::string location_name(const cube::Location& location) {
  return location.thread == 0 ? fmt::format("rank {}", location.rank)
                              : fmt::format("rank {} thread {}", location.rank, location.thread);
}

/// Over locations; of what is no sum, over those that have a value.
std::int64_t mean_of_row(const std::vector<std::int64_t>& values, cube::Fold fold) {
  const auto none = fold == cube::Fold::sum ? 0 : std::count(values.begin(), values.end(), 0);
  const auto size = static_cast<std::int64_t>(values.size()) - none;
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}) / std::max<std::int64_t>(size, 1);
}

std::string quality_text(const DataQuality& quality) {
  std::string out;
  for (const QualityRow& row : quality.rows()) {
    out += fmt::format("{}: {} x {} in {}: {}\n", to_string(row.severity), row.count, row.kind,
                       row.where.empty() ? "the file" : row.where, row.what);
  }
  return out;
}

std::string info_json(const cube::CubexFile& file, const Table& metrics) {
  const Cube& cube = file.cube;
  JsonDocument json("mora-cube-info");
  json.fields("attributes", cube.attributes, "metrics", metrics);
  json.fields("call_paths", list(cube.call_paths, [&](const cube::CallPath& path) {
                const auto parent = path.parent == cube::no_id ? std::nullopt : std::optional(path.parent);
                json.line("name", path.name, "parent", parent, "file", path.file, "line", path.line);
              }));
  json.fields("locations", list(cube.locations, [&](const cube::Location& location) {
                json.line("name", location.name, "rank", location.rank, "thread", location.thread, "node",
                          location.node);
              }));
  json.fields("grids", list(cube.grids, [&](const CartesianGrid& grid) {
                std::vector<std::uint32_t> extents;
                std::deque<bool> periodic;
                for (const auto& dimension : grid.dimensions) {
                  extents.push_back(dimension.extent);
                  periodic.push_back(dimension.is_periodic);
                }
                json.line("name", grid.name, "extents", extents, "periodic", periodic, "ranks", grid.ranks.size());
              }));
  return json.finish(file.quality.rows());
}

template <class Node>
std::vector<std::size_t> depths(const std::vector<Node>& nodes) {
  std::vector<std::size_t> depth(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) depth[i] = nodes[i].parent < i ? depth[nodes[i].parent] + 1 : 0;
  return depth;
}

/// Inclusive rows of all call paths: children stand behind their parents, so one backward pass adds them up.
std::vector<std::vector<std::int64_t>> inclusive_rows(const Cube& cube, MetricId metric) {
  std::vector<std::vector<std::int64_t>> rows(cube.call_paths.size());
  for (cube::CallPathId c = 0; c < rows.size(); ++c) {
    rows[c] = cube.row(metric, c);
    rows[c].resize(cube.locations.size());
  }
  for (std::size_t c = rows.size(); c-- > 0;) {
    const cube::CallPathId parent = cube.call_paths[c].parent;
    if (parent == cube::no_id) continue;
    for (std::size_t l = 0; l < rows[c].size(); ++l)
      rows[parent][l] = folded(cube.metrics[metric].fold, rows[parent][l], rows[c][l]);
  }
  return rows;
}

/// Keeps the `top` rows by `size_of`, largest first, and says how many were left out.
template <class Row, class Size>
void keep_top(std::vector<Row>& rows, unsigned top, const std::string& metric, std::string& notes, Size size_of) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return size_of(a) > size_of(b); });
  if (top == 0 || rows.size() <= top) return;
  notes += fmt::format("… {} of {} rows of {} shown; --top 0 shows all\n", top, rows.size(), metric);
  rows.resize(top);
}

}  // namespace

Result<std::string> cube_info(const cube::CubexFile& file, const CubeTableOptions& options) {
  const Cube& cube = file.cube;
  const bool is_json = options.format == TableFormat::json;
  std::vector<Column> columns{words(is_json ? "id" : "metric"), words("unique_name"), words("unit"), number("total"),
                              words("name")};
  if (is_json) columns.push_back(words("parent"));
  Table table(columns);
  const auto metric_depth = depths(cube.metrics.list());
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    Cells cells{{metric.id, std::string(2 * metric_depth[m], ' ') + metric.id},
                metric.unique_name,
                unit_key(metric.unit),
                amount_cell(cube.total(m), metric.unit),
                metric.name};
    if (is_json) cells.push_back(metric.parent == cube::no_id ? Cell() : Cell(cube.metrics[metric.parent].id));
    table.add(std::move(cells));
  }
  if (is_json) return info_json(file, table);
  if (options.format == TableFormat::csv) return csv_of(table);
  std::string out;
  for (const auto& [key, value] : cube.attributes) out += fmt::format("{}: {}\n", key, value);
  out += fmt::format("\n{} metrics (totals include children)\n{}", cube.metrics.size(), text_of(table));
  out += fmt::format("\n{} call paths\n", cube.call_paths.size());
  const auto path_depth = depths(cube.call_paths);
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    out += std::string(2 * std::min<std::size_t>(path_depth[c], 30), ' ') + label(cube.call_paths[c]) + "\n";
  }
  out += fmt::format("\n{} locations\n", cube.locations.size());
  constexpr std::size_t most_locations = 32;
  for (std::size_t l = 0; l < std::min(cube.locations.size(), most_locations); ++l) {
    out += fmt::format("{} on {} ({})\n", location_name(cube.locations[l]), cube.locations[l].node,
                       cube.locations[l].name);
  }
  if (cube.locations.size() > most_locations) {
    out += fmt::format("… {} of {} locations shown; --json shows all\n", most_locations, cube.locations.size());
  }
  if (!cube.grids.empty()) out += fmt::format("\n{}\n", counted(cube.grids.size(), "Cartesian grid"));
  for (const CartesianGrid& grid : cube.grids)
    out += fmt::format("{}: {} of {}\n", grid.name, extents_text(grid), counted(grid.ranks.size(), "rank"));
  if (!file.quality.empty()) out += "\n" + quality_text(file.quality);
  return out;
}

Result<std::string> cube_dump(const cube::CubexFile& file, const CubeTableOptions& options) {
  const Cube& cube = file.cube;
  MORA_TRY(const auto wanted, wanted_metrics(cube, options.metric));
  std::vector<Column> columns{words("metric"), words("call_path")};
  if (options.per_location) columns.push_back(words("location"));
  columns.insert(columns.end(), {number("own"), number("with_children")});
  Table table(columns);
  std::string notes;
  std::vector<std::string> paths;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) paths.push_back(joined(labels_of(cube, c)));
  struct Row {
    cube::CallPathId path;
    std::size_t location;
    std::int64_t own, inclusive;
  };
  for (const MetricId m : wanted) {
    const auto inclusive = inclusive_rows(cube, m);
    std::vector<Row> rows;
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      if (!options.per_location) {
        rows.push_back({c, 0, cube.call_path_total(m, c), folded(cube.metrics[m].fold, inclusive[c])});
        continue;
      }
      for (cube::LocationId l = 0; l < cube.locations.size(); ++l)
        rows.push_back({c, l, cube.get(m, c, l), inclusive[c][l]});
    }
    std::erase_if(rows, [](const Row& row) { return row.own == 0 && row.inclusive == 0; });
    if (options.top != 0)
      keep_top(rows, options.top, cube.metrics[m].id, notes, [](const Row& row) { return row.own; });
    for (const Row& row : rows) {
      Cells cells{cube.metrics[m].id, paths[row.path]};
      if (options.per_location) cells.emplace_back(location_name(cube.locations[row.location]));
      for (const std::int64_t amount : {row.own, row.inclusive})
        cells.push_back(amount_cell(amount, cube.metrics[m].unit));
      table.add(std::move(cells));
    }
  }
  return rendered(table, notes, "mora-cube-dump", file, options.format);
}

Result<std::string> cube_stat(const cube::CubexFile& file, const CubeTableOptions& options) {
  const Cube& cube = file.cube;
  MORA_TRY(const auto wanted, wanted_metrics(cube, options.metric));
  std::vector<Column> columns{words("metric"), words("region")};
  if (options.per_location) {
    columns.insert(columns.end(), {words("location"), number("value")});
  } else {
    columns.insert(columns.end(), {number("sum"), number("mean"), number("least"), number("most"), words("most_at")});
  }
  Table table(columns);
  std::string notes;
  struct Row {
    std::string region;
    std::vector<std::int64_t> values;
    std::int64_t sum;
  };
  for (const MetricId m : wanted) {
    std::map<std::string, std::vector<std::int64_t>> regions;
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      if (row.empty()) continue;
      auto& sums = regions[cube.call_paths[c].name];
      sums.resize(cube.locations.size());
      for (std::size_t l = 0; l < row.size(); ++l) sums[l] = folded(cube.metrics[m].fold, sums[l], row[l]);
    }
    std::vector<Row> rows;
    for (auto& [region, values] : regions) rows.push_back({region, values, folded(cube.metrics[m].fold, values)});
    std::erase_if(rows, [](const Row& row) {
      return std::all_of(row.values.begin(), row.values.end(), [](auto v) { return v == 0; });
    });
    const Unit unit = cube.metrics[m].unit;
    keep_top(rows, options.top, cube.metrics[m].id, notes, [](const Row& row) { return row.sum; });
    for (const Row& row : rows) {
      const auto [least, most] = std::minmax_element(row.values.begin(), row.values.end());
      if (!options.per_location) {
        const std::size_t at = static_cast<std::size_t>(most - row.values.begin());
        const std::int64_t mean = mean_of_row(row.values, cube.metrics[m].fold);
        table.add({cube.metrics[m].id, row.region, amount_cell(row.sum, unit), amount_cell(mean, unit),
                   amount_cell(*least, unit), amount_cell(*most, unit), location_name(cube.locations[at])});
        continue;
      }
      for (std::size_t l = 0; l < row.values.size(); ++l) {
        table.add({cube.metrics[m].id, row.region, location_name(cube.locations[l]), amount_cell(row.values[l], unit)});
      }
    }
  }
  return rendered(table, notes, "mora-cube-stat", file, options.format);
}

}  // namespace mora::report
