/// Decimal numbers of text formats to integer time, without a double in between. Pure, thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace mora::trace {

struct DecimalTime {
  Nanoseconds time = 0;
  bool rounded = false;  ///< the text was finer than a nanosecond
};

/// "12.5", "-3", ".5", "1e-06" in units of 10^`digits` ns (9: seconds, 3: microseconds). Exact; what is finer than a
/// nanosecond is rounded once, to the nearest, ties away from zero. Nothing if it is no such number or lies
/// beyond ±2^61 ns (73 years), so that differences of two times cannot overflow. Cost: linear in the text.
std::optional<DecimalTime> decimal_time(std::string_view text, int digits);

}  // namespace mora::trace
