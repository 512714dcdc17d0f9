/// Leaving out executions of intervals by id (`--without-id`), for example first iterations, which warm caches up.
///
/// The call paths are removed from the cube before anything is computed, so all figures are those of a program that did
/// not execute them (Mora's rule without-id; the need for it: DVM analyser, 4.3). For `mora report --intervals`, `mora
/// compare` and everything else that reads a cube. Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "cube/cube.h"

namespace mora::report {

/// Intervals with this id; with a place only those of it (a name, or FILE:LINE).
struct Exclusion {
  std::string
      place;  ///< FILE:LINE or a name, as IntervalTable::find understands them; empty: the outermost that has the id
  std::uint32_t id = 0;

  std::string text() const;  ///< "1", "solve.c:20#1"
};

/// "[PLACE#]ID[,…]": "1,2", "solve.c:20#1". Names may hold commas. Errors (usage): an item without an id.
Result<std::vector<Exclusion>> parse_exclusions(const std::string& text);

/// The cube without these intervals and all in them. With a place: all intervals of that place and id, wherever they
/// are. Without: going down from the program, of each place in one interval the one with the id; of a place that has it
/// nothing further in, so that first executions within later iterations stay. Ids of call paths are new.
/// `left_out` counts the intervals. Errors (usage): no interval for one of them.
Result<cube::Cube> without_intervals(const cube::Cube& cube, const std::vector<Exclusion>& exclusions,
                                     std::size_t* left_out = nullptr);

/// "intervals with id 1, intervals solve.c:20 with id 2 and all in them": for "Left out: ….".
std::string exclusion_words(const std::vector<Exclusion>& exclusions);

}  // namespace mora::report
