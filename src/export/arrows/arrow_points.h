/// The ends of arrows, sorted by time. With `logical` transfers an arrow may end at another time than its events; a
/// queue holds such ends until the walk through the events reaches their time. Cost: O(log of the held ends) per event.
#pragma once

#include <queue>
#include <vector>

#include "export/arrows/arrows.h"

namespace mora::exports {

/// The start or the end of an arrow, at the time where it is drawn.
struct ArrowPoint {
  Nanoseconds time = 0;
  bool start = false;
  Arrow arrow;
};

/// Feed it positions of one view in ascending order (all, or those of one location). Memory: arrows whose ends are
/// moved and not yet due. Not thread-safe.
class ArrowPoints {
 public:
  explicit ArrowPoints(const Arrows& arrows) : arrows_(arrows) {}

  /// Calls act(point) for everything that stands before what the event itself writes: moved points that are due, then
  /// the points of the event.
  template <class Act>
  void at(Position event, Nanoseconds time, const Act& act) {
    if (!later_.empty()) due(time, act);
    if (const auto arrow = arrows_.ending_at(event)) place({arrow->end, false, *arrow}, act);
    if (const auto arrow = arrows_.starting_at(event)) place({arrow->start, true, *arrow}, act);
  }
  /// What is left after the last event.
  template <class Act>
  void rest(const Act& act) {
    due(INT64_MAX, act);
  }
  template <class Act>
  void due(Nanoseconds time, const Act& act) {
    while (!later_.empty() && later_.top().point.time <= time) {
      const ArrowPoint point = later_.top().point;
      later_.pop();
      act(point);
    }
  }

 private:
  struct Later {
    ArrowPoint point;
    std::uint64_t sequence;
    bool operator<(const Later& b) const {  // the earliest on top
      return point.time != b.point.time ? point.time > b.point.time : sequence > b.sequence;
    }
  };
  template <class Act>
  void place(const ArrowPoint& point, const Act& act) {
    if (arrows_.moved() && point.arrow.kind == ArrowKind::get)
      later_.push({point, sequence_++});
    else
      act(point);
  }

  const Arrows& arrows_;
  std::priority_queue<Later> later_;
  std::uint64_t sequence_ = 0;
};

}  // namespace mora::exports
