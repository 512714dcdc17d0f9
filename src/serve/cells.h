/// The three trees of a result: metric, call path, location. Sums of the store itself (cube/cube.h), so that the page
/// adds nothing up. Pure functions; thread-safe.
#pragma once

#include <string>

#include "cube/cube.h"
#include "serve/site.h"

namespace mora::serve {

/// All metrics, call paths and locations, and of each metric its values without a choice.
std::string dimensions_json(const cube::Cube& cube);

/// Query: `metric` (index), `own` (1: without the metric's children). {"own": […], "all": […]}: of each call path the
/// value of itself, and with the paths below it. Errors (usage): no such metric.
Result<std::string> paths_json(const cube::Cube& cube, const Query& query);

/// Query as above, and `path` (index; none: the program), `own_path` (1: without the paths below it).
/// {"values": […], "ranks": […], "nodes": […]}: by location, by rank, and by node in the order in which locations name
/// them.
Result<std::string> locations_json(const cube::Cube& cube, const Query& query);

}  // namespace mora::serve
