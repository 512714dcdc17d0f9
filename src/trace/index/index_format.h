/// The bytes of an index file (docs/formats/index.md). Little endian; sections start at multiples of 4096.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/index/event_store.h"
#include "trace/measured_time.h"

namespace mora::trace {

enum class IndexSection : std::uint32_t {
  enter,            ///< uint32 per event
  forward,          ///< uint32 per event
  location,         ///< uint32 per event
  type,             ///< uint8 per event
  location_begin,   ///< uint64 per location, and one more
  location_events,  ///< uint32 per event
  packed,           ///< the numbers of frames, of all packed columns in the order in which they were full
  time,             ///< PackedFrame per 1024 events
  ordinal,          ///< PackedFrame per 1024 events
  code,             ///< PackedFrame per 1024 events
  first_row,        ///< uint32 per 1024 events
  detail,           ///< detail_fields PackedFrames per 1024 rows
  snapshot_at,      ///< uint32 per snapshot
  snapshot_begin,   ///< uint64 per snapshot, and one more
  snapshot_open,    ///< uint32
  range,            ///< TransferRange per start of a transfer whose range was recorded, by row
  argument,         ///< EnterArgument per ENTER with a number (Event::tag), by event
  quality,          ///< data-quality rows as JSON
  hashes,           ///< XXH3-64 per block of the sections above, in their order
};
inline constexpr std::size_t index_sections = 19;
inline constexpr std::size_t index_block = std::size_t{1} << 20;    ///< bytes under one hash
inline constexpr std::uint64_t index_magic = 0x31584449'41524F4DU;  // "MORAIDX1"
inline constexpr std::uint32_t index_version = 9;

/// What a transfer accesses at its target, in bytes: Event::target_offset, target_extent.
struct TransferRange {
  std::uint32_t row = 0;  ///< in `detail`
  std::uint32_t pad = 0;
  std::uint64_t offset = 0, extent = 0;
};
static_assert(sizeof(TransferRange) == 24);

/// The number of an interval that is entered, the level of MPI_Pcontrol; 0 has none.
struct EnterArgument {
  std::uint32_t position = 0;
  std::int32_t argument = 0;
};
static_assert(sizeof(EnterArgument) == 8);

/// Where a section lies in the file, in bytes.
struct IndexExtent {
  std::uint64_t offset = 0, bytes = 0;
};

/// The first 4096 bytes of the file. Written last, so that an interrupted build leaves no valid header.
struct IndexHeader {
  std::uint64_t magic = index_magic;
  std::uint32_t version = index_version;
  std::uint32_t model = 0;
  std::uint64_t fingerprint = 0;  ///< ViewOptions::fingerprint
  std::uint64_t events = 0, details = 0, locations = 0, snapshots = 0;
  MeasuredTime measured;  ///< of the trace, not of its events
  std::array<IndexExtent, index_sections> sections{};
  std::uint64_t file_bytes = 0;
  std::uint64_t hash_of_hashes = 0;
  std::uint64_t hash_of_header = 0;  ///< of everything above
};
static_assert(sizeof(IndexHeader) <= 4096);

/// How many frames hold so many numbers.
inline constexpr std::uint64_t frames_of(std::uint64_t numbers) {
  return (numbers + packed_per_frame - 1) / packed_per_frame;
}

inline constexpr std::size_t blocks_of(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes + index_block - 1) / index_block);
}

}  // namespace mora::trace
