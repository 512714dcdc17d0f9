/// Phases: the repeating outer loop of an unmarked program, found from its sequence of calls.
///
/// An iteration begins at the same call (region = function at a call site) on every location that has it. The outer
/// loop is the one whose iterations cover most of the location's time; what is before its first and after its last iteration stays
/// outside. Programs whose ranks differ in their calls (boundaries, masters) have a head per location, of one site where
/// possible. Source: the idea of periodicity in communication sequences, here on exact sequences of call sites.
#pragma once

#include <vector>

#include "trace/source.h"

namespace mora::trace {

/// The loop as one location executes it.
struct LocationPhases {
  RegionId head = no_id;         ///< the call that every iteration begins with; no_id = no loop was found
  std::uint64_t first = 0;       ///< which visit of `head` (outside other calls) begins the first iteration, from 0
  std::uint64_t calls_apart = 1; ///< every so many visits of `head` one begins
  std::uint64_t iterations = 0;  ///< at least 3
  /// The last iteration ends at the leave of this region's next visit after its begin (no_id: at the location's last such …
  /// the call that ended the iteration before); so that what follows the loop is outside.
  RegionId tail = no_id;
};

/// Index = LocationId. `head` names the interval: its call site is the interval's file and line, on all locations the same
/// region if they have one in common. Reads every location once at most, O(calls) time, memory of one location's call sequence.
Result<std::vector<LocationPhases>> find_phases(Source& source);

}  // namespace mora::trace
