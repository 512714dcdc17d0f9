/// The event model: what a location's stream consists of, whatever the file format.
///
/// A stream is ordered by (time, ordinal); equal times are legal and the ordinal decides. Streams hold *recorded*
/// events: a one-sided transfer is one event at its origin (kinds put, get, atomic). The view (view/view.h) makes the
/// events of the RMA models from it: PUT_1TS, PUT_1TE, GET_1TO, GET_1TS, GET_1TE (Hermanns 2004, 4.3). The names that
/// users see are those of KOJAK and EARL (docs/formats/trace-text.md). Units: times in ns since
/// Definitions::time_origin, lengths in bytes, partners as ranks of MPI_COMM_WORLD.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "mpi/meaning.h"
#include "trace/definitions.h"

namespace mora::trace {

using mpi::Collective;
using mpi::Reduction;
using mpi::RmaOperation;

/// What an event is. The comment names the fields of Event that have a meaning for the kind, beside `time`.
enum class EventKind : std::uint8_t {
  enter,                 ///< region
  leave,                 ///< region
  send,                  ///< blocking send: peer, tag, comm, bytes
  receive,               ///< a blocking receive is complete: peer (source), tag, comm, bytes
  send_request,          ///< non-blocking send started (MPI_Isend, MPI_Start): as send, request
  send_complete,         ///< the request of a send is complete: request
  receive_request,       ///< receive posted (MPI_Irecv, MPI_Start, matched probe): request
  receive_complete,      ///< posted receive complete: peer, tag, comm, bytes from the status, request
  cancelled,             ///< request was cancelled: request
  collective_begin,      ///< the process began the collective call (of the patterns' formulas: B)
  collective_end,        ///< it is over for this process (X): comm, collective, root, sent, received, vector
  rma_collective_begin,  ///< as collective_begin, of MPI_Win_create, MPI_Win_free, MPI_Win_fence
  rma_collective_end,    ///< window, rma_operation: create, free, fence; assertion
  window_create,         ///< window
  window_free,           ///< window
  group_sync,            ///< window, group, rma_operation: post, start, complete, wait, test; epoch_closed; assertion
  lock_request,          ///< window, peer (target), lock_exclusive (WLOCK)
  lock_release,          ///< window, peer (WUNLOCK)
  put,                   ///< window, peer (target), bytes (sent), received (at target), request = rmaid; end_time
  get,                   ///< window, peer (target), bytes (sent by the target), received, request = rmaid; end_time
  rma_complete,          ///< a transfer's completion record (request = rmaid)
  collective_request,    ///< non-blocking collective started: as collective_end, request
  collective_complete,   ///< non-blocking collective complete: as collective_end, request
  atomic,                ///< window, peer, bytes (sent), received (result), request = rmaid, rma_operation; end_time
  flush,                 ///< window, peer (no_id: all targets), rma_operation flush or flush_local
  fork,                  ///< threads are about to start: peer = number asked for (no_id unknown)
  join,                  ///< … have ended
  acquire,               ///< a thread took a lock: request = lock id
  release,               ///< … gave it back
  team_collective_end,   ///< end of a region all threads of a team take part in (OpenMP barrier, loop, …)
  io_begin,  ///< input or output begins: file, bytes asked for, request = matching id; comm = who opened the file, if
             ///< the event says it
  io_end,    ///< … ends: file, bytes done, request
  metric,    ///< vector = index in Definitions::metrics, bytes, tag: metric_value.h
  sample,    ///< the processor was in this function: vector = index in Definitions::callers
  user,  ///< event type of the trace or format: vector = index in Definitions::user_types, request = index in strings
  program_begin,   ///< the process started
  program_end,     ///< … ended
  recording_off,   ///< nothing is known of this location from here …
  recording_on,    ///< … to here
  overhead_begin,  ///< the recorder's own time …
  overhead_end,    ///< … (buffer flush)
  other,           ///< counted, not interpreted
};

inline constexpr std::uint64_t no_offset = UINT64_MAX;  ///< Event::target_offset: not recorded

/// One event. Only the fields named at its kind are meaningful; the others keep their defaults. Readers pass events by
/// reference in stream order; a sink that needs an event later copies it.
struct Event {
  Nanoseconds time = 0;
  Nanoseconds end_time = 0;  ///< put, get, atomic: end of the transfer in the basic model; at_leave: leave of the call
  std::uint64_t bytes = 0;   ///< message length; collectives: bytes sent by this process
  std::uint64_t received = 0;  ///< collectives: bytes received; put/get: bytes at the destination
  std::uint64_t request = 0;   ///< request number (unique on its location), rmaid of transfers
  RegionId region = no_id;
  std::uint32_t peer = no_id;  ///< *world rank* of the partner (dest, source, target)
  /// Messages. Enter of an interval: the number the program gave it; of MPI_Pcontrol: its level; of a poll: how many in
  /// a row that found nothing it stands for (0: one; polls_of()); of a parallel region: its team (0: not told).
  std::int32_t tag = 0;
  /// enter, leave: 0 = an ordinary region; else the event begins or ends an interval, and this is its number + 1. Only
  /// intervals/interval_source.h sets it; `region` is then where the interval was marked, whatever that region is.
  std::uint32_t interval = 0;
  CommId comm = no_id;
  std::uint32_t root = no_id;  ///< world rank; no_id = none (or the root is in the other group)
  WindowId window = no_id;
  GroupId group = no_id;
  /// Index of per-peer counts (Source::vector), no_id = none. Of neighbourhood collectives: number of destinations, for
  /// each its communicator rank and the bytes sent; number of sources, for each its communicator rank and the bytes
  /// received.
  std::uint32_t vector = no_id;
  std::uint32_t assertion = 0;
  /// put, get, atomic: first byte accessed at the target, from the start of its window, and the length of the range;
  /// only if recorded (no_offset: unknown). For MPI_Win_create_dynamic the absolute address.
  std::uint64_t target_offset = no_offset;
  std::uint64_t target_extent = 0;
  std::uint32_t file = no_id;  ///< io_begin, io_end: index in Definitions::files
  EventKind kind = EventKind::other;
  Collective collective = Collective::none;
  RmaOperation rma_operation = RmaOperation::none;
  Reduction reduction = Reduction::unknown;  ///< put of an accumulate, atomic: MPI_SUM …; unknown: not recorded
  bool mended = false;  ///< leave: not in the file, added by the reader at the end of a stream; views leave it out
  bool epoch_closed = false;    ///< group_sync: the call ended an epoch (MPI_Win_test: it returned flag = true)
  bool lock_exclusive = false;  ///< lock_request: MPI_LOCK_EXCLUSIVE
  bool collective_io = false;   ///< all processes that opened the file take part
};

/// Event::end_time of a transfer that ends, in the basic model, with the leave of its call.
inline constexpr Nanoseconds at_leave = INT64_MIN;

/// Enter of a poll: the number of polls that it stands for, 1 or more.
inline std::int64_t polls_of(const Event& enter) { return enter.tag > 1 ? enter.tag : 1; }

/// Of a set of kinds.
constexpr std::uint64_t kind_bit(EventKind kind) { return std::uint64_t{1} << static_cast<unsigned>(kind); }

/// The enumerator's name, "send_request"; static storage, thread-safe.
const char* to_string(EventKind kind);

}  // namespace mora::trace
