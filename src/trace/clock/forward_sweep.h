/// The forward sweep: computes the forward times of all locations at once.
///
/// Source: the forward amortisation of the controlled logical clock (Becker 2009).
/// Idea: every location's clock advances until it reaches the receiving end of an edge whose sending end is not known
/// yet; there the location is blocked until the last sending end is known. A sink waits for its sources and for nothing
/// else, so the times do not depend on the order in which locations are visited, and one sweep leaves no edge that
/// contradicts the times. Edges in a circle cannot be satisfied by any clock: when all locations are blocked, the edge
/// at the earliest blocked event (ties: lowest location) is given up and counted.
/// Cost: O(links), and O(log locations) each time a location is blocked. Memory: a cursor per location. One thread.
#pragma once

#include "trace/clock/forward_clock.h"
#include "trace/clock/junctions.h"

namespace mora::trace {

/// An event that an edge moves to a later time.
struct Jump {
  std::uint64_t ordinal = 0;
  Nanoseconds reading = 0;  ///< its forward time
};

struct SweepResult {
  std::uint64_t jumps = 0;
  std::uint64_t circular = 0;  ///< sinks that were given up
};

/// Appends the jumps of all locations to `jumps`, in stream order. Precondition: `junctions` hold no values
/// (Junctions::forget_values()); their counts of pending sources are used up. Errors (system): links cannot be read
/// back, jumps cannot be spooled.
Result<SweepResult> sweep_forward(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions,
                                  std::size_t locations, Spool<Jump>& jumps);

/// The forward times of one location again, from its jumps, event by event (all events, or those with links).
class Replay {
 public:
  Replay(const ClockOptions& options, const Spool<Jump>& jumps, std::uint32_t location)
      : clock_(options.loss_numerator, options.loss_denominator),
        jumps_(jumps.cursor(location)),
        next_(jumps_.next()) {}

  /// Events in order. `gap` as in Link.
  Nanoseconds advance(std::uint64_t ordinal, Nanoseconds time, std::uint32_t gap) {
    before_ = clock_.at(time - static_cast<Nanoseconds>(gap));
    free_ = clock_.advance(time, gap == 1);
    jumped_ = next_ != nullptr && next_->ordinal == ordinal;
    if (!jumped_) return free_;
    const Nanoseconds reading = next_->reading;
    clock_.jump(time, reading);
    next_ = jumps_.next();
    return reading;
  }
  bool jumped() const { return jumped_; }
  Nanoseconds free() const { return free_; }      ///< what the event would show without its edge
  Nanoseconds before() const { return before_; }  ///< what its predecessor shows
  /// What the clock would show at a later time if no edge lifted it before.
  Nanoseconds at(Nanoseconds time) const { return clock_.at(time); }
  bool failed() const { return jumps_.failed(); }

 private:
  ForwardClock clock_;
  Spool<Jump>::Cursor jumps_;
  const Jump* next_;
  bool jumped_ = false;
  Nanoseconds free_ = 0, before_ = 0;
};

}  // namespace mora::trace
