/// What the values of an enumeration are called in outputs, or mean elsewhere: an array in their order, or of pairs.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mora {

/// The name of `value`; empty beyond the array (a value from a damaged file).
template <class Enumeration, std::size_t N>
constexpr const char* name_in(const char* const (&names)[N], Enumeration value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "";
}

/// What stands beside `key` in `table`; `otherwise` where it is not there. O(N).
template <class Key, class Value, std::size_t N>
constexpr Value value_in(const std::pair<Key, Value> (&table)[N], std::type_identity_t<Key> key,
                         std::type_identity_t<Value> otherwise) {
  for (const auto& [known, value] : table) {
    if (known == key) return value;
  }
  return otherwise;
}

}  // namespace mora
