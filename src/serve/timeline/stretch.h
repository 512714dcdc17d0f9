/// What a question about the timeline is about: a stretch of time, and the locations that are shown, in the order of
/// the rows. Plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/view/view.h"

namespace mora::serve {

struct Stretch {
  Nanoseconds from = 0, until = 0;
  std::vector<std::uint32_t> shown;   ///< location, by row of the picture
  std::vector<std::uint32_t> row_of;  ///< row of the picture, by location; no_id: not shown
  trace::Position before = 0;         ///< last event before `from`
  trace::Position last = 0;           ///< last event before `until`

  bool shows(std::uint32_t location) const { return location < row_of.size() && row_of[location] != trace::no_id; }
  bool overlaps(Nanoseconds begin, Nanoseconds end) const { return begin < until && end > from; }
};

}  // namespace mora::serve
