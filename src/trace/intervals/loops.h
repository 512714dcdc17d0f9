/// Loops in a sequence of visits: for each region that may be the head of one, the iterations that would begin with it.
///
/// Idea (rule `phases`). The visits of a head cut the sequence into pieces. If the head is that of a loop, its pieces
/// hold the same regions, however often an inner loop ran, give or take an optional one; so pieces are compared as
/// sets, with the set that takes most of the time (at least two thirds of the regions of both are common). The loop is
/// the stretch in which the time of the pieces that are alike exceeds most that of the others (largest sum of a
/// contiguous part): what comes before and after it, and another loop with the same head, stays outside. Where only
/// names of functions are known, the head may be visited several times per iteration: then pieces are alike every so
/// many. Where one site serves several levels of loops, what its calls send tells where the outer one begins.
///
/// Cost: O(visits) per head; 8 to 64 heads are tried per level, fewer the longer the sequence. Memory: O(visits).
/// Limits: a call in every tenth iteration and an outer loop around ten iterations look the same.
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

/// Candidates of the whole location, at all depths where most of its time is spent: regular loops of at least three
/// iterations that cover at least a tenth of the time. None if the stream refers to undefined regions.
std::vector<LoopCandidate> find_loops(const VisitCollector& collected, std::size_t regions);

}  // namespace mora::trace
