/// Converts ticks of a recording clock to nanoseconds: one fit per host.
///
/// All processes that read the same clock share one fit, a straight line through the first and the last reading of
/// (ticks, CLOCK_MONOTONIC_RAW): equal ticks give equal stamps in all processes. Stamps are nanoseconds since the
/// Unix epoch as of the first reading, advanced by the monotonic clock: close to CLOCK_REALTIME, never stepping.
/// Integer arithmetic (128 bit), rounded once. Limit: a rate that changes during the run is averaged (the rates
/// of an invariant TSC and of CLOCK_MONOTONIC_RAW are not adjusted by NTP). Pure functions: thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/definitions.h"
#include "journal/format.h"

namespace mora::experiment {

class ClockFit {
 public:
  /// `readings` in any order, at least one. Without two different ones a tick counts as a nanosecond.
  static ClockFit from(std::vector<mora_clock_triple> readings, mora_clock_kind kind);

  /// Nanoseconds since the Unix epoch on the host's clock, to the nearest.
  std::uint64_t stamp(std::uint64_t ticks) const;
  /// Stamp of a CLOCK_MONOTONIC_RAW time of the same host.
  std::uint64_t stamp_of_monotonic(std::uint64_t monotonic_ns) const {
    return monotonic_ns - first_.monotonic_ns + first_.realtime_ns;
  }
  std::uint64_t monotonic(std::uint64_t ticks) const { return stamp(ticks) - first_.realtime_ns + first_.monotonic_ns; }
  /// Span between first and last reading, ns; the longer, the better the rate.
  std::uint64_t span_ns() const { return span_ns_; }
  double ns_per_tick() const { return static_cast<double>(delta_ns_) / static_cast<double>(delta_ticks_); }

 private:
  mora_clock_triple first_{};
  std::uint64_t delta_ticks_ = 1;
  std::uint64_t delta_ns_ = 1;
  std::uint64_t span_ns_ = 0;
};

/// A reading of that clock now, if this machine has it: a second reading for jobs that were killed. `first`: an earlier
/// one; after a reboot the two would not agree, and there is none.
std::optional<mora_clock_triple> clock_reading_now(const std::string& on, std::uint32_t kind,
                                                   const mora_clock_triple& first);

/// `stamp` on rank 0's clock: offsets (by time, at least one) interpolated linearly and extended with the slope of the
/// nearest two, as readers do; rounded down.
std::uint64_t on_common_clock(std::uint64_t stamp, const std::vector<archive::ClockOffset>& offsets);

}  // namespace mora::experiment
