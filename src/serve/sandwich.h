/// A function with its callers above it and its callees below it, wherever the program calls it: the sandwich view.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cube/cube.h"
#include "serve/site.h"

namespace mora::serve {

/// By call path: the first one of the same function. Intervals are of one function if place and number agree.
std::vector<cube::CallPathId> first_of_function(const cube::Cube& cube);

/// Query: `path` (its function is meant: every call path of that name), `metric`, `own` as paths_json. {"total",
/// "places": call paths that are added up, "callers": [[parent, call path, value] …], "callees": the same}: two trees
/// of which equal names below one parent are one entry; `parent` is an index into the list, -1: the function itself;
/// `call path`: one that has the name. A value is the metric's, with all below the function: of a caller what it causes
/// by way of the function, of a callee what it has below the function. Where the function calls itself, the outermost
/// call counts. Errors (usage): no such call path or metric; a metric that is no sum.
Result<std::string> sandwich_json(const cube::Cube& cube, const Query& query);

/// For a page without a server: pairs of "path=N&metric=N&own=N" and the answer, of the first call path of each
/// function and all metrics that are sums. Metric by metric until they are `at_most` bytes.
std::vector<std::pair<std::string, std::string>> all_sandwiches(const cube::Cube& cube, std::size_t at_most);

}  // namespace mora::serve
