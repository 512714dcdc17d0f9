/// What a question about the timeline is about: a stretch of time, and the locations that are shown, in the order of
/// the rows. Plain data.
#pragma once

#include <algorithm>
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
  /// Are there so few events that for_each_event() looks at all?
  bool is_all_looked_at() const { return last - std::min(before, last) <= looked_at; }
  /// f(position) for each event, or, where they are too many for an answer in time, for pieces that lie evenly.
  template <class F>
  void for_each_event(const F& f) const {
    const trace::Position all = last - std::min(before, last), pieces = is_all_looked_at() ? 1 : looked_at / piece;
    const trace::Position length = is_all_looked_at() ? all : piece;
    for (trace::Position i = 0; i < pieces; ++i) {
      const trace::Position begin = before + all / pieces * i;
      for (trace::Position p = begin + 1; p <= begin + length; ++p) f(p);
    }
  }

  static constexpr trace::Position looked_at = 1 << 18, piece = 1 << 12;  ///< events

  bool overlaps(Nanoseconds begin, Nanoseconds end) const { return begin < until && end > from; }
};

}  // namespace mora::serve
