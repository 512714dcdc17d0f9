/// The words of a line of a hostfile or rankfile, each with its column for messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/numbers/read_number.h"

namespace mora::predict {

struct Word {
  std::string_view text;
  std::size_t column = 0;  ///< from 1
};

/// Words between blanks.
inline std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back({line.substr(at, end - at), at + 1});
    at = line.find_first_not_of(" \t\r", end);
  }
  return words;
}

/// Calls `take(line, number from 1)` for each line; stops at its first error.
template <class Take>
Result<void> for_each_line(std::string_view text, const Take& take) {
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (Result<void> taken = take(text.substr(0, end), number); !taken) return taken;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// A whole number up to 2^32 - 1, nothing else behind it.
inline std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  return read_number(text, value) ? std::optional(value) : std::nullopt;
}

/// The error (unreadable) about a word that fits nothing, at FILE:LINE:COLUMN; `expected` says what may stand there.
tl::unexpected<Error> bad_word(const std::string& file, std::uint32_t line, const Word& word, std::string expected);

}  // namespace mora::predict
