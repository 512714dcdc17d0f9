/// One value of a table: exact for programs, and as people read it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json/json_writer.h"
#include "base/time.h"

namespace mora {

/// Text, a number, Seconds, true or false, or nothing (null in JSON, empty elsewhere). `shown` is what text and
/// Markdown print instead of the exact value; in Markdown it stands as it is, while other texts are escaped.
class Cell {
 public:
  Cell() = default;
  Cell(bool value) : value_(value) {}
  Cell(Seconds value) : value_(value) {}
  Cell(std::signed_integral auto value) : value_(std::int64_t{value}) {}
  Cell(std::unsigned_integral auto value) : value_(std::uint64_t{value}) {}
  Cell(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  Cell(std::string value) : value_(std::move(value)) {}
  Cell(std::string_view value) : value_(std::string(value)) {}
  Cell(const char* value) : value_(std::string(value)) {}
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }
  template <class T>
  Cell(const T& value, std::string shown) : Cell(value) {
    shown_ = std::move(shown);
  }

  /// A figure for people that programs do not get.
  static Cell figure(std::string shown) {
    Cell cell;
    cell.shown_ = std::move(shown);
    return cell;
  }
  /// In text: between the SGR sequence of this number and its end ("31" is red).
  Cell styled(const char* sgr) && {
    style_ = sgr;
    return std::move(*this);
  }

  std::string exact() const;  ///< as in CSV: seconds with all their digits
  /// For people: rounded where a text was given, else exact().
  std::string shown() const { return shown_ ? *shown_ : exact(); }
  bool is_escaped() const { return !shown_; }   ///< in Markdown
  const char* style() const { return style_; }  ///< empty = none
  friend void write_json(JsonWriter& json, const Cell& cell);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, Seconds, std::string> value_;
  std::optional<std::string> shown_;
  const char* style_ = "";
};

using Cells = std::vector<Cell>;

}  // namespace mora
