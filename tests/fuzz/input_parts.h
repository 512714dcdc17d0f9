/// Inputs of several files: they follow each other, divided by a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mora::fuzz {

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The parts between lines "---"; at least one.
inline std::vector<std::string_view> parts_of(std::span<const std::byte> bytes) {
  std::vector<std::string_view> parts;
  std::string_view rest = text_of(bytes);
  constexpr std::string_view divider = "\n---\n";
  for (;;) {
    const std::size_t at = rest.find(divider);
    if (at == std::string_view::npos) break;
    parts.push_back(rest.substr(0, at + 1));  // its line end belongs to the line before
    rest.remove_prefix(at + divider.size());
  }
  parts.push_back(rest);
  return parts;
}

/// Words between blanks; '' is an empty one.
inline std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end != 0) words.emplace_back(line.substr(0, end) == "''" ? std::string_view() : line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

}  // namespace mora::fuzz
