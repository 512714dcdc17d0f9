/// Numbers in texts that are nothing but a number. Independent of the locale; pure.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace mora {

/// True if the whole text is a number that fits into `value`. Digits of `base`, without blanks, a plus sign or a
/// prefix; a minus sign only for signed numbers. Floating-point numbers: as std::from_chars, base 10.
template <class Number>
bool read_number(std::string_view text, Number& value, int base = 10) {
  const char* const stop = text.data() + text.size();
  std::from_chars_result read;
  if constexpr (std::is_floating_point_v<Number>)
    read = std::from_chars(text.data(), stop, value);
  else
    read = std::from_chars(text.data(), stop, value, base);
  return read.ec == std::errc() && read.ptr == stop;
}

/// The number that the whole text is; nothing: it is none.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  return read_number(text, value) ? std::optional(value) : std::nullopt;
}

}  // namespace mora
