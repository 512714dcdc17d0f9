/// Phases: the repeating outer loop of a program without marks, found from its sequence of calls.
///
/// An iteration begins at the same call (region = function at a call site) on every location that has it. The outer
/// loop is the one whose iterations cover most of the location's time; what is before its first and after its last
/// iteration stays outside. Programs whose ranks differ in their calls (boundaries, a master) have a head per location,
/// of one call site where possible. Rule `phases`; how one location is searched: loops.h; how locations agree:
/// phases.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trace/source.h"

namespace mora::trace {

/// The loop as one location executes it. An iteration goes from one begin to the next; visits are counted from 0,
/// outside of MPI calls.
struct LocationPhases {
  RegionId head = no_id;          ///< the region that every iteration begins with; no_id = no loop was found
  std::uint64_t first = 0;        ///< which visit of `head` begins the first iteration
  std::uint64_t calls_apart = 1;  ///< every so many visits of `head` one begins
  std::uint64_t iterations = 0;   ///< at least 3
  /// The last iteration ends where this visit of `tail` is left; no_id: where one more iteration would begin.
  RegionId tail = no_id;
  std::uint64_t tail_visit = 0;
  bool is_cut = false;  ///< the search ended (PhaseSearch::most_visits) while the loop still ran
};

/// How the processes of an analysis share the search.
struct PhaseSearch {
  unsigned workers = 0;         ///< threads; 0 = usable cores
  std::uint64_t memory = 0;     ///< bytes: fewer locations at a time where their visits are many; 0 = no limit
  std::size_t most_visits = 0;  ///< looked at per location; 0 = two millions
  /// Bytes of events that stay in memory for the `keep_for` readings that follow, those on disk for the next one
  /// (kept/kept_events.h; with_intervals() only); 0: none.
  std::size_t keep = 0;
  unsigned keep_for = 1;
  std::function<bool()> stop;  ///< asked after each location; true = give up, no phases
  std::vector<bool> is_mine;   ///< by location: to be read here; empty = all
  /// What every process found, in the same order everywhere; empty = there is one process. Called once by each,
  /// whatever happened.
  std::function<Result<std::vector<std::string>>(std::string own)> gather;
};

/// Index = LocationId, the same in all processes. `head` names the interval: its call site is the interval's file and
/// line, on all locations the same region if they have one in common. Only processes (thread 0) have phases. Reads
/// every location once at most, time O(calls) (8 to 64 candidates are compared in full, by its number), memory of one
/// location's sequence of visits, at most most_visits: a loop that still runs there is taken to end at the last visit
/// of its head. Errors: no location could be read (told only where one process searches alone); those of `gather`.
Result<std::vector<LocationPhases>> find_phases(Source& source, const PhaseSearch& search = {});

}  // namespace mora::trace
