/// Ticks to nanoseconds, exactly. A double of absolute seconds would be coarser than a tick: 119 ns in the year 2000.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace mora::trace::vampir {

/// Immutable once made; thread-safe.
class TickClock {
 public:
  /// `seconds` per tick must be positive and finite, at least 1e-12 and at most 1e6. The file's double stands for the
  /// number that was meant: a whole number of nanoseconds or a whole number of ticks per second, if one of them gives
  /// exactly this double.
  static std::optional<TickClock> make(double seconds);

  /// Rounded to the nearest nanosecond; none if that is beyond ±2^60 (36 years) or no number.
  std::optional<Nanoseconds> time(double ticks) const;

 private:
  std::int64_t numerator_ = 1, denominator_ = 1;  ///< nanoseconds per tick, if exact
  long double period_ = 0;                        ///< nanoseconds per tick, if not: 0 = exact
};

}  // namespace mora::trace::vampir
