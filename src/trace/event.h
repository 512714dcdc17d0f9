/// The event model: what a location's stream consists of, whatever the file format.
///
/// A stream is ordered by (time, ordinal); equal times are legal and the ordinal decides. Streams hold
/// *raw* events: one-sided transfers stand where they were recorded, at the origin (kinds put, get); the
/// RMA models (rma_model.h) turn them into KOJAK's PUT_1TS/PUT_1TE/GET_1TO/GET_1TS/GET_1TE of a view.
/// The names that users see are KOJAK's and EARL's (docs/formats/trace-text.md).
#pragma once

#include <cstdint>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::trace {

enum class EventKind : std::uint8_t {
  enter,             ///< region
  leave,             ///< region
  send,              ///< blocking send: peer, tag, comm, bytes
  receive,           ///< a blocking receive is complete: peer (source), tag, comm, bytes
  send_request,      ///< non-blocking send started (MPI_Isend, MPI_Start): as send, request
  send_complete,     ///< the request of a send is complete: request
  receive_request,   ///< receive posted (MPI_Irecv, MPI_Start, matched probe): request
  receive_complete,  ///< posted receive complete: peer, tag, comm, bytes from the status, request
  cancelled,         ///< request was cancelled: request
  collective_begin,  ///< (B of the rules)
  collective_end,    ///< (X of the rules) comm, collective, root, sent, received, vector
  rma_collective_begin,
  rma_collective_end,   ///< window, rma_operation: create, free, fence; assertion
  window_create,        ///< window
  window_free,          ///< window
  group_sync,           ///< window, group, rma_operation: post, start, complete, wait, test; epoch_closed; assertion
  lock_request,         ///< window, peer (target), lock_exclusive (WLOCK)
  lock_release,         ///< window, peer (WUNLOCK)
  put,                  ///< window, peer (target), bytes (sent), received (at target), request = rmaid; end_time
  get,                  ///< window, peer (target), bytes (sent by the target), received, request = rmaid; end_time
  rma_complete,         ///< a transfer's completion record (request = rmaid)
  collective_request,   ///< non-blocking collective started: as collective_end, request
  collective_complete,  ///< non-blocking collective complete: as collective_end, request
  atomic,               ///< window, peer, bytes (sent), received (result), request = rmaid, rma_operation; end_time
  flush,                ///< window, peer (no_id: all targets), rma_operation flush or flush_local
  fork,                 ///< threads are about to start: peer = number asked for (no_id unknown)
  join,                 ///< … have ended
  acquire,              ///< a thread took a lock: request = lock id
  release,              ///< … gave it back
  team_collective_end,  ///< end of a region all threads of a team take part in (OpenMP barrier, loop, …)
  io_begin,  ///< input or output begins: file, bytes asked for, request = matching id; comm = who opened the file, if
             ///< the event says it
  io_end,    ///< … ends: file, bytes done, request
  metric,    ///< vector = index in Definitions::metrics, bytes = bits of the double
  user,  ///< event type of the trace or format: vector = index in Definitions::user_types, request = index in strings
  program_begin,
  program_end,
  recording_off,   ///< nothing is known of this location from here …
  recording_on,    ///< … to here
  overhead_begin,  ///< the recorder's own time …
  overhead_end,    ///< … (buffer flush)
  other,           ///< counted, not interpreted
};

/// Collective operation kinds that the rules of wait-states.md 2.3 tell apart are derived from it.
enum class Collective : std::uint8_t {
  none,
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  create_handle,
  destroy_handle,
  allocate,
  deallocate,
  init,
  finalize,
  other,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};

enum class RmaOperation : std::uint8_t {
  none,
  win_create,
  win_free,
  fence,
  post,
  start,
  complete,
  wait,
  test,
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
  flush,
  flush_local,
};

inline constexpr std::uint64_t no_offset = UINT64_MAX;

/// One event. Only the fields named at its kind are meaningful; the rest are zero. Readers hand out
/// events by reference in stream order; nobody keeps the reference.
struct Event {
  Nanoseconds time = 0;
  Nanoseconds end_time = 0;    ///< put/get: end of the transfer in the basic model; min value = leave of the call
  std::uint64_t bytes = 0;     ///< message length; collectives: bytes sent by this process
  std::uint64_t received = 0;  ///< collectives: bytes received; put/get: bytes at the destination
  std::uint64_t request = 0;   ///< request number (unique on its location), rmaid of transfers
  RegionId region = no_id;
  std::uint32_t peer = no_id;  ///< *world rank* of the partner (dest, source, target)
  /// Messages. Enter of a region with RegionRole::interval: the number the program gave it; of MPI_Pcontrol: its level.
  std::int32_t tag = 0;
  /// enter, leave: 0 = an ordinary region; else the event begins or ends an interval, and this is its number + 1. Only
  /// intervals/interval_source.h sets it; `region` is then where the interval was marked, whatever that region is.
  std::uint32_t interval = 0;
  CommId comm = no_id;
  std::uint32_t root = no_id;  ///< world rank; no_id = none (or root in the other group, then root_in_remote)
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
  bool mended = false;  ///< leave: not in the file; added at the end of a cut-off stream. Views leave it out
  bool epoch_closed = false;
  bool lock_exclusive = false;
  bool collective_io = false;  ///< all processes that opened the file take part
};

inline constexpr Nanoseconds at_leave = INT64_MIN;

const char* to_string(EventKind kind);
const char* to_string(Collective collective);

}  // namespace mora::trace
