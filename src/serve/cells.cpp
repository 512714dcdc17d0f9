#include "serve/cells.h"

#include <map>

#include "base/json/json_writer.h"
#include "cube/algebra.h"

namespace mora::serve {
namespace {

using cube::CallPathId;
using cube::Cube;
using cube::MetricId;

/// The metric, and those that are taken from it: its children, where only its own value is asked for.
struct Chosen {
  MetricId metric = 0;
  std::vector<MetricId> without;
};

Result<Chosen> chosen_metric(const Cube& cube, const Query& query) {
  if (cube.metrics.size() == 0) return fail(ErrorKind::usage, "the result has no metrics");
  MORA_TRY(const auto metric, query.integer("metric", 0, 0, static_cast<std::int64_t>(cube.metrics.size()) - 1));
  Chosen chosen{static_cast<MetricId>(metric), {}};
  if (query.text("own") == "1") {
    for (const MetricId child : cube.children_of(chosen.metric)) {
      if (cube.metrics[child].fold == cube::Fold::sum) chosen.without.push_back(child);
    }
  }
  return chosen;
}

std::int64_t path_value(const Cube& cube, const Chosen& chosen, CallPathId path) {
  std::int64_t value = cube.call_path_total(chosen.metric, path);
  for (const MetricId child : chosen.without) value -= cube.call_path_total(child, path);
  return value;
}

void write_index(JsonWriter& json, std::uint32_t index) {
  index == cube::no_id ? json.null() : json.unsigned_integer(index);
}

}  // namespace

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
  for (const cube::CallPath& path : cube.call_paths) {
    json.line(
        "name", cube::label(path), "kind", cube::to_string(path.kind), "parent",
        [&](JsonWriter& out) { write_index(out, path.parent); }, "file", path.file, "line", path.line);
  }
  json.end_array();
  json.key("locations").begin_array();
  for (const cube::Location& location : cube.locations) {
    json.line("name", location.name, "rank", location.rank, "thread", location.thread, "node", location.node);
  }
  json.end_array().end_object();
  return json.str();
}

Result<std::string> paths_json(const Cube& cube, const Query& query) {
  MORA_TRY(const Chosen chosen, chosen_metric(cube, query));
  const cube::Fold fold = cube.metrics[chosen.metric].fold;
  std::vector<std::int64_t> own(cube.call_paths.size()), all;
  for (CallPathId c = 0; c < own.size(); ++c) own[c] = path_value(cube, chosen, c);
  all = own;
  for (std::size_t c = own.size(); c-- > 0;) {  // children stand behind their parents
    const CallPathId parent = cube.call_paths[c].parent;
    if (parent != cube::no_id) all[parent] = cube::folded(fold, all[parent], all[c]);
  }
  JsonWriter json;
  json.begin_object().fields("own", own, "all", all).end_object();
  return json.str();
}

Result<std::string> locations_json(const Cube& cube, const Query& query) {
  MORA_TRY(const Chosen chosen, chosen_metric(cube, query));
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
  std::vector<std::int64_t> ranks, nodes;
  std::map<std::string, std::size_t> node_number;
  for (std::size_t l = 0; l < values.size(); ++l) {
    const cube::Location& location = cube.locations[l];
    if (ranks.size() <= location.rank) ranks.resize(location.rank + 1);
    const std::size_t node = node_number.emplace(location.node, node_number.size()).first->second;
    if (nodes.size() <= node) nodes.resize(node + 1);
    for (std::int64_t* sum : {&ranks[location.rank], &nodes[node]}) *sum = cube::folded(fold, *sum, values[l]);
  }
  JsonWriter json;
  json.begin_object().fields("values", values, "ranks", ranks, "nodes", nodes).end_object();
  return json.str();
}

}  // namespace mora::serve
