/// Tables of a .cubex file: each verb makes rows of text and integer cells, one class renders them as text, JSON or
/// CSV. Sums along the call tree take one backward pass, because parents stand before their children.
#include "report/cube_tables.h"
#include "base/cell_text.h"
#include "base/quality_json.h"
#include "cube/algebra.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "report/figures.h"
#include "report/report_data.h"

namespace mora::report {
namespace {

using cube::Cube;
using cube::MetricId;
using cube::Unit;

/// A table of text and amounts, printed in the three formats. All rows have all columns.
class Table {
 public:
  struct Column {
    std::string name;
    bool amount;  ///< else text
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  struct Cell {
    std::string text;
    std::int64_t value = 0;
    Unit unit = Unit::occurrences;
  };
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  void note(std::string text) { notes_ += std::move(text) + "\n"; }

  std::string render(TableFormat format) const {
    switch (format) {
      case TableFormat::json:
        return json();
      case TableFormat::csv:
        return csv();
      case TableFormat::text:
        break;
    }
    return text();
  }

 private:
  std::string exact(std::size_t column, const Cell& cell) const {
    if (!columns_[column].amount) return cell.text;
    return cell.unit == Unit::seconds ? seconds_exact(cell.value) : std::to_string(cell.value);
  }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::size_t width = display_width(columns_[c].name);
      for (const auto& row : rows_) width = std::max(width, display_width(shown(c, row[c])));
      widths.push_back(width);
    }
    std::string out;
    const auto put = [&](std::size_t c, const std::string& value) {
      const std::string blanks(widths[c] - display_width(value), ' ');
      const bool last = c + 1 == columns_.size();
      out += columns_[c].amount ? blanks + value : value + (last ? "" : blanks);
      out += last ? "\n" : "  ";
    };
    for (std::size_t c = 0; c < columns_.size(); ++c) put(c, columns_[c].name);
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < columns_.size(); ++c) put(c, shown(c, row[c]));
    }
    return out + notes_;
  }

  std::string shown(std::size_t c, const Cell& cell) const {
    return columns_[c].amount ? amount_with_unit(cell.value, cell.unit) : cell.text;
  }

  std::string csv() const {
    std::string out;
    const auto put = [&](std::size_t c, const std::string& value) {
      out += csv_cell(value) + (c + 1 == columns_.size() ? "\n" : ",");
    };
    for (std::size_t c = 0; c < columns_.size(); ++c) put(c, columns_[c].name);
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < columns_.size(); ++c) put(c, exact(c, row[c]));
    }
    return out;
  }

  std::string json() const {
    JsonWriter writer;
    writer.begin_array();
    for (const auto& row : rows_) {
      writer.begin_line_object();
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        writer.key(columns_[c].name);
        if (!columns_[c].amount) {
          writer.string(row[c].text);
        } else if (row[c].unit == Unit::seconds) {
          writer.seconds(row[c].value);
        } else {
          writer.integer(row[c].value);
        }
      }
      writer.end_object();
    }
    return writer.end_array().str() + "\n";
  }

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::string notes_;
};

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
    return fail(ErrorKind::usage, "there is no metric \"" + name + "\" in this file", "--metric", "",
                (near.empty() ? "" : "did you mean one of: " + near + "? ") +
                    std::string("`mora cube info` lists the metrics of a file"));
  }
  return wanted;
}

const char* unit_name(Unit unit) { return unit == Unit::seconds ? "s" : unit == Unit::bytes ? "bytes" : "occ"; }

std::string location_name(const cube::Location& location) {
  return location.thread == 0 ? fmt::format("rank {}", location.rank)
                              : fmt::format("rank {} thread {}", location.rank, location.thread);
}

std::int64_t total(const std::vector<std::int64_t>& row) {
  return std::accumulate(row.begin(), row.end(), std::int64_t{0});
}

std::string quality_text(const DataQuality& quality) {
  std::string out;
  for (const QualityRow& row : quality.rows()) {
    out += fmt::format("{}: {} x {} in {}: {}\n", to_string(row.severity), row.count, row.kind,
                       row.where.empty() ? "the file" : row.where, row.what);
  }
  return out;
}

void write_info_json(JsonWriter& json, const Cube& cube, const DataQuality& quality) {
  json.begin_object().key("attributes").begin_object();
  for (const auto& [key, value] : cube.attributes) json.key(key).string(value);
  json.end_object().key("metrics").begin_array();
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    json.begin_line_object().key("id").string(metric.id).key("unique_name").string(metric.unique_name);
    json.key("name").string(metric.name).key("unit").string(unit_name(metric.unit)).key("parent");
    metric.parent == cube::no_id ? json.null() : json.string(cube.metrics[metric.parent].id);
    json.key("total");
    metric.unit == Unit::seconds ? json.seconds(cube.total(m)) : json.integer(cube.total(m));
    json.end_object();
  }
  json.end_array().key("call_paths").begin_array();
  for (const cube::CallPath& path : cube.call_paths) {
    json.begin_line_object().key("name").string(path.name).key("parent");
    path.parent == cube::no_id ? json.null() : json.unsigned_integer(path.parent);
    json.key("file").string(path.file).key("line").unsigned_integer(path.line).end_object();
  }
  json.end_array().key("locations").begin_array();
  for (const cube::Location& location : cube.locations) {
    json.begin_line_object().key("name").string(location.name).key("rank").unsigned_integer(location.rank);
    json.key("thread").unsigned_integer(location.thread).key("node").string(location.node).end_object();
  }
  json.end_array().key("data_quality");
  write_quality(json, quality.rows());
  json.end_object();
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
    for (std::size_t l = 0; l < rows[c].size(); ++l) rows[parent][l] += rows[c][l];
  }
  return rows;
}

/// Keeps the `top` rows by `size_of`, largest first, and says how many were left out.
template <class Row, class Size>
void keep_top(std::vector<Row>& rows, unsigned top, const std::string& metric, Table& table, Size size_of) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return size_of(a) > size_of(b); });
  if (top == 0 || rows.size() <= top) return;
  table.note(fmt::format("… {} of {} rows of {} shown; --top 0 shows all", top, rows.size(), metric));
  rows.resize(top);
}

}  // namespace

Result<std::string> cube_info(const cube::CubexFile& file, const CubeTableOptions& options) {
  const Cube& cube = file.cube;
  if (options.format == TableFormat::json) {
    JsonWriter json;
    write_info_json(json, cube, file.quality);
    return json.str() + "\n";
  }
  Table table({{"metric", false}, {"unique_name", false}, {"unit", false}, {"total", true}, {"name", false}});
  const auto metric_depth = depths(cube.metrics.list());
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    const std::string indent(options.format == TableFormat::text ? 2 * metric_depth[m] : 0, ' ');
    table.add({{indent + metric.id},
               {metric.unique_name},
               {unit_name(metric.unit)},
               {"", cube.total(m), metric.unit},
               {metric.name}});
  }
  if (options.format == TableFormat::csv) return table.render(TableFormat::csv);
  std::string out;
  for (const auto& [key, value] : cube.attributes) out += fmt::format("{}: {}\n", key, value);
  out +=
      fmt::format("\n{} metrics (totals include children)\n{}", cube.metrics.size(), table.render(TableFormat::text));
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
  if (!file.quality.empty()) out += "\n" + quality_text(file.quality);
  return out;
}

Result<std::string> cube_dump(const cube::CubexFile& file, const CubeTableOptions& options) {
  const Cube& cube = file.cube;
  MORA_TRY(const auto wanted, wanted_metrics(cube, options.metric));
  std::vector<Table::Column> columns{{"metric", false}, {"call_path", false}};
  if (options.per_location) columns.push_back({"location", false});
  columns.insert(columns.end(), {{"own", true}, {"with_children", true}});
  Table table(columns);
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
        rows.push_back({c, 0, cube.call_path_total(m, c), total(inclusive[c])});
        continue;
      }
      for (cube::LocationId l = 0; l < cube.locations.size(); ++l)
        rows.push_back({c, l, cube.get(m, c, l), inclusive[c][l]});
    }
    std::erase_if(rows, [](const Row& row) { return row.own == 0 && row.inclusive == 0; });
    if (options.top != 0)
      keep_top(rows, options.top, cube.metrics[m].id, table, [](const Row& row) { return row.own; });
    for (const Row& row : rows) {
      std::vector<Table::Cell> cells{{cube.metrics[m].id}, {paths[row.path]}};
      if (options.per_location) cells.push_back({location_name(cube.locations[row.location])});
      cells.push_back({"", row.own, cube.metrics[m].unit});
      cells.push_back({"", row.inclusive, cube.metrics[m].unit});
      table.add(std::move(cells));
    }
  }
  return table.render(options.format);
}

Result<std::string> cube_stat(const cube::CubexFile& file, const CubeTableOptions& options) {
  const Cube& cube = file.cube;
  MORA_TRY(const auto wanted, wanted_metrics(cube, options.metric));
  std::vector<Table::Column> columns{{"metric", false}, {"region", false}};
  if (options.per_location) {
    columns.insert(columns.end(), {{"location", false}, {"value", true}});
  } else {
    columns.insert(columns.end(), {{"sum", true}, {"mean", true}, {"least", true}, {"most", true}, {"most_at", false}});
  }
  Table table(columns);
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
      for (std::size_t l = 0; l < row.size(); ++l) sums[l] += row[l];
    }
    std::vector<Row> rows;
    for (auto& [region, values] : regions) rows.push_back({region, values, total(values)});
    std::erase_if(rows, [](const Row& row) {
      return std::all_of(row.values.begin(), row.values.end(), [](auto v) { return v == 0; });
    });
    const Unit unit = cube.metrics[m].unit;
    keep_top(rows, options.top, cube.metrics[m].id, table, [](const Row& row) { return row.sum; });
    for (const Row& row : rows) {
      const auto [least, most] = std::minmax_element(row.values.begin(), row.values.end());
      if (!options.per_location) {
        const std::size_t at = static_cast<std::size_t>(most - row.values.begin());
        table.add({{cube.metrics[m].id},
                   {row.region},
                   {"", row.sum, unit},
                   {"", row.sum / static_cast<std::int64_t>(row.values.size()), unit},
                   {"", *least, unit},
                   {"", *most, unit},
                   {location_name(cube.locations[at])}});
        continue;
      }
      for (std::size_t l = 0; l < row.values.size(); ++l) {
        table.add({{cube.metrics[m].id}, {row.region}, {location_name(cube.locations[l])}, {"", row.values[l], unit}});
      }
    }
  }
  return table.render(options.format);
}

}  // namespace mora::report
