/// A streaming JSON writer with exact decimals and stable key order. Reading JSON is done with nlohmann-json; writing
/// is Mora's own, because seconds must carry exact nanosecond digits.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"

namespace mora {

/// Calls must nest properly (checked by assert); in an object each value follows a key(). The text is indented by two
/// spaces; objects and arrays opened with begin_line_…() stay on one line. Not thread-safe.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& begin_line_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& begin_line_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& unsigned_integer(std::uint64_t value);
  JsonWriter& number(double value);        ///< shortest round trip; null for NaN and infinities
  JsonWriter& seconds(Nanoseconds value);  ///< exact decimal
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// Any value, by its type: text, number, Seconds, true or false; null for an empty optional; an array for a range
  /// (on one line if of plain values), an object for a range of pairs of a name and a value; what has
  /// a function write_json(JsonWriter&, const T&) in its own namespace; what a callable writes.
  template <class T>
  JsonWriter& value(const T& thing);
  /// A name, its value, the next name …: fields("rank", 3, "cause", std::optional<int>{}).
  template <class Value, class... More>
  JsonWriter& fields(std::string_view name, const Value& first, const More&... more) {
    key(name).value(first);
    if constexpr (sizeof...(More) > 0) fields(more...);
    return *this;
  }
  /// An object of these fields, one below the other.
  template <class... Fields>
  JsonWriter& object(const Fields&... all) {
    return begin_object().fields(all...).end_object();
  }
  /// An object of these fields on one line.
  template <class... Fields>
  JsonWriter& line(const Fields&... all) {
    return begin_line_object().fields(all...).end_object();
  }

  const std::string& str() const { return out_; }
  /// The text so far, which the writer then forgets: for output that is longer than memory.
  std::string take() { return std::exchange(out_, {}); }

 private:
  struct Level {
    bool object;
    bool inline_;
    bool empty = true;
  };
  void before_value();
  void open(char bracket, bool object, bool inline_);
  void close(char bracket);
  void newline();
  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

/// A value of JsonWriter: an array with an element per line, each written by `write`.
template <class Range, class Write>
auto list(const Range& range, const Write& write) {
  return [&range, write](JsonWriter& json) {
    json.begin_array();
    for (const auto& element : range) write(element);
    json.end_array();
  };
}
/// The same of plain values.
template <class Range>
auto list(const Range& range) {
  return [&range](JsonWriter& json) {
    json.begin_array();
    for (const auto& element : range) json.value(element);
    json.end_array();
  };
}

/// Values that are null in JSON where there is nothing: 0, an empty text or list, a missing thing.
template <class T>
std::optional<T> if_any(const T& value) {
  return value == T{} ? std::nullopt : std::optional<T>(value);
}

template <class T>
JsonWriter& JsonWriter::value(const T& thing) {
  if constexpr (std::same_as<T, bool>) {
    boolean(thing);
  } else if constexpr (std::floating_point<T>) {
    number(thing);
  } else if constexpr (std::signed_integral<T>) {
    integer(thing);
  } else if constexpr (std::unsigned_integral<T>) {
    unsigned_integer(thing);
  } else if constexpr (std::same_as<T, Seconds>) {
    seconds(thing.value);
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    string(thing);
  } else if constexpr (std::same_as<T, std::nullptr_t> || std::same_as<T, std::nullopt_t> ||
                       std::same_as<T, std::monostate>) {
    null();
  } else if constexpr (requires { write_json(*this, thing); }) {
    write_json(*this, thing);
  } else if constexpr (std::invocable<const T&, JsonWriter&>) {
    thing(*this);
  } else if constexpr (std::invocable<const T&>) {
    thing();
  } else if constexpr (requires { thing.has_value(); }) {
    thing ? value(*thing) : null();
  } else if constexpr (requires { thing.begin()->second; }) {
    begin_object();
    for (const auto& [name, second] : thing) fields(name, second);
    end_object();
  } else {
    using Element = std::decay_t<decltype(*std::begin(thing))>;
    constexpr bool is_plain = std::is_arithmetic_v<Element> || std::same_as<Element, Seconds> ||
                              std::convertible_to<Element, std::string_view>;
    is_plain ? begin_line_array() : begin_array();
    for (const auto& element : thing) value(element);
    end_array();
  }
  return *this;
}

/// JSON string literal with quotes; invalid UTF-8 bytes become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace mora
