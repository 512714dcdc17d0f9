/// Figures for people. Widths are counted in code points, and long names are cut in the middle, because both ends of a
/// call path matter.
#include "report/figures.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace mora::report {

std::string seconds_column(Nanoseconds value) {
  if (value != 0 && value > -1000 && value < 1000) return value > 0 ? "<0.000001" : ">-0.000001";
  const auto magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const std::uint64_t micro = magnitude / 1000 + (magnitude % 1000 >= 500 ? 1 : 0);
  return fmt::format("{}{}.{:06}", value < 0 ? "-" : "", micro / 1'000'000, micro % 1'000'000);
}

std::string amount_with_unit(std::int64_t value, cube::Unit unit) {
  switch (unit) {
    case cube::Unit::seconds:
      return seconds_column(value) + " s";
    case cube::Unit::occurrences:
      return std::to_string(value);
    case cube::Unit::bytes:
      return value < 0 ? fmt::format("{} B", value) : bytes_for_people(static_cast<std::uint64_t>(value));
  }
  return "";
}

std::string share(Nanoseconds part, Nanoseconds whole) { return whole == 0 ? "" : percent_for_people(part, whole); }

namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Byte position of the n-th code point.
std::size_t position_of(const std::string& text, std::size_t n) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_code_point(text[i]) && n-- == 0) return i;
  }
  return text.size();
}

}  // namespace

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (const char c : text) width += starts_code_point(c);
  return width;
}

std::string cut_middle(const std::string& text, std::size_t width) {
  const std::size_t all = display_width(text);
  if (all <= width || width < 5) return text;
  const std::size_t head = (width - 1) / 3;
  return text.substr(0, position_of(text, head)) + "…" + text.substr(position_of(text, all - (width - 1 - head)));
}

namespace {

/// Words, with what must not be torn apart in one: "rank 0", "2.300 s", "17 %".
std::vector<std::string> words_of(const std::string& text) {
  static const std::vector<std::string> units = {"s", "ms", "us", "ns", "%"};
  std::vector<std::string> words;
  bool glue = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    const std::string bare = word.substr(0, word.find_first_of(",;.:)"));
    const bool unit = std::find(units.begin(), units.end(), bare) != units.end();
    const bool after_number = !words.empty() && words.back().back() >= '0' && words.back().back() <= '9';
    if (glue || (unit && after_number)) {
      words.back() += " " + word;
    } else {
      words.push_back(word);
    }
    glue = word == "rank" || word == "Rank";
  }
  return words;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  for (const std::string& word : words_of(text)) {
    const std::size_t length = display_width(word);
    if (column != 0 && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column != 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  return out;
}

}  // namespace mora::report
