#include "serve/cells.h"

#include <map>

#include "base/json/json_writer.h"
#include "cube/labels.h"
#include "serve/sandwich.h"
#include "serve/source.h"

namespace mora::serve {
namespace {

using cube::CallPathId;
using cube::Cube;
using cube::MetricId;

void write_index(JsonWriter& json, std::uint32_t index) {
  index == cube::no_id ? json.null() : json.unsigned_integer(index);
}

}  // namespace

ChosenMetric chosen_metric(const Cube& cube, MetricId metric, bool own) {
  ChosenMetric chosen{metric, {}};
  if (!own) return chosen;
  for (const MetricId child : cube.children_of(metric)) {
    if (cube.metrics[child].fold == cube::Fold::sum) chosen.without.push_back(child);
  }
  return chosen;
}

Result<ChosenMetric> asked_metric(const Cube& cube, const Query& query) {
  if (cube.metrics.size() == 0) return fail(ErrorKind::usage, "the result has no metrics");
  MORA_TRY(const auto metric, query.integer("metric", 0, 0, static_cast<std::int64_t>(cube.metrics.size()) - 1));
  return chosen_metric(cube, static_cast<MetricId>(metric), query.text("own") == "1");
}

std::int64_t path_value(const Cube& cube, const ChosenMetric& chosen, CallPathId path) {
  std::int64_t value = cube.call_path_total(chosen.metric, path);
  for (const MetricId child : chosen.without) value -= cube.call_path_total(child, path);
  return value;
}

std::vector<std::int64_t> with_paths_below(const Cube& cube, cube::Fold fold, std::vector<std::int64_t> own) {
  for (std::size_t c = own.size(); c-- > 0;) {  // children stand behind their parents
    const CallPathId parent = cube.call_paths[c].parent;
    if (parent != cube::no_id) own[parent] = cube::folded(fold, own[parent], own[c]);
  }
  return own;
}

FoldedRow fold_row(const Cube& cube, const std::vector<std::int64_t>& values, cube::Fold fold) {
  FoldedRow row;
  std::map<std::string, std::size_t> node_number;
  for (std::size_t l = 0; l < values.size(); ++l) {
    const cube::Location& location = cube.locations[l];
    if (row.ranks.size() <= location.rank) row.ranks.resize(location.rank + 1);
    const std::size_t node = node_number.emplace(location.node, node_number.size()).first->second;
    if (row.nodes.size() <= node) row.nodes.resize(node + 1);
    for (std::int64_t* sum : {&row.ranks[location.rank], &row.nodes[node]}) *sum = cube::folded(fold, *sum, values[l]);
  }
  return row;
}

/// Each grid with the place of its ranks, the last coordinate running fastest; where rank i is at place i, that is not
/// said. Grids of more places than a page draws are left out.
void write_grids(JsonWriter& json, const Cube& cube) {
  constexpr std::uint64_t most_places = 1 << 22;
  json.key("grids").begin_array();
  for (const CartesianGrid& grid : cube.grids) {
    std::uint64_t all = 1;
    std::vector<std::uint32_t> extents, places;
    std::vector<std::uint8_t> periodic;
    for (const auto& dimension : grid.dimensions) {
      all = std::min<std::uint64_t>(all * dimension.extent, most_places + 1);
      extents.push_back(dimension.extent);
      periodic.push_back(dimension.is_periodic ? 1 : 0);
    }
    if (all == 0 || all > most_places) continue;
    bool is_in_order = grid.ranks.size() == all;
    for (std::size_t i = 0; i < grid.ranks.size(); ++i) {
      std::uint32_t place = 0;
      for (std::size_t d = 0; d < extents.size(); ++d)
        place = place * extents[d] + grid.coordinates[i * extents.size() + d];
      places.push_back(place);
      is_in_order = is_in_order && place == grid.ranks[i];
    }
    const std::vector<std::uint32_t> none;
    json.line("name", grid.name, "extents", extents, "periodic", periodic, "size", grid.ranks.size(), "ranks",
              is_in_order ? none : grid.ranks, "places", is_in_order ? none : places);
  }
  json.end_array();
}

std::string dimensions_json(const Cube& cube) {
  JsonWriter json;
  json.begin_object();
  json.key("metrics").begin_array();
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    json.line(
        "id", metric.id, "name", metric.name, "parent", [&](JsonWriter& out) { write_index(out, metric.parent); },
        "unit", cube::unit_key(metric.unit), "fold", cube::to_string(metric.fold), "all", cube.total(m), "own",
        cube.exclusive_total(m));
  }
  json.end_array();
  json.key("paths").begin_array();
  const std::vector<CallPathId> function = first_of_function(cube);
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    json.line(
        "name", cube::label(path), "kind", cube::to_string(path.kind), "parent",
        [&](JsonWriter& out) { write_index(out, path.parent); }, "file", path.file, "line", path.line, "function",
        function[c]);
  }
  json.end_array();
  json.key("locations").begin_array();
  for (const cube::Location& location : cube.locations) {
    json.line("name", location.name, "rank", location.rank, "thread", location.thread, "node", location.node);
  }
  json.end_array();
  write_grids(json, cube);
  json.end_object();
  return json.take();
}

Result<std::string> paths_json(const Cube& cube, const Query& query) {
  MORA_TRY(const ChosenMetric chosen, asked_metric(cube, query));
  std::vector<std::int64_t> own(cube.call_paths.size());
  for (CallPathId c = 0; c < own.size(); ++c) own[c] = path_value(cube, chosen, c);
  const auto all = with_paths_below(cube, cube.metrics[chosen.metric].fold, own);
  JsonWriter json;
  json.begin_object().fields("own", own, "all", all).end_object();
  return json.take();
}

Result<std::string> locations_json(const Cube& cube, const Query& query) {
  MORA_TRY(const ChosenMetric chosen, asked_metric(cube, query));
  const std::int64_t none = -1;
  MORA_TRY(const auto path, query.integer("path", none, none, static_cast<std::int64_t>(cube.call_paths.size()) - 1));
  const bool alone = query.text("own_path") == "1";
  const cube::Fold fold = cube.metrics[chosen.metric].fold;
  std::vector<char> is_in(cube.call_paths.size());
  std::vector<std::int64_t> values(cube.locations.size());
  for (CallPathId c = 0; c < is_in.size(); ++c) {
    const CallPathId parent = cube.call_paths[c].parent;
    is_in[c] = path == none || c == path || (!alone && parent != cube::no_id && is_in[parent] != 0);
    if (is_in[c] == 0) continue;
    const auto& row = cube.row(chosen.metric, c);
    for (std::size_t l = 0; l < row.size(); ++l) values[l] = cube::folded(fold, values[l], row[l]);
    for (const MetricId child : chosen.without) {
      const auto& part = cube.row(child, c);
      for (std::size_t l = 0; l < part.size(); ++l) values[l] -= part[l];
    }
  }
  const FoldedRow row = fold_row(cube, values, fold);
  JsonWriter json;
  json.begin_object().fields("values", values, "ranks", row.ranks, "nodes", row.nodes).end_object();
  return json.take();
}

void add_cells(Site& site, const std::shared_ptr<const Cube>& cube, const std::string& prefix) {
  site.add(prefix + "dimensions", "application/json",
           [cube](const Query&) -> Result<std::string> { return dimensions_json(*cube); });
  site.add_question(prefix + "paths", "application/json",
                    [cube](const Query& query) { return paths_json(*cube, query); });
  site.add_question(prefix + "locations", "application/json",
                    [cube](const Query& query) { return locations_json(*cube, query); });
  site.add_question(prefix + "sandwich", "application/json",
                    [cube](const Query& query) { return sandwich_json(*cube, query); });
  site.add_question(prefix + "source", "application/json",
                    [cube](const Query& query) { return source_json(*cube, query); });
}

}  // namespace mora::serve
