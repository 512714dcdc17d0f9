/// Slices: the events of one Chrome time line in the order in which they happened, well nested.
///
/// Events may stand in any order in the file. They are ordered by time; at equal times file order holds, which B and E
/// need. X events tell only begin and end, so at equal times: what ends ends first, longer ones lie around shorter
/// ones, a flow's end belongs to what ends there, its start to what begins there. Slices that overlap without nesting
/// are cut where the outer one ends. Cost: a sort; each slice is opened and closed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/readers/chrome/collection.h"

namespace mora::trace::chrome {

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
