/// How a view keeps its events: columns of all events, rows of details for those that carry more, positions per
/// location.
///
/// Numbers are 1…size; in the columns event i has index i - 1. A position is 32 bits: a view holds at most
/// 4,294,967,294 events (a larger trace is refused with an error that says so). Layout on disk and its checks:
/// docs/formats/index.md, src/trace/index/.
#pragma once

#include <cstdint>

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
  std::uint64_t id = 0;        ///< rmaid, request, lock id, io matching id; metric: bits of the double; user: string
  std::uint32_t link = 0;      ///< backward pointer (ViewEvent::link), 0 = null
  std::uint32_t peer = no_id;  ///< world rank: dest, src, target, root
  std::uint32_t comm = no_id;
  std::uint32_t window = no_id;
  std::uint32_t kind =
      no_id;  ///< SEND, RECV: tag (as int32); MPIWEXIT: group; io: file; METRIC, USER: index; SAMPLE: caller
  std::uint16_t assertion = 0;
  std::uint8_t collective = 0;  ///< enum Collective; PUT_1TS, ATOMIC_1TS: enum Reduction of an accumulate
  std::uint8_t flags = 0;       ///< 1 synex, 2 exclusive, 4 local flush
};
static_assert(sizeof(EventDetail) == 48);

/// Pointers into the columns, for loops over all events and for NumPy. All have `size` entries but `detail`. They stay
/// valid as long as the view.
struct EventColumns {
  std::uint64_t size = 0;     ///< number of events m
  std::uint64_t details = 0;  ///< number of rows of `detail`
  const Nanoseconds* time = nullptr;
  const std::uint32_t* enter = nullptr;    ///< enterptr, 0 = null
  const std::uint32_t* forward = nullptr;  ///< ViewEvent::forward, 0 = none
  const std::uint32_t* ordinal = nullptr;
  const std::uint32_t* location = nullptr;
  const std::uint32_t* code = nullptr;  ///< ENTER, EXIT: region; else index of the detail row
  const EarlType* type = nullptr;
  const EventDetail* detail = nullptr;
};

}  // namespace mora::trace
