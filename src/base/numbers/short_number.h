/// Whole numbers that are mostly small, as bytes in memory: 2 for those below 2^15, 4 below 2^30, else 10. The lowest
/// bits say which: 0, 01, or 11 and eight bytes behind these two. Four to seven instructions a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mora {

inline constexpr std::size_t longest_number = 10;  ///< bytes

/// Returns where the next number goes. `at` has room for longest_number.
inline std::byte* store_number(std::byte* at, std::uint64_t value) {
  if (value < 1U << 15) {
    const auto word = static_cast<std::uint16_t>(value << 1);
    std::memcpy(at, &word, sizeof word);
    return at + sizeof word;
  }
  if (value < 1U << 30) {
    const auto word = static_cast<std::uint32_t>(value << 2 | 1);
    std::memcpy(at, &word, sizeof word);
    return at + sizeof word;
  }
  constexpr std::uint16_t whole = 3;
  std::memcpy(at, &whole, sizeof whole);
  std::memcpy(at + sizeof whole, &value, sizeof value);
  return at + longest_number;
}

/// Returns where the next number is. Reads up to two bytes behind a short one.
inline const std::byte* load_number(const std::byte* at, std::uint64_t& value) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if ((word & 1) == 0) {
    value = static_cast<std::uint16_t>(word) >> 1;
    return at + 2;
  }
  if ((word & 2) == 0) {
    value = word >> 2;
    return at + 4;
  }
  std::memcpy(&value, at + 2, sizeof value);
  return at + longest_number;
}

/// A number of either sign as one that is small if it is near 0, and back.
constexpr std::uint64_t folded(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1)));
}

}  // namespace mora
