/// How a view keeps its events: columns of all events, rows of details for those that carry more, positions per
/// location. What is small where it stands or seldom asked for is packed (packing.h).
///
/// Numbers are 1…size; in the columns event i has index i - 1. A position is 32 bits: a view holds at most
/// 4,294,967,294 events (a larger trace is refused with an error that says so). Layout on disk and its checks:
/// docs/formats/index.md, src/trace/index/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::trace {

/// The event types of a view: first those of EARL 2.0 and 2.1 (Hermanns 2004, 2.3.2 and 5.4), then Mora's own.
enum class EarlType : std::uint8_t {
  enter,
  exit,
  mpicexit,
  mpiwcexit,
  mpiwexit,
  send,
  recv,
  put_1ts,
  put_1te,
  get_1to,
  get_1ts,
  get_1te,
  wlock,
  wunlock,
  ompcexit,
  fork,
  join,
  alock,
  rlock,
  nbc_start,   ///< non-blocking collective begins
  nbc_end,     ///< … is complete; start pointer
  atomic_1ts,  ///< fetching one-sided operation leaves its origin
  atomic_1te,  ///< its result is back at the origin; start pointer
  wflush,
  io_start,
  io_end,  ///< start pointer
  metric,
  sample,  ///< the processor was seen in a function
  user,    ///< a type of the trace or its format; EARL's user-defined events
};
inline constexpr std::size_t earl_type_count = 29;
/// "ENTER", "MPIWCEXIT", …; static storage, thread-safe.
const char* to_string(EarlType type);
/// True for the types that leave a region: EXIT, MPICEXIT, MPIWCEXIT, MPIWEXIT, OMPCEXIT.
inline bool is_exit(EarlType type) {
  return (type >= EarlType::exit && type <= EarlType::mpiwexit) || type == EarlType::ompcexit;
}
/// What ends one transfer, not an epoch.
inline bool is_transfer_end(EarlType type) {
  return type == EarlType::put_1te || type == EarlType::get_1te || type == EarlType::atomic_1te;
}

/// What an event carries beside the columns; every type but ENTER and EXIT has one. Fields that a type does not have
/// are no_id or 0. 48 bytes.
struct EventDetail {
  std::uint64_t bytes = 0;     ///< message length; bytes sent; io
  std::uint64_t received = 0;  ///< bytes received
  std::uint64_t id = 0;        ///< rmaid, request, lock id, io matching id; metric: metric_value.h; user: string
  std::uint32_t link = 0;      ///< backward pointer (ViewEvent::link), 0 = null
  std::uint32_t peer = no_id;  ///< world rank: dest, src, target, root
  std::uint32_t comm = no_id;
  std::uint32_t window = no_id;
  std::uint32_t kind =
      no_id;  ///< SEND, RECV: tag (as int32); MPIWEXIT: group; io: file; METRIC, USER: index; SAMPLE: caller
  std::uint16_t assertion = 0;
  std::uint8_t collective = 0;  ///< enum Collective; PUT_1TS, ATOMIC_1TS: enum Reduction of an accumulate
  std::uint8_t flags = 0;       ///< 1 synex, 2 exclusive, 4 local flush; metric: type << 3
};
static_assert(sizeof(EventDetail) == 48);

inline constexpr std::uint64_t packed_per_frame = 1024;

/// Where 1024 numbers of a packed column lie, and how (packing.h).
struct PackedFrame {
  std::uint64_t base = 0;
  std::uint64_t mask = 0;   ///< the lowest `width` bits
  std::uint64_t place = 0;  ///< byte of the section `packed` << 7 | width in bits

  std::uint64_t byte() const { return place >> 7; }
  /// Number `i` of it, without the base.
  std::uint64_t bits(const std::byte* packed, std::uint64_t i) const {
    const std::uint64_t bit = i * (place & 127);
    std::uint64_t word;
    std::memcpy(&word, packed + byte() + bit / 8, sizeof word);
    return word >> bit % 8 & mask;
  }
};
static_assert(sizeof(PackedFrame) == 24);

/// A column of packed numbers; column[i] decodes one.
template <class Value>
struct PackedColumn {
  const PackedFrame* frames = nullptr;
  const std::byte* packed = nullptr;

  const PackedFrame& frame(std::uint64_t i) const { return frames[i / packed_per_frame]; }
  Value operator[](std::uint64_t i) const {
    const PackedFrame& f = frame(i);
    return static_cast<Value>(f.base + f.bits(packed, i % packed_per_frame));
  }
};

/// The fields of a detail that are packed by themselves, in the order of a row's frames.
enum class DetailField : std::uint8_t { bytes, received, id, link, peer, comm, window, kind, marks };
inline constexpr std::size_t detail_fields = 9;

/// The rows of details; column[row] decodes one, of which the compiler leaves out the fields that nobody reads.
struct DetailColumn {
  const PackedFrame* frames = nullptr;  ///< detail_fields for each 1024 rows
  const std::byte* packed = nullptr;

  const PackedFrame& frame(std::uint64_t row, DetailField field) const {
    return frames[row / packed_per_frame * detail_fields + static_cast<std::size_t>(field)];
  }
  std::uint64_t field(std::uint64_t row, DetailField field) const {
    const PackedFrame& f = frame(row, field);
    const std::uint64_t bits = f.bits(packed, row % packed_per_frame);
    return bits == 0 ? 0 : f.base + bits;
  }
  EventDetail operator[](std::uint64_t row) const {
    using F = DetailField;
    const auto id = [&](F of) { return static_cast<std::uint32_t>(field(row, of) - 1); };
    const std::uint64_t marks = field(row, F::marks);
    return {field(row, F::bytes),
            field(row, F::received),
            field(row, F::id),
            static_cast<std::uint32_t>(field(row, F::link)),
            id(F::peer),
            id(F::comm),
            id(F::window),
            id(F::kind),
            static_cast<std::uint16_t>(marks),
            static_cast<std::uint8_t>(marks >> 16),
            static_cast<std::uint8_t>(marks >> 24)};
  }
};

/// The columns, for loops over all events; those that are pointers also for NumPy. All have `size` entries but
/// `detail`. They stay valid as long as the view.
struct EventColumns {
  std::uint64_t size = 0;                  ///< number of events m
  std::uint64_t details = 0;               ///< number of rows of `detail`
  const std::uint32_t* enter = nullptr;    ///< enterptr, 0 = null
  const std::uint32_t* forward = nullptr;  ///< ViewEvent::forward, 0 = none
  const std::uint32_t* location = nullptr;
  const EarlType* type = nullptr;
  PackedColumn<Nanoseconds> time;
  PackedColumn<std::uint32_t> ordinal;
  PackedColumn<std::uint32_t> code;          ///< ENTER, EXIT: region; else row of `detail`, from first_row on
  const std::uint32_t* first_row = nullptr;  ///< per frame: rows of earlier ones
  DetailColumn detail;

  /// Of an ENTER or EXIT.
  RegionId region(std::uint64_t i) const { return code[i]; }
  /// Of any other event.
  std::uint64_t row(std::uint64_t i) const { return std::uint64_t{first_row[i / packed_per_frame]} + code[i]; }
  EventDetail detail_of(std::uint64_t i) const { return detail[row(i)]; }
};

}  // namespace mora::trace
