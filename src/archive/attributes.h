/// The attributes Mora adds to OTF2 records (docs/formats/otf2.md). References are fixed in our archives; readers
/// of other archives look the names up.
#pragma once

#include <cstdint>

namespace mora::archive {

inline constexpr std::uint32_t attribute_rma_end = 0;   ///< "mora:rma_end" UINT64: stamp at which the transfer ended
inline constexpr std::uint32_t attribute_assert = 1;    ///< "mora:assert" UINT32: assertion argument of the call
inline constexpr std::uint32_t attribute_received = 2;  ///< "mora:recvd" UINT64: bytes at the destination
inline constexpr std::uint32_t attribute_vector = 3;    ///< "mora:vector" UINT32: index into vectors.<rank>

}  // namespace mora::archive
