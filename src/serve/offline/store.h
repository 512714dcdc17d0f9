/// The store of a result as one text: every answer of `paths` and `locations` (serve/cells.h), so that a page without a
/// server shows the same numbers and adds nothing up.
///
/// Answers that are alike are kept once: most call paths are leaves, and most values are zero. Cost: O(metrics x call
/// paths x locations). Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "cube/cube.h"

namespace mora::serve {

/// {"metrics": [[block, block] …], "rows": [{"values", "ranks", "nodes"} …]} with a block for `own` 0 and 1: {"own",
/// "all"} as paths_json, "total" the row of the program, "below" and "alone" by call path the rows for `own_path` 0 and
/// 1. A row is an index into "rows"; 0 is the row of zeros, -1: left out, since the rows would have more than
/// `at_most` values. A row whose "ranks" equal its "values" has no "ranks". Metrics that are zero everywhere have no
/// block; those without children have one, since both would be alike. "left_out": how many rows are.
std::string store_json(const cube::Cube& cube, std::size_t at_most);

}  // namespace mora::serve
