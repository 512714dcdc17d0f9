/// The port through which messages enter a rank: a calendar of when it is busy.
///
/// Idea: messages are asked for in the order in which their rank completes them, which need not be the order in which
/// they came. So the times in which the port was idle are kept, and a message takes the first one that it fits into; no
/// event is ever put back into a queue. Cost: O(1) for one that comes last, else O(idle times kept), at most 32; when
/// more would be kept the earliest is forgotten (a message that could have used it comes later than it might).
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
    // Those that end before it is there are of no use to it; as a rule that is all.
    std::size_t i = idle_.size();
    if (i > first_ && idle_.back().second > from)
      i = static_cast<std::size_t>(std::partition_point(idle_.begin() + static_cast<std::ptrdiff_t>(first_),
                                                        idle_.end(),
                                                        [&](const auto& idle) { return idle.second <= from; }) -
                                   idle_.begin());
    for (; i < idle_.size(); ++i) {
      const auto [begin, end] = idle_[i];
      const Nanoseconds start = std::max(begin, from);
      if (start >= end || saturated_difference(end, start) < duration) continue;
      const Nanoseconds stop = start + duration;
      const auto at = idle_.begin() + static_cast<std::ptrdiff_t>(i);
      if (begin < start) {
        at->second = start;
        if (stop < end) idle_.insert(at + 1, {stop, end});
      } else if (stop < end) {
        at->first = stop;
      } else {
        idle_.erase(at);
      }
      return stop;
    }
    if (from > free_) {
      idle_.emplace_back(free_, from);
      if (idle_.size() - first_ > most_idle) ++first_;
      if (first_ == most_idle) {
        idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
      }
    }
    free_ = saturated_sum(std::max(free_, from), duration);
    return free_;
  }

 private:
  static constexpr std::size_t most_idle = 32;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> idle_;  ///< ascending; those before first_ are forgotten
  std::size_t first_ = 0;
  Nanoseconds free_ = INT64_MIN;
};

}  // namespace mora::replay
