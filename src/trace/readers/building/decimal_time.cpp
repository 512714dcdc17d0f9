#include "trace/readers/building/decimal_time.h"

#include <cstdint>

namespace mora::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The exponent behind "e"; large ones are as good as ±100000.
std::optional<long> exponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  long value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    if (value < 100000) value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

}  // namespace

std::optional<DecimalTime> decimal_time(std::string_view text, int digits) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 61;
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  long scale = digits;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto value = exponent(text.substr(e + 1));
    if (!value) return std::nullopt;
    scale += *value;
    text = text.substr(0, e);
  }
  const auto point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;

  // Digits before this place (counted from the first) are whole nanoseconds, the next one decides the rounding.
  const long last = static_cast<long>(whole.size()) + scale;
  DecimalTime result;
  std::uint64_t value = 0;
  bool round_up = false;
  long place = 0;
  for (const std::string_view part : {whole, fraction}) {
    for (const char c : part) {
      if (!is_digit(c)) return std::nullopt;
      const auto digit = static_cast<unsigned>(c - '0');
      if (place < last) {
        value = value * 10 + digit;
        if (value > limit) return std::nullopt;
      } else if (digit != 0) {
        result.rounded = true;
        round_up = round_up || (place == last && digit >= 5);
      }
      ++place;
    }
  }
  for (; place < last && value != 0; ++place) {
    value *= 10;
    if (value > limit) return std::nullopt;
  }
  if (round_up) ++value;
  result.time = negative ? -static_cast<Nanoseconds>(value) : static_cast<Nanoseconds>(value);
  return result;
}

}  // namespace mora::trace
