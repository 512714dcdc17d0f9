/// The three trees of a result: metric, call path, location. Sums of the store itself (cube/cube.h), so that the page
/// adds nothing up. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cube/cube.h"
#include "serve/site.h"

namespace mora::serve {

/// A metric, and those that are taken from it: its children, where only its own value is asked for.
struct ChosenMetric {
  cube::MetricId metric = 0;
  std::vector<cube::MetricId> without;
};
ChosenMetric chosen_metric(const cube::Cube& cube, cube::MetricId metric, bool own);
/// Query: `metric` (index), `own`. Errors (usage): no such metric.
Result<ChosenMetric> asked_metric(const cube::Cube& cube, const Query& query);

/// Of the call path alone, over all locations.
std::int64_t path_value(const cube::Cube& cube, const ChosenMetric& chosen, cube::CallPathId path);
/// `own` by call path: each with the paths below it.
std::vector<std::int64_t> with_paths_below(const cube::Cube& cube, cube::Fold fold, std::vector<std::int64_t> own);

/// Values by location, put together by rank, and by node in the order in which locations name them.
struct FoldedRow {
  std::vector<std::int64_t> ranks, nodes;
};
FoldedRow fold_row(const cube::Cube& cube, const std::vector<std::int64_t>& values, cube::Fold fold);

/// All metrics, call paths and locations, and of each metric its values without a choice.
std::string dimensions_json(const cube::Cube& cube);

/// Query: `metric` (index), `own` (1: without the metric's children). {"own": […], "all": […]}: of each call path the
/// value of itself, and with the paths below it. Errors (usage): no such metric.
Result<std::string> paths_json(const cube::Cube& cube, const Query& query);

/// Query as above, and `path` (index; none: the program), `own_path` (1: without the paths below it).
/// {"values": […], "ranks": […], "nodes": […]}: by location, by rank, and by node in the order in which locations name
/// them.
Result<std::string> locations_json(const cube::Cube& cube, const Query& query);

/// The answers about a result, under `prefix` and "dimensions", "paths", "locations", "sandwich" (sandwich.h), "source"
/// (source.h).
void add_cells(Site& site, const std::shared_ptr<const cube::Cube>& cube, const std::string& prefix);

}  // namespace mora::serve
