/// How mpirun compares and cuts up words.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace mora::predict::openmpi {

/// ASCII letters only, as mpirun compares its words.
inline std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The whole number at the beginning of a text, as strtol reads it; 0 if there is none. Numbers beyond 32 bits become
/// the largest or smallest one: mpirun keeps them in an int, and sums of these do not overflow.
inline std::int64_t leading_number(const std::string& text) {
  return std::clamp<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10), INT32_MIN, INT32_MAX);
}

/// `word` is a beginning of `known`, in small or capital letters; so is the empty word.
inline bool begins(std::string_view word, std::string_view known) { return known.starts_with(lower(word)); }

/// Empty pieces are dropped.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

/// `visit(number)` for those of "0-2,5" that are below `limit`; pieces with several dashes are passed over.
template <class Visit>
void each_listed(std::string_view list, unsigned long limit, const Visit& visit) {
  for (const std::string& range : split(list, ',')) {
    const std::vector<std::string> ends = split(range, '-');
    if (ends.empty() || ends.size() > 2) continue;
    const unsigned long last = std::strtoul(ends.back().c_str(), nullptr, 10);
    for (unsigned long n = std::strtoul(ends.front().c_str(), nullptr, 10); n <= last && n < limit; ++n) visit(n);
  }
}

}  // namespace mora::predict::openmpi
