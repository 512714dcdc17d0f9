/// Arithmetic of results: difference, merge, mean and cut of cubes. The outcome of each is again a cube.
///
/// Dimensions are united first. Metrics are the same if their ids are; call paths, if their parents are and kind, name,
/// call site and interval's id agree (the n-th of equals with the n-th; roots of kind program whatever the program's
/// name); locations, if rank and thread agree. What not every operand has is kept, counts as zero where it is missing,
/// and is listed. Cells are integers and stay so; what would leave 63 bits is held at the limit and counted. Source:
/// Song 2004. Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "cube/cube.h"

namespace mora::cube {

/// A dimension of a cube, for messages about what was not matched.
enum class Dimension : std::uint8_t { metric, call_path, location };
/// "metric", "call path", "location".
const char* to_string(Dimension dimension);

/// An element that some operands lack. Of call paths only the topmost: what is below them is missing, too.
struct Unmatched {
  Dimension dimension = Dimension::metric;
  std::string name;                     ///< metric id; call path as text; location's name
  std::vector<std::uint32_t> operands;  ///< who has it, counted from 0
};

/// The cube that an operation made, and what could not be kept exactly on the way.
struct Combination {
  Cube cube;
  std::vector<Unmatched> unmatched;  ///< metrics, call paths, locations; each in the order of `cube`
  std::uint64_t rounded = 0;         ///< mean: cells that were no whole number
  std::uint64_t saturated = 0;       ///< cells held at the limits of int64
};

// Errors of the next three: usage, if there is no operand or a metric has different units in two of them.

/// a - b. Cells may be negative.
Result<Combination> difference(const Cube& a, const Cube& b);

/// All metrics of all operands; a metric that several have is taken from the first of them (e.g. times from one run and
/// counters from another).
Result<Combination> merge(const std::vector<const Cube*>& operands);

/// Arithmetic mean. A metric's own part (without its children) is rounded to the nearest integer, halves to even; the
/// metric is the sum of the rounded parts: so children still never exceed their parent.
Result<Combination> mean(const std::vector<const Cube*>& operands);

/// What cut() keeps. Names as described at cut().
struct Cut {
  std::vector<std::string> roots;  ///< keep only the call trees below these; empty = keep all
  std::vector<std::string> prune;  ///< fold the trees of these into their parents
};

/// A name selects every call path that has it: "MPI_Recv", the label "MPI_Recv@a.c:3", or the end of a path
/// "main > solve > MPI_Recv". Of nested selected roots the outermost counts.
/// Errors: usage, if a name selects nothing, or a root of the (remaining) tree is to be pruned.
Result<Cube> cut(const Cube& cube, const Cut& what);

/// Only the call paths for which `kept` (one per call path) is true; one whose parent is not kept is a root. Ids are
/// new, in the same order.
Cube subset(const Cube& cube, const std::vector<bool>& kept);

}  // namespace mora::cube
