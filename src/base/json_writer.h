/// A streaming JSON writer with exact decimals and stable key order. Reading JSON is done with nlohmann-json; writing
/// is Mora's own, because seconds must carry exact nanosecond digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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

/// JSON string literal with quotes; invalid UTF-8 bytes become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace mora
