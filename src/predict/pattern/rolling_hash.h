/// Arithmetic of polynomial rolling hashes: modulo the prime 2^61 - 1. Pure functions.
#pragma once

#include <cstdint>

namespace mora::predict {

inline constexpr std::uint64_t hash_modulus = (std::uint64_t{1} << 61) - 1;

/// a * b of remainders.
inline std::uint64_t hash_product(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  const auto low = static_cast<std::uint64_t>(product & hash_modulus) + static_cast<std::uint64_t>(product >> 61);
  return low >= hash_modulus ? low - hash_modulus : low;
}

}  // namespace mora::predict
