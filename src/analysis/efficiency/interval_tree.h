/// From call paths to intervals: which interval each call path belongs to. O(call paths log intervals). Pure.
#pragma once

#include <vector>

#include "analysis/efficiency/interval_table.h"

namespace mora::analysis {

struct IntervalTree {
  std::vector<Interval> intervals;     ///< preorder; names, places and roots only
  std::vector<std::uint32_t> of_path;  ///< by call path: the innermost interval around it (itself, if it is one)
};
/// Empty for a cube without call paths.
IntervalTree interval_tree(const cube::Cube& cube);

}  // namespace mora::analysis
