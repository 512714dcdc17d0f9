/// What the values of an enumeration are called in outputs: an array in their order.
#pragma once

#include <cstddef>

namespace mora {

/// The name of `value`; empty beyond the array (a value from a damaged file).
template <class Enumeration, std::size_t N>
constexpr const char* name_in(const char* const (&names)[N], Enumeration value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "";
}

}  // namespace mora
