/// Loops in a sequence of visits: for each region that may be the head of one, the iterations that would begin with it.
///
/// The visits of a head cut the sequence into pieces. If the head is that of a loop, its pieces hold the same regions,
/// however often an inner loop ran, give or take an optional one; so pieces are compared as sets, with the set that
/// takes most of the time (at least two thirds of the regions of both are common). The loop is the stretch in which the
/// time of the pieces that are alike outweighs most that of the others: what comes before and after it, and another
/// loop with the same head, stays outside. Where only names of functions are known, the head may be visited several
/// times per iteration: then pieces are alike every so many.
#pragma once

#include <vector>

#include "trace/intervals/phases.h"
#include "trace/intervals/visits.h"

namespace mora::trace {

struct LoopCandidate {
  LocationPhases loop;
  Nanoseconds covered = 0;  ///< time of the iterations that are alike
  Nanoseconds begin = 0;    ///< of the first
  bool goes_on = false;     ///< to where the visits were cut; it is taken to end at the last visit of its head
};

/// Candidates of the whole location, at all depths where most of its time is spent. Regular loops of at least three
/// iterations.
std::vector<LoopCandidate> find_loops(const VisitCollector& collected, std::size_t regions);

}  // namespace mora::trace
