/// The tokens that mpirun makes of a hostfile or rankfile: its scanner takes the longest match, blanks and comments
/// ('#', '//' to the end of a line that has one, '/*' to '*/') vanish, and a character that begins nothing is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict::openmpi {

struct HostToken {
  enum class Kind : std::uint8_t { end, newline, word, number, equals, relative, quoted, error };
  Kind kind = Kind::end;
  std::string text;
  std::uint32_t line = 1, column = 1;  ///< of its first character
};

/// What may stand in a word besides letters, digits, '_' and '-': the two scanners differ.
enum class HostText : std::uint8_t { hostfile, rankfile };

/// Ends with one token of kind `end`.
std::vector<HostToken> host_tokens(std::string_view text, HostText kind);

/// unreadable: file:line:column, what stands there, what was expected.
tl::unexpected<Error> bad_token(const std::string& file, const HostToken& token, std::string expected);

}  // namespace mora::predict::openmpi
