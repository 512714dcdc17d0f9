/// gallop(): binary search outwards from a guess (exponential search). Questions that come in order cost O(1), others
/// O(log distance). Pure.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mora::analysis {

/// First index in [0, size) for which `is_before` does not hold; `size` if there is none. `is_before` holds for a
/// prefix.
template <class IsBefore>
std::size_t gallop(std::size_t size, std::size_t guess, const IsBefore& is_before) {
  std::size_t low = 0;
  std::size_t high = size;
  guess = std::min(guess, size);
  if (guess == 0 || is_before(guess - 1)) {
    low = guess;
    for (std::size_t step = 1; low + step < high; step *= 2) {
      if (!is_before(low + step - 1)) {
        high = low + step - 1;
        break;
      }
      low += step;
    }
  } else {
    high = guess - 1;
    for (std::size_t step = 1; step < high; step *= 2) {
      if (is_before(high - step)) {
        low = high - step + 1;
        break;
      }
      high -= step;
    }
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace mora::analysis
