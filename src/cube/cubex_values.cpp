/// Seconds are written as the double nearest to the integer nanoseconds and read back by rounding to the nearest
/// nanosecond, so a file that Mora wrote gives the same integers again (up to 52 days).
#include "cube/cubex_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace mora::cube {

std::optional<NumberType> number_type(std::string_view name) {
  struct Row {
    std::string_view name;
    NumberType type;
  };
  using enum NumberKind;
  static constexpr std::array rows = {Row{"DOUBLE", {floating, 8}},
                                      Row{"FLOAT", {floating, 8}},  // FLOAT is an alias in CubeLib
                                      Row{"MINDOUBLE", {floating, 8, Fold::least}},
                                      Row{"MAXDOUBLE", {floating, 8, Fold::most}},
                                      Row{"UINT64", {unsigned_integer, 8}},
                                      Row{"UNSIGNED INTEGER", {unsigned_integer, 8}},
                                      Row{"INT64", {signed_integer, 8}},
                                      Row{"INTEGER", {signed_integer, 8}},
                                      Row{"SIGNED INTEGER", {signed_integer, 8}},
                                      Row{"UINT32", {unsigned_integer, 4}},
                                      Row{"UNSIGNED INT", {unsigned_integer, 4}},
                                      Row{"INT32", {signed_integer, 4}},
                                      Row{"INT", {signed_integer, 4}},
                                      Row{"SIGNED INT", {signed_integer, 4}},
                                      Row{"UINT16", {unsigned_integer, 2}},
                                      Row{"UNSIGNED SHORT INT", {unsigned_integer, 2}},
                                      Row{"INT16", {signed_integer, 2}},
                                      Row{"SHORT INT", {signed_integer, 2}},
                                      Row{"SIGNED SHORT INT", {signed_integer, 2}},
                                      Row{"UINT8", {unsigned_integer, 1}},
                                      Row{"CHAR", {unsigned_integer, 1}},
                                      Row{"INT8", {signed_integer, 1}}};
  for (const Row& row : rows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

double seconds_as_double(std::int64_t nanoseconds) {
  constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
  if (nanoseconds >= -exact_in_double && nanoseconds <= exact_in_double) {
    return static_cast<double>(nanoseconds) / 1e9;  // both operands exact: one correct rounding
  }
  const std::string digits = seconds_exact(nanoseconds);
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

double no_value(Fold fold) {
  constexpr double largest = std::numeric_limits<double>::max();
  return fold == Fold::sum ? 0 : fold == Fold::least ? largest : -largest;
}

namespace {

std::uint64_t raw_bits(const std::byte* bytes, std::size_t size, bool swap_bytes) {
  std::array<std::byte, 8> copy{};
  std::memcpy(copy.data(), bytes, size);
  if (swap_bytes) std::reverse(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(size));
  return std::bit_cast<std::uint64_t>(copy);  // little-endian machines only, as all of Mora
}
static_assert(std::endian::native == std::endian::little);

ConvertedCell from_floating(double value, Unit unit) {
  if (std::isnan(value)) return {0, Conversion::not_a_number};
  const bool seconds = unit == Unit::seconds;
  const long double scaled = seconds ? static_cast<long double>(value) * 1e9L : static_cast<long double>(value);
  if (scaled >= 9223372036854775807.0L) return {std::numeric_limits<std::int64_t>::max(), Conversion::too_large};
  if (scaled <= -9223372036854775808.0L) return {std::numeric_limits<std::int64_t>::min(), Conversion::too_large};
  const std::int64_t cell = std::llround(scaled);
  const bool exact = seconds ? seconds_as_double(cell) == value : static_cast<long double>(cell) == scaled;
  return {cell, exact ? Conversion::exact : Conversion::rounded};
}

}  // namespace

ConvertedCell cell_from_bytes(const std::byte* bytes, NumberType type, bool swap_bytes, Unit unit) {
  const std::uint64_t bits = raw_bits(bytes, type.size, swap_bytes);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (type.kind == NumberKind::floating) {
    const double value = std::bit_cast<double>(bits);
    if (type.fold != Fold::sum && value == no_value(type.fold)) return {0, Conversion::exact};
    return from_floating(value, unit);
  }
  std::int64_t value = 0;
  if (type.kind == NumberKind::unsigned_integer) {
    if (bits > static_cast<std::uint64_t>(largest)) return {largest, Conversion::too_large};
    value = static_cast<std::int64_t>(bits);
  } else {
    const unsigned unused = static_cast<unsigned>(64 - 8 * type.size);
    value = static_cast<std::int64_t>(bits << unused) >> unused;
  }
  if (unit != Unit::seconds) return {value, Conversion::exact};
  constexpr std::int64_t limit = largest / 1'000'000'000;
  if (value > limit) return {largest, Conversion::too_large};
  if (value < -limit) return {-largest, Conversion::too_large};
  return {value * 1'000'000'000, Conversion::exact};
}

}  // namespace mora::cube
