/// The clock of one location of an OTF2 archive: stamps to nanoseconds since the archive's first stamp.
///
/// Source: clock offsets of OTF2 3.0 (ClockOffset records), interpolated as Score-P 8 describes. Offsets measured at
/// some time stamps are interpolated linearly between them and extended with the slope of the nearest pair outside, in
/// 128-bit integers, rounded once to the nearest nanosecond: the same digits on every machine.
/// Cost: O(1) per time stamp with one offset, O(log offsets) otherwise. Immutable once made; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace mora::trace::otf2 {

struct ClockOffset {
  std::uint64_t stamp = 0;  ///< the location's own
  std::int64_t offset = 0;  ///< to be added near `stamp`, in ticks
};

class Clock {
 public:
  Clock() = default;
  /// `resolution`: ticks per second, > 0. Offsets in any order; of equal stamps the last counts.
  Clock(std::uint64_t resolution, std::uint64_t origin, std::vector<ClockOffset> offsets);

  /// Saturates at the ends of int64.
  Nanoseconds operator()(std::uint64_t stamp) const {
    return constant_ && stamp - low_ <= width_ ? static_cast<Nanoseconds>(stamp - shift_) : slow(stamp);
  }

 private:
  Nanoseconds slow(std::uint64_t stamp) const;

  /// With nanosecond ticks and one offset the result is stamp − shift for stamps in [low, low + width].
  bool constant_ = true;
  std::uint64_t low_ = 0;
  std::uint64_t width_ = UINT64_MAX >> 3;
  std::uint64_t shift_ = 0;
  std::uint64_t resolution_ = 1000000000;
  std::uint64_t origin_ = 0;
  std::vector<ClockOffset> offsets_;
};

}  // namespace mora::trace::otf2
