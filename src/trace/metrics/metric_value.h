/// What a METRIC event says in its 64 bits (Event::bytes): a double, or a whole number that a double would round.
/// All that reads or writes such values does it here. Pure functions.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/numbers/read_number.h"
#include "trace/event.h"

namespace mora::trace {

/// Of the bits: a double; an int64; a uint64.
enum class ValueType : std::uint8_t { real, whole, natural };

/// One value; equal numbers are the same value: whole numbers are doubles wherever these have all their digits.
struct MetricValue {
  std::uint64_t bits = 0;
  ValueType type = ValueType::real;

  /// The nearest double.
  double number() const {
    return type == ValueType::real    ? std::bit_cast<double>(bits)
           : type == ValueType::whole ? static_cast<double>(static_cast<std::int64_t>(bits))
                                      : static_cast<double>(bits);
  }
  /// Whether it is a whole number of 64 bits.
  bool is_whole() const {
    if (type != ValueType::real) return true;
    const auto n = std::bit_cast<double>(bits);
    return n >= -0x1p63 && n < 0x1p64 && n == std::trunc(n);
  }
  __extension__ using Wide = __int128;
  /// Precondition: is_whole().
  Wide whole() const {
    if (type == ValueType::whole) return static_cast<std::int64_t>(bits);
    return type == ValueType::natural ? bits : static_cast<Wide>(std::bit_cast<double>(bits));
  }
  /// Calls `take` with the double, the int64 or the uint64 that has all digits.
  template <class Take>
  auto visit(const Take& take) const {
    return !is_whole()   ? take(std::bit_cast<double>(bits))
           : whole() < 0 ? take(static_cast<std::int64_t>(whole()))
                         : take(static_cast<std::uint64_t>(whole()));
  }
  /// All digits, as read_metric_value() reads them.
  std::string text() const {
    return visit([](auto number) { return fmt::format("{}", number); });
  }
  bool operator==(const MetricValue&) const = default;
};

inline MetricValue metric_value(double value) { return {std::bit_cast<std::uint64_t>(value), ValueType::real}; }
inline MetricValue metric_value(std::uint64_t value) {
  const auto rounded = static_cast<double>(value);
  if (rounded < 0x1p64 && static_cast<std::uint64_t>(rounded) == value) return metric_value(rounded);
  return {value, ValueType::natural};
}
inline MetricValue metric_value(std::int64_t value) {
  if (value >= 0) return metric_value(static_cast<std::uint64_t>(value));
  const auto rounded = static_cast<double>(value);
  if (static_cast<std::int64_t>(rounded) == value) return metric_value(rounded);
  return {static_cast<std::uint64_t>(value), ValueType::whole};
}

/// The whole text; nothing: it is no number.
inline std::optional<MetricValue> read_metric_value(std::string_view text) {
  if (const auto natural = number_in<std::uint64_t>(text)) return metric_value(*natural);
  if (const auto whole = number_in<std::int64_t>(text)) return metric_value(*whole);
  if (const auto real = number_in<double>(text)) return metric_value(*real);
  return std::nullopt;
}

/// What a counter gained. Of whole numbers exact before one rounding, as the difference of two doubles always is.
inline double gained(const MetricValue& before, const MetricValue& now) {
  if (before.type == ValueType::real && now.type == ValueType::real) return now.number() - before.number();
  if (before.is_whole() && now.is_whole()) return static_cast<double>(now.whole() - before.whole());
  return now.number() - before.number();
}

/// A level after it rose or fell (`sign` 1, -1) by `more`. Of whole numbers exact within 64 bits.
inline MetricValue changed(const MetricValue& level, const MetricValue& more, int sign) {
  if (level.is_whole() && more.is_whole()) {
    const auto sum = level.whole() + sign * more.whole();
    if (sum >= 0 && sum <= UINT64_MAX) return metric_value(static_cast<std::uint64_t>(sum));
    if (sum < 0 && sum >= INT64_MIN) return metric_value(static_cast<std::int64_t>(sum));
  }
  return metric_value(level.number() + sign * more.number());
}

/// Of a metric event: a record, an event of a view, the row of a view that has its details.
inline MetricValue metric_value_of(const Event& e) { return {e.bytes, static_cast<ValueType>(e.tag)}; }
template <class ViewEvent>
requires requires(const ViewEvent& e) { e.id, e.tag; }
MetricValue metric_value_of(const ViewEvent& e) { return {e.id, static_cast<ValueType>(e.tag)}; }
template <class EventDetail>
requires requires(const EventDetail& d) { d.id, d.flags; }
MetricValue metric_value_of(const EventDetail& d) { return {d.id, static_cast<ValueType>(d.flags >> 3)}; }
inline void set_metric_value(Event& e, const MetricValue& value) {
  e.bytes = value.bits;
  e.tag = static_cast<std::int32_t>(value.type);
}
inline std::uint8_t flags_of(const MetricValue& value) { return static_cast<std::uint8_t>(value.type) << 3 & 0xff; }

}  // namespace mora::trace
