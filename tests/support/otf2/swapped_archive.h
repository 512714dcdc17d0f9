/// The same archive as a machine of the other byte order writes it. Test code only.
#pragma once

#include <string>

namespace mora::trace {

/// Rewrites all files of a small little-endian archive (one chunk per file; the records of Foreign::eztrace and
/// Foreign::openmp) in big-endian order. Throws on a record whose layout it does not know.
///
/// Layout: a chunk begins with byte 3, the byte order ('B' little, '#' big) and two 64-bit event numbers. A record is
/// its type, its length (but for Enter and Leave) and its fields: bytes, strings, or integers as a length and that many
/// bytes; a stamp is 8 bytes behind byte 5.
void swap_byte_order(const std::string& directory);

}  // namespace mora::trace
