/// Whole numbers from JSON that somebody else may have written or damaged.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace mora {

/// The number, which must be whole and fit; std::out_of_range otherwise. get<T>() of the library cuts fractions and
/// upper bits off, and a float beyond T is undefined behaviour. `Json` is any nlohmann::basic_json.
template <std::integral T, typename Json>
T whole_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw std::out_of_range(value.dump() + " is not a whole number or too large");
}

}  // namespace mora
