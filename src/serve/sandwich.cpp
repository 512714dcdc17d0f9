#include "serve/sandwich.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/json/json_writer.h"
#include "cube/labels.h"
#include "serve/cells.h"

namespace mora::serve {
namespace {

using cube::CallPathId;
using cube::Cube;

constexpr std::int64_t top = -1;      ///< the function itself
constexpr std::int64_t outside = -2;  ///< not below it

/// A tree in which call paths of one function below one parent are one entry, in the order in which they came.
class Merged {
 public:
  std::int64_t add(std::int64_t parent, CallPathId function, std::int64_t value) {
    const auto [at, is_new] = known_.try_emplace({parent, function}, static_cast<std::int64_t>(entries_.size()));
    if (is_new) entries_.push_back({parent, function, 0});
    entries_[static_cast<std::size_t>(at->second)].value += value;
    return at->second;
  }
  void write(JsonWriter& json) const {
    json.begin_line_array();
    for (const Entry& entry : entries_) {
      json.begin_line_array().integer(entry.parent).unsigned_integer(entry.function).integer(entry.value).end_array();
    }
    json.end_array();
  }

 private:
  struct Entry {
    std::int64_t parent;
    CallPathId function;
    std::int64_t value;
  };
  std::vector<Entry> entries_;
  std::map<std::pair<std::int64_t, CallPathId>, std::int64_t> known_;
};

/// `all`: the metric of each call path with those below it.
std::string sandwich(const Cube& cube, const std::vector<CallPathId>& function, const std::vector<std::int64_t>& all,
                     CallPathId wanted) {
  Merged callers, callees;
  std::int64_t total = 0;
  std::uint64_t places = 0;
  std::vector<char> is_there(all.size());  // a difference may be zero where those below it are not
  for (CallPathId c = static_cast<CallPathId>(all.size()); c-- > 0;) {
    const CallPathId parent = cube.call_paths[c].parent;
    if (all[c] != 0) is_there[c] = 1;
    if (parent != cube::no_id && is_there[c] != 0) is_there[parent] = 1;
  }
  std::vector<std::int64_t> entry(all.size(), outside);
  for (CallPathId c = 0; c < all.size(); ++c) {  // children stand behind their parents
    if (is_there[c] == 0) continue;
    const CallPathId parent = cube.call_paths[c].parent;
    if (parent != cube::no_id && entry[parent] != outside) {
      entry[c] = callees.add(entry[parent], function[c], all[c]);
    } else if (function[c] == function[wanted]) {
      entry[c] = top;
      total += all[c];
      ++places;
      std::int64_t at = top;
      for (CallPathId p = parent; p != cube::no_id; p = cube.call_paths[p].parent)
        at = callers.add(at, function[p], all[c]);
    }
  }
  JsonWriter json;
  json.begin_line_object().fields("total", total, "places", places).key("callers");
  callers.write(json);
  json.key("callees");
  callees.write(json);
  json.end_object();
  return json.take();
}

std::vector<std::int64_t> with_all_below(const Cube& cube, const ChosenMetric& chosen) {
  std::vector<std::int64_t> own(cube.call_paths.size());
  for (CallPathId c = 0; c < own.size(); ++c) own[c] = path_value(cube, chosen, c);
  return with_paths_below(cube, cube.metrics[chosen.metric].fold, std::move(own));
}

}  // namespace

std::vector<CallPathId> first_of_function(const Cube& cube) {
  std::unordered_map<std::string, CallPathId> known;
  std::vector<CallPathId> first;
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    const bool is_interval = path.kind == cube::CallPathKind::interval;
    first.push_back(known.try_emplace(is_interval ? cube::label(path) : path.name, c).first->second);
  }
  return first;
}

Result<std::string> sandwich_json(const Cube& cube, const Query& query) {
  MORA_TRY(const ChosenMetric chosen, asked_metric(cube, query));
  MORA_TRY(const auto path, query.integer("path", 0, 0, static_cast<std::int64_t>(cube.call_paths.size()) - 1));
  if (cube.metrics[chosen.metric].fold != cube::Fold::sum)
    return fail(ErrorKind::usage, "the metric is no sum", cube.metrics[chosen.metric].id);
  return sandwich(cube, first_of_function(cube), with_all_below(cube, chosen), static_cast<CallPathId>(path));
}

std::vector<std::pair<std::string, std::string>> all_sandwiches(const Cube& cube, std::size_t at_most) {
  std::vector<std::pair<std::string, std::string>> all;
  const std::vector<CallPathId> function = first_of_function(cube);
  std::size_t bytes = 0;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    if (cube.metrics[m].fold != cube::Fold::sum || cube.total(m) == 0) continue;
    for (const bool own : {false, true}) {
      const auto values = with_all_below(cube, chosen_metric(cube, m, own));
      std::vector<std::pair<std::string, std::string>> of_metric;
      for (CallPathId c = 0; c < function.size() && bytes <= at_most; ++c) {
        if (function[c] != c) continue;
        of_metric.emplace_back(
            "path=" + std::to_string(c) + "&metric=" + std::to_string(m) + "&own=" + (own ? "1" : "0"),
            sandwich(cube, function, values, c));
        bytes += of_metric.back().second.size();
      }
      if (bytes > at_most) return all;
      all.insert(all.end(), std::make_move_iterator(of_metric.begin()), std::make_move_iterator(of_metric.end()));
    }
  }
  return all;
}

}  // namespace mora::serve
