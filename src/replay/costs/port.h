/// The port through which messages enter a rank: a calendar of when it is busy.
///
/// Idea: messages are asked for in the order in which their rank completes them, which need not be the order in which
/// they came. So the times in which the port was idle are kept, and a message takes the first one that it fits into; no
/// event is ever put back into a queue. Cost: O(idle times kept), at most 32; when more would be kept the earliest is
/// forgotten (a message that could have used it comes later than it might).
#pragma once

#include <algorithm>
#include <vector>

#include "base/numbers/saturated.h"
#include "base/time.h"

namespace mora::replay {

class Port {
 public:
  /// Bytes that are there from `from` on keep the port busy for `duration`; returns when they are through.
  Nanoseconds take(Nanoseconds from, Nanoseconds duration) {
    if (duration == 0) return from;
    for (std::size_t i = 0; i < idle_.size(); ++i) {
      const auto [begin, end] = idle_[i];
      const Nanoseconds start = std::max(begin, from);
      if (start >= end || saturated_difference(end, start) < duration) continue;
      const Nanoseconds stop = start + duration;
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
      if (stop < end) idle_.insert(idle_.begin() + static_cast<std::ptrdiff_t>(i), {stop, end});
      if (begin < start) idle_.insert(idle_.begin() + static_cast<std::ptrdiff_t>(i), {begin, start});
      return stop;
    }
    if (from > free_) {
      idle_.emplace_back(free_, from);
      if (idle_.size() > most_idle) idle_.erase(idle_.begin());
    }
    free_ = saturated_sum(std::max(free_, from), duration);
    return free_;
  }

 private:
  static constexpr std::size_t most_idle = 32;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> idle_;  ///< ascending
  Nanoseconds free_ = INT64_MIN;
};

}  // namespace mora::replay
