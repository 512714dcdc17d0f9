#include "base/table/wrapped.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace mora {
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

std::string hanging(const std::string& head, const std::string& text, std::size_t width) {
  const std::size_t indent = display_width(head);
  std::string out = head;
  for (const char c : wrapped(text, width - indent, 0)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

}  // namespace mora
