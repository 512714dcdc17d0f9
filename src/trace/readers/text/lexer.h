/// Words of the text language with their places, and the errors that point at them (docs/formats/trace-text.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace mora::trace::text {

/// A word and its place in the text.
struct Word {
  std::string_view text;
  std::uint32_t line = 0;    ///< from 1
  std::uint32_t column = 0;  ///< from 1
};

/// One statement: never empty. `end` is the place behind the last word.
struct Statement {
  std::vector<Word> words;
  Word end;
};

/// Splits at line ends and `;`, drops comments. The statements refer to `content`, which must live as long. O(content).
std::vector<Statement> statements(std::string_view content);

/// "file:line:column", "expected …, found '…'".
tl::unexpected<Error> syntax_error(const std::string& file, const Word& at, const std::string& why);

/// Decimal number times `unit` nanoseconds, exactly. Fails on anything else, finer than 1 ns, or out of range;
/// `why` then says what.
bool parse_time(std::string_view text, Nanoseconds unit, Nanoseconds& time, std::string& why);
/// A number of 32 bits with a sign: decimal, or hexadecimal as its bits (0xAA0001AA is negative).
bool parse_bits(std::string_view text, std::int32_t& number);

}  // namespace mora::trace::text
