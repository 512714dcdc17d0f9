/// Slices: the events of one Chrome time line in the order in which they happened, well nested.
///
/// Source: Trace Event Format (phases B, E, X, s, t, f); what it leaves open is Mora's own.
/// Idea: events may stand in any order in the file. They are sorted by time; at equal times in the order of the file,
/// which B and E need. X events tell only begin and end, so at equal times ends come before begins, longer slices lie
/// around shorter ones, the end of a flow belongs to the slice that ends there, its start to the slice that begins
/// there. Slices that overlap without nesting are cut where the outer one ends.
/// Cost: O(n log n) for n events of the line; each slice is opened and closed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/readers/chrome/collection.h"

namespace mora::trace::chrome {

/// Receives the events of one time line in order, well nested.
class SliceSink {
 public:
  virtual ~SliceSink() = default;
  virtual void enter(Nanoseconds time, const Item& slice) = 0;
  /// `slice`: the item that entered it; `end`: the E item, or null.
  virtual void leave(Nanoseconds time, const Item& slice, const Item* end) = 0;
  virtual void flow(Nanoseconds time, const Item& flow) = 0;
  virtual void other(const Item& item) = 0;
};

struct SliceCounts {
  std::uint64_t overlapping = 0;  ///< slices that were cut
  std::uint64_t stray = 0;        ///< E without B
};

/// `numbers`: of the line's items, in any order; sorted here. Slices still open at the end are not left.
SliceCounts play(const Collection& collection, std::vector<std::uint32_t>& numbers, SliceSink& sink);

}  // namespace mora::trace::chrome
