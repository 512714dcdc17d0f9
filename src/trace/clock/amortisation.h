/// Backward amortisation: the jump at an event that an edge moved is spread over what precedes it on its location.
///
/// Source: Becker 2009 (backward amortisation of the controlled logical clock); the shape of the curve is Mora's.
/// Idea. Let the forward sweep move event r from `free` to LC(r), later by Δ. In the window before it, of length
/// window·Δ, events are moved by a function g of their forward time: g = 0 at the window's start, Δ at `free`. An event
/// that is the source of an edge may move by no more than LC(sink) − latency − LC(source), its *cap*. g is the lower
/// convex hull of the start, the caps and the end: of all functions that respect the caps and grow from 0 to Δ its
/// steepest slope is the least one possible; it never falls, so the order of events and distances of 1 ns stay; and it
/// is 0 before a source that cannot move at all.
/// Cost: two passes over the links, O(links + caps). Memory: the caps between two jumps of one location; knots are
/// spooled.
/// Limits: a window never reaches beyond the previous jump of its location, nor the location's first event; other
/// locations are taken at their forward times, which their own windows can only make later; values are rounded down to
/// nanoseconds.
#pragma once

#include "trace/clock/forward_sweep.h"

namespace mora::trace {

/// A corner of g. The corners of a window stand together.
struct Knot {
  Nanoseconds at = 0;        ///< forward time
  Nanoseconds raise = 0;     ///< g(at): how much later
  std::uint64_t before = 0;  ///< ordinal of the event with the jump
};

/// Appends the corners of all windows to `knots`, per location in stream order. Overwrites the values that `junctions`
/// hold. Errors (system): links or jumps cannot be read back, knots cannot be spooled.
Result<void> amortise(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions,
                      std::size_t locations, const Spool<Jump>& jumps, Spool<Knot>& knots);

/// Lower convex hull of (start, 0), the caps between, (end, height); `caps` in order of `at`. Empty if there is no
/// room. Exposed for tests.
std::vector<Knot> amortisation_curve(Nanoseconds start, const std::vector<Knot>& caps, Nanoseconds end,
                                     Nanoseconds height);

/// g at a forward time: 0 before the curve, its last value behind it, linear between two corners, rounded down.
Nanoseconds raise_at(const std::vector<Knot>& curve, Nanoseconds at);

/// The corrected times of one location, event by event: the forward clock again, and g added.
class CorrectedClock {
 public:
  CorrectedClock(const ClockOptions& options, const Spool<Jump>& jumps, const Spool<Knot>& knots,
                 std::uint32_t location)
      : replay_(options, jumps, location), knots_(knots.cursor(location)), next_(knots_.next()) {}

  /// The corrected time of an event. Events in stream order (all of them, or those with links); `gap` as in Link.
  Nanoseconds advance(std::uint64_t ordinal, Nanoseconds time, std::uint32_t gap);
  /// The corrected time of the event before it in the trace, and whether an edge moved the event.
  Nanoseconds before() const { return before_; }
  bool jumped() const { return replay_.jumped(); }
  /// The corrected time at `time` after the last event, as far as it is known there.
  Nanoseconds at(Nanoseconds time) const {
    const Nanoseconds forward = replay_.at(time);
    return later(forward, raise_at(curve_, forward));
  }
  const std::vector<Knot>& curve() const { return curve_; }  ///< of the window that begins next or is open
  bool failed() const { return replay_.failed() || knots_.failed(); }

 private:
  void next_curve(std::uint64_t ordinal);
  Replay replay_;
  Spool<Knot>::Cursor knots_;
  const Knot* next_;
  std::vector<Knot> curve_;
  Nanoseconds before_ = 0;
};

}  // namespace mora::trace
