/// Two steps: unite the dimensions (a map from each operand's ids to the united ones), then one pass over the operands'
/// rows. Parents stand before their children in every cube, so one forward pass unites a tree. Cost: all cells of all
/// operands once.
#include "cube/algebra.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cube/labels.h"

namespace mora::cube {
namespace {

using Operands = std::vector<const Cube*>;
using Wide = __int128;

/// What makes a call path the same: united parent, kind, name, call site, an interval's id, where a sampled function is
/// called, and which of such equals it is.
using PathKey = std::tuple<CallPathId, CallPathKind, std::string, std::string, std::uint32_t, std::uint32_t,
                           SourcePlace, std::uint32_t>;

struct Union {
  Combination result;  ///< dimensions and attributes only
  std::vector<std::vector<MetricId>> metrics;
  std::vector<std::vector<CallPathId>> call_paths;
  std::vector<std::vector<LocationId>> locations;
};

PathKey key_of(const CallPath& path, CallPathId united_parent) {
  if (path.kind == CallPathKind::program) return {united_parent, path.kind, "", "", 0, 0, {}, 0};
  return {united_parent, path.kind, path.name, path.file, path.line, path.id, path.called_at, 0};
}

Result<void> unite_metrics(const Operands& operands, Union& all) {
  std::map<std::string, MetricId> known;
  for (const Cube* operand : operands) {
    auto& map = all.metrics.emplace_back();
    for (const Metric& metric : operand->metrics) {
      auto& united = all.result.cube.metrics;
      const auto [place, is_new] = known.try_emplace(metric.id, static_cast<MetricId>(united.size()));
      map.push_back(place->second);
      if (is_new) {
        Metric added = metric;
        if (metric.parent != no_id) added.parent = map.at(metric.parent);
        united.push_back(std::move(added));
      } else if (united[place->second].unit != metric.unit || united[place->second].fold != metric.fold) {
        return fail(ErrorKind::usage, "these results cannot be combined", "metric " + metric.id,
                    united[place->second].unit != metric.unit ? "it has different units in them"
                                                              : "it is a sum in one of them and not in another",
                    "cut or convert one of them first");
      }
    }
  }
  return {};
}

void unite_call_paths(const Operands& operands, Union& all) {
  std::map<PathKey, CallPathId> known;
  for (const Cube* operand : operands) {
    auto& map = all.call_paths.emplace_back();
    std::map<PathKey, std::uint32_t> equals;
    for (const CallPath& path : operand->call_paths) {
      auto& united = all.result.cube.call_paths;
      const CallPathId parent = path.parent == no_id ? no_id : map.at(path.parent);
      PathKey key = key_of(path, parent);
      std::get<7>(key) = equals[key]++;
      const auto [place, is_new] = known.try_emplace(key, static_cast<CallPathId>(united.size()));
      map.push_back(place->second);
      if (!is_new) continue;
      united.push_back(path);
      united.back().parent = parent;
    }
  }
}

void unite_locations(const Operands& operands, Union& all) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
      known;  // rank, thread, n-th -> operand
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Location> ordered;
  std::vector<std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>> keys;
  for (const Cube* operand : operands) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> equals;
    auto& own = keys.emplace_back();
    for (const Location& location : operand->locations) {
      own.emplace_back(location.rank, location.thread, equals[{location.rank, location.thread}]++);
      ordered.try_emplace(own.back(), location);
    }
  }
  for (const auto& [key, location] : ordered) {
    known[key] = static_cast<std::uint32_t>(all.result.cube.locations.size());
    all.result.cube.locations.push_back(location);
  }
  for (const auto& own : keys) {
    auto& map = all.locations.emplace_back();
    for (const auto& key : own) map.push_back(known[key]);
  }
}

/// Which operands have each element, from the maps of one dimension. Below an unmatched call path all are: `above`
/// names the one that says so.
template <class Above, class Name>
void list_unmatched(Dimension dimension, std::size_t size, const std::vector<std::vector<std::uint32_t>>& maps,
                    std::vector<Unmatched>& unmatched, const Above& above, const Name& name) {
  std::vector<std::vector<std::uint32_t>> owners(size);
  for (std::uint32_t operand = 0; operand < maps.size(); ++operand) {
    for (const std::uint32_t united : maps[operand]) {
      if (owners[united].empty() || owners[united].back() != operand) owners[united].push_back(operand);
    }
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t higher = above(i);
    if (higher != no_id && owners[higher] == owners[i]) continue;
    if (owners[i].size() < maps.size()) unmatched.push_back({dimension, name(i), owners[i]});
  }
}

Result<Union> unite(const Operands& operands) {
  if (operands.empty())
    return fail(ErrorKind::usage, "there is no result to combine", "", "",
                "give at least one .cubex file or experiment");
  Union all;
  MORA_CHECK_OK(unite_metrics(operands, all));
  unite_call_paths(operands, all);
  unite_locations(operands, all);
  Cube& cube = all.result.cube;
  cube.attributes = operands[0]->attributes;
  for (const Cube* operand : operands)
    if (cube.grids.empty()) cube.grids = operand->grids;
  auto& unmatched = all.result.unmatched;
  const auto nothing = [](std::uint32_t) { return no_id; };
  list_unmatched(Dimension::metric, cube.metrics.size(), all.metrics, unmatched, nothing,
                 [&](std::uint32_t m) { return cube.metrics[m].id; });
  list_unmatched(
      Dimension::call_path, cube.call_paths.size(), all.call_paths, unmatched,
      [&](std::uint32_t c) { return cube.call_paths[c].parent; }, [&](std::uint32_t c) { return path_text(cube, c); });
  list_unmatched(Dimension::location, cube.locations.size(), all.locations, unmatched, nothing,
                 [&](std::uint32_t l) { return cube.locations[l].name; });
  return all;
}

std::int64_t held(Wide value, std::uint64_t& saturated) {
  constexpr Wide least = std::numeric_limits<std::int64_t>::min();
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  if (value >= least && value <= most) return static_cast<std::int64_t>(value);
  ++saturated;
  return static_cast<std::int64_t>(value < least ? least : most);
}

/// Nearest integer to sum / count, halves to even.
Wide nearest(Wide sum, Wide count, std::uint64_t& rounded) {
  Wide floor = sum / count;
  if (floor * count > sum) --floor;
  const Wide rest = sum - floor * count;
  if (rest != 0) ++rounded;
  if (2 * rest > count || (2 * rest == count && floor % 2 != 0)) ++floor;
  return floor;
}

/// Sums of all operands for one united call path: [metric][location]. Rows exist once they are asked for: a file may
/// define many more metrics and locations than it has values.
class Sheet {
 public:
  Sheet(std::size_t metrics, std::size_t locations) : rows_(metrics), locations_(locations) {}
  std::vector<Wide>& operator[](MetricId metric) {
    if (rows_[metric].empty()) {
      rows_[metric].resize(locations_);
      used_.insert(metric);
    }
    return rows_[metric];
  }
  /// Metrics with a row, ascending.
  const std::set<MetricId>& used() const { return used_; }
  /// One operand's values, those that are not 0; and how many operands had one.
  void count(MetricId metric, const std::vector<std::int64_t>& row, const std::vector<LocationId>& united) {
    auto& counts = counts_[metric];
    counts.resize(locations_);
    for (LocationId l = 0; l < row.size(); ++l) counts[united[l]] += row[l] != 0 ? 1 : 0;
  }
  std::uint32_t values(MetricId metric, LocationId location) const { return counts_.at(metric)[location]; }
  void clear() {
    for (const MetricId metric : used_) rows_[metric] = {};
    used_.clear();
    counts_.clear();
  }

 private:
  std::vector<std::vector<Wide>> rows_;
  std::size_t locations_;
  std::set<MetricId> used_;
  std::map<MetricId, std::vector<std::uint32_t>> counts_;  ///< of metrics that are no sums
};

/// Calls finish(call path, sheet) with the sum of factor[operand] * cell of all operands that `use(operand, metric)`
/// admits.
template <class Use, class Finish>
void add_up(const Operands& operands, const Union& all, const std::vector<int>& factors, const Use& use,
            const Finish& finish) {
  const Cube& united = all.result.cube;
  std::vector<std::vector<std::pair<std::uint32_t, CallPathId>>> owners(united.call_paths.size());
  for (std::uint32_t o = 0; o < operands.size(); ++o) {
    for (CallPathId c = 0; c < all.call_paths[o].size(); ++c) owners[all.call_paths[o][c]].emplace_back(o, c);
  }
  Sheet sheet(united.metrics.size(), united.locations.size());
  for (CallPathId c = 0; c < united.call_paths.size(); ++c) {
    bool any = false;
    for (const auto& [o, own] : owners[c]) {
      for (MetricId m = 0; m < all.metrics[o].size(); ++m) {
        const auto& row = operands[o]->row(m, own);
        if (row.empty() || !use(o, all.metrics[o][m])) continue;
        any = true;
        auto& sums = sheet[all.metrics[o][m]];
        for (LocationId l = 0; l < row.size(); ++l) sums[all.locations[o][l]] += Wide{factors[o]} * row[l];
        if (united.metrics[all.metrics[o][m]].fold != Fold::sum) sheet.count(all.metrics[o][m], row, all.locations[o]);
      }
    }
    if (!any) continue;
    finish(c, sheet);
    sheet.clear();
  }
}

void store(Combination& result, CallPathId call_path, Sheet& sheet) {
  for (const MetricId metric : sheet.used()) {
    const auto& row = sheet[metric];
    for (LocationId l = 0; l < row.size(); ++l) result.cube.add(metric, call_path, l, held(row[l], result.saturated));
  }
}

}  // namespace

Result<Combination> difference(const Cube& a, const Cube& b) {
  const Operands operands = {&a, &b};
  MORA_TRY(Union all, unite(operands));
  Combination result = all.result;
  add_up(
      operands, all, {1, -1}, [](std::uint32_t, MetricId) { return true; },
      [&](CallPathId c, Sheet& sheet) { store(result, c, sheet); });
  return result;
}

Result<Combination> merge(const std::vector<const Cube*>& operands) {
  MORA_TRY(Union all, unite(operands));
  Combination result = all.result;
  std::vector<std::uint32_t> first(result.cube.metrics.size(), no_id);
  for (std::uint32_t o = 0; o < operands.size(); ++o) {
    for (const MetricId m : all.metrics[o]) {
      if (first[m] == no_id) first[m] = o;
    }
  }
  add_up(
      operands, all, std::vector<int>(operands.size(), 1), [&](std::uint32_t o, MetricId m) { return first[m] == o; },
      [&](CallPathId c, Sheet& sheet) { store(result, c, sheet); });
  return result;
}

Result<Combination> mean(const std::vector<const Cube*>& operands) {
  MORA_TRY(Union all, unite(operands));
  Combination result = all.result;
  const auto& metrics = result.cube.metrics;
  // A child of another unit, or of what is no sum, is no part of its parent.
  const auto whole_of = [&](MetricId m) {
    const MetricId parent = metrics[m].parent;
    const bool is_part = parent != no_id && metrics[parent].unit == metrics[m].unit &&
                         metrics[parent].fold == Fold::sum && metrics[m].fold == Fold::sum;
    return is_part ? parent : no_id;
  };
  const Wide count = static_cast<Wide>(operands.size());
  add_up(
      operands, all, std::vector<int>(operands.size(), 1), [](std::uint32_t, MetricId) { return true; },
      [&](CallPathId c, Sheet& sheet) {
        const std::vector<MetricId> present(sheet.used().begin(), sheet.used().end());
        for (const MetricId m : present) {  // own parts; children stand behind their parents and still hold their sums
          if (whole_of(m) == no_id) continue;
          auto& whole = sheet[whole_of(m)];
          for (LocationId l = 0; l < whole.size(); ++l) whole[l] -= sheet[m][l];
        }
        for (const MetricId m : sheet.used()) {
          auto& row = sheet[m];
          for (LocationId l = 0; l < row.size(); ++l) {
            // Of what is no sum, an operand without a value does not count as zero.
            const Wide values = metrics[m].fold == Fold::sum ? count : sheet.values(m, l);
            if (values != 0) row[l] = nearest(row[l], values, result.rounded);
          }
        }
        for (auto m = present.rbegin(); m != present.rend(); ++m) {
          if (whole_of(*m) == no_id) continue;
          auto& whole = sheet[whole_of(*m)];
          for (LocationId l = 0; l < whole.size(); ++l) whole[l] += sheet[*m][l];
        }
        store(result, c, sheet);
      });
  return result;
}

namespace {

/// All call paths that `name` selects, ascending.
std::vector<CallPathId> selected(const Cube& cube, const std::string& name) {
  std::vector<CallPathId> found;
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const CallPath& path = cube.call_paths[c];
    bool fits = path.name == name || label(path) == name;
    if (!fits && name.find(" > ") != std::string::npos) {
      const std::string text = path_text(cube, c);
      fits = text == name || (text.size() > name.size() && text.ends_with(" > " + name));
    }
    if (fits) found.push_back(c);
  }
  return found;
}

}  // namespace

Result<Cube> cut(const Cube& cube, const Cut& what) {
  const auto none = [](const std::string& name) {
    return fail(ErrorKind::usage, "there is no call path '" + name + "'", "", "",
                "`mora cube dump` lists them; a path is written with ' > ' between its calls");
  };
  std::set<CallPathId> roots;
  std::set<CallPathId> prune;
  for (const auto& [names, into] : {std::pair(&what.roots, &roots), std::pair(&what.prune, &prune)}) {
    for (const std::string& name : *names) {
      const auto found = selected(cube, name);
      if (found.empty()) return none(name);
      into->insert(found.begin(), found.end());
    }
  }
  Cube result;
  result.metrics = cube.metrics;
  result.locations = cube.locations;
  result.grids = cube.grids;
  result.attributes = cube.attributes;
  std::vector<CallPathId> united(cube.call_paths.size(), no_id);  // where the cells of each call path go
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const CallPathId parent = cube.call_paths[c].parent;
    const CallPathId above = parent == no_id ? no_id : united[parent];
    const bool starts = above == no_id && (what.roots.empty() ? parent == no_id : roots.count(c) != 0);
    const bool folded = prune.count(c) != 0 || (parent != no_id && above != no_id && prune.count(parent) != 0);
    if (folded && starts)
      return fail(ErrorKind::usage, "a root cannot be folded into its parent", path_text(cube, c), "it has none",
                  "leave it out of the call paths to be pruned");
    if (folded && above != no_id) {
      united[c] = above;
      prune.insert(c);  // its children follow it
    } else if (starts || above != no_id) {
      united[c] = static_cast<CallPathId>(result.call_paths.size());
      result.call_paths.push_back(cube.call_paths[c]);
      result.call_paths.back().parent = above;
    }
  }
  std::uint64_t saturated = 0;
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      if (united[c] == no_id) continue;
      const auto& row = cube.row(m, c);
      for (LocationId l = 0; l < row.size(); ++l) {
        const std::int64_t before = result.get(m, united[c], l);
        if (cube.metrics[m].fold != Fold::sum) {
          result.add(m, united[c], l, row[l]);
          continue;
        }
        const std::int64_t after = held(Wide{before} + row[l], saturated);
        if (after != before) result.add(m, united[c], l, after - before);
      }
    }
  }
  return result;
}

Cube subset(const Cube& cube, const std::vector<bool>& kept) {
  Cube rest;
  rest.metrics = cube.metrics;
  rest.locations = cube.locations;
  rest.grids = cube.grids;
  rest.attributes = cube.attributes;
  std::vector<CallPathId> new_id(cube.call_paths.size(), no_id);
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    if (!kept[c]) continue;
    new_id[c] = static_cast<CallPathId>(rest.call_paths.size());
    rest.call_paths.push_back(cube.call_paths[c]);
    CallPathId& parent = rest.call_paths.back().parent;
    if (parent != no_id) parent = new_id[parent];
  }
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    for (const auto& [c, row] : cube.rows(m)) {
      for (LocationId l = 0; l < row.size() && new_id[c] != no_id; ++l) rest.add(m, new_id[c], l, row[l]);
    }
  }
  return rest;
}

const char* to_string(Dimension dimension) {
  switch (dimension) {
    case Dimension::metric:
      return "metric";
    case Dimension::call_path:
      return "call path";
    case Dimension::location:
      break;
  }
  return "location";
}

}  // namespace mora::cube
