/// What a counter of the thread gained between two readings, divided among the intervals that were open meanwhile.
///
/// The recorder reads the kernel's counters at marks of intervals, but not at every one (measure/call/core_time.h), and
/// at other times. What was gained between two readings belongs to the innermost intervals of that time, in proportion
/// to the time in each (Mora's rule counts-of-intervals): exactly, where one interval was open. The shares add up to
/// what was gained. Cost: O(1) per mark, O(intervals since the last reading) per reading. One per location; not
/// thread-safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/numbers/shares.h"
#include "base/time.h"

namespace mora::analysis {

class IntervalShares {
 public:
  /// An interval begins: `node` of the call tree. Times never decrease.
  void begin(std::uint32_t node, Nanoseconds time, bool is_marked) {
    pass(time, is_marked);
    open_.push_back(node);
  }
  /// The innermost one ends.
  void end(Nanoseconds time, bool is_marked) {
    pass(time, is_marked);
    if (open_.size() > 1) open_.pop_back();
  }
  /// Whether a reading at this time is one at a mark.
  bool is_at_mark(Nanoseconds time) const { return has_mark_ && mark_ == time; }
  /// Counters are read; called once for each of them. What has passed since the reading before is what divide() uses.
  void read(Nanoseconds time) {
    if (has_reading_ && time == read_) return;
    pass(time, false);
    whole_ = has_reading_ ? time - read_ : 0;
    has_reading_ = true;
    read_ = time;
    nodes_.clear();
    times_.clear();
    for (const std::uint32_t node : touched_) {
      nodes_.push_back(node);
      times_.push_back(std::exchange(passed_[node], 0));
    }
    touched_.clear();
  }
  /// Gives `amount`, gained in `duration` up to the last reading, to `take(node, share)`. To the program if this
  /// counter was not read when the others were.
  template <class Take>
  void divide(std::int64_t amount, Nanoseconds duration, const Take& take) {
    if (duration != whole_ || whole_ == 0 || nodes_.empty()) {
      take(duration == whole_ ? open_.back() : open_.front(), amount);
    } else if (nodes_.size() == 1) {
      take(nodes_.front(), amount);
    } else {
      const std::vector<std::int64_t>& shares = exact_(amount, times_);
      for (std::size_t i = 0; i < shares.size(); ++i) take(nodes_[i], shares[i]);
    }
  }

 private:
  void pass(Nanoseconds time, bool is_mark) {
    const Nanoseconds amount = time - last_;
    last_ = time;
    if (is_mark) has_mark_ = true, mark_ = time;
    if (!has_reading_ || amount <= 0) return;
    const std::uint32_t node = open_.back();
    if (passed_.size() <= node) passed_.resize(std::size_t{node} + 1, 0);
    if (passed_[node] == 0) touched_.push_back(node);
    passed_[node] += amount;
  }

  std::vector<std::uint32_t> open_ = {0};  ///< the program's node and those of the open intervals
  Nanoseconds last_ = 0, read_ = 0, whole_ = 0, mark_ = 0;
  bool has_reading_ = false, has_mark_ = false;
  std::vector<Nanoseconds> passed_;     ///< by node, since the last reading
  std::vector<std::uint32_t> touched_;  ///< whose is not 0
  std::vector<std::uint32_t> nodes_;    ///< between the last two readings
  std::vector<std::int64_t> times_;
  ExactShares exact_;
};

}  // namespace mora::analysis
