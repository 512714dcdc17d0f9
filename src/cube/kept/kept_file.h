/// What an analysis keeps beside its findings, as a file: a head that names the findings it belongs to and the hash of
/// its body. docs/formats/critical-path.md and waiting-over-time.md have the bytes. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mora::cube {

/// Which file it is, for its first bytes and for errors. `magic` has eight letters.
struct KeptKind {
  std::string_view magic;
  const char* what = "";  ///< "the critical path"
};

/// What a kind says of its body.
struct KeptBody {
  std::uint64_t count = 0;   ///< of what is in it
  std::int64_t measure = 0;  ///< a time, as the kind means it
  std::string_view bytes;
};

/// `findings`: the text of findings.json that was found together with it.
std::string kept_file_text(const KeptKind& kind, const KeptBody& body, std::string_view findings);
/// The body of such a text, which outlives it. Errors (unreadable): no such file's text, damaged, of another version;
/// of other findings.
Result<KeptBody> read_kept_file(const KeptKind& kind, std::string_view text, const std::string& path,
                                std::string_view findings);
/// The same error, for a body that is not what its kind has.
tl::unexpected<Error> damaged_kept_file(const KeptKind& kind, const std::string& path);

/// Seven bits a byte, the lowest first.
void put_number(std::string& bytes, std::uint64_t value);
/// Takes one from the front; false: there is none.
bool take_number(std::string_view& bytes, std::uint64_t& value);

}  // namespace mora::cube
