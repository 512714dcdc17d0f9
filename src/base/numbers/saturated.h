/// Sums and differences of 64-bit numbers that stay at the limit where the result does not fit: for what damaged or
/// hostile input can make arbitrarily large (times, counts), where the figure no longer matters but must not wrap
/// round.
#pragma once

#include <cstdint>

namespace mora {

constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {  // the limit on whose side the sum lies
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {  // a - b, likewise
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace mora
