/// Bytes coded by mixed predictions: for columns of numbers that repeat each other in irregular order, where zstd finds
/// matches but no odds. Slower than zstd, so for small columns only.
///
/// Idea (Mahoney 2005, PAQ6 and its successors: context mixing). Each bit is predicted by what followed the same last 0
/// to 6 bytes so far, and by what followed the longest repetition; the predictions are added with weights that learn
/// which of them is right, and an arithmetic coder writes the bit in as many bits as it was surprising. Reading does
/// the same. Integers only: the same bytes on every machine. Cost: some 2 us per byte; 0.1 to 32 MiB while it runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mora::predict::archive {

/// Longer strings take too long.
inline constexpr std::size_t most_mixed_bytes = std::size_t{1} << 20;

/// Packed bytes, often but not always fewer. Precondition: at most most_mixed_bytes.
std::string mix_pack(std::string_view raw);
/// The `bytes` bytes that were packed. Damaged bytes give other bytes, never an error: whoever needs to know compares
/// checksums. Precondition: bytes <= most_mixed_bytes.
std::string mix_unpack(std::string_view packed, std::size_t bytes);

}  // namespace mora::predict::archive
