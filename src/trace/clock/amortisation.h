/// Backward amortisation: the jump at a lifted event is spread over what precedes it on its location.
///
/// Let the forward sweep lift event r from `free` to LC(r) by Δ. In the window before it, of length window·Δ, events
/// are raised by a function g of their forward time: g = 0 at the window's start, Δ at `free`. An event that is the
/// source of an edge may be raised by no more than LC(sink) − latency − LC(source), its *cap*. g is the lower convex
/// hull of the start, the caps and the end: of all functions that meet the caps and grow from 0 to Δ it has the least
/// greatest slope, it never falls (so order and distances of 1 ns stay) and is 0 before a source that cannot move at
/// all. Limits: a window never reaches beyond the lifted event before it, nor the location's first event; other
/// locations are taken at their forward times, which their own windows only raise; values are rounded down to
/// nanoseconds.
#pragma once

#include "trace/clock/forward_sweep.h"

namespace mora::trace {

/// A corner of g. The corners of a window stand together.
struct Knot {
  Nanoseconds at = 0;  ///< forward time
  Nanoseconds raise = 0;
  std::uint64_t before = 0;  ///< ordinal of the lifted event
};

/// Fills `knots` per location. The junctions' values are replaced.
Result<void> amortise(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions,
                      std::size_t locations, const Spool<Jump>& jumps, Spool<Knot>& knots);

/// Lower convex hull of (start, 0), the caps between, (end, height); `caps` in order of `at`. Empty if there is no
/// room. Exposed for tests.
std::vector<Knot> amortisation_curve(Nanoseconds start, const std::vector<Knot>& caps, Nanoseconds end,
                                     Nanoseconds height);

/// The raise at a forward time within two knots or beyond.
Nanoseconds raise_at(const std::vector<Knot>& curve, Nanoseconds at);

/// Shows a location's corrected times: forward replay and raise.
class CorrectedClock {
 public:
  CorrectedClock(const ClockOptions& options, const Spool<Jump>& jumps, const Spool<Knot>& knots,
                 std::uint32_t location)
      : replay_(options, jumps, location), knots_(knots.cursor(location)), next_(knots_.next()) {}

  Nanoseconds advance(std::uint64_t ordinal, Nanoseconds time, std::uint32_t gap);
  /// The predecessor's corrected time, and whether an edge lifted the event.
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
