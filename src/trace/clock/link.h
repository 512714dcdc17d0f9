/// Links: what one location contributes to the edges that no clock may contradict.
///
/// An *edge* leads from an event that must come first (its source: a send, the begin of a barrier) to one that must
/// come later (its sink: the receive, the end of the barrier). A *link* is one end of an edge, in the order of its
/// location's stream. Links of one event stand together, sinks before sources. A key names a sequence whose k-th
/// sources and sinks belong together, counted locally. Plain data; times in ns.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

/// The kinds of edges that the report counts separately.
enum class EdgeKind : std::uint8_t { message, collective, rma, threads };
inline constexpr std::size_t edge_kinds = 4;

enum class LinkKind : std::uint8_t {
  message,            ///< a communicator, b source, c destination (world ranks), tag
  collective,         ///< a communicator
  window_collective,  ///< a window
  post,      ///< a window, b origin, c target: MPI_Win_post at the target before MPI_Win_complete returns at the origin
  complete,  ///< a window, b origin, c target: MPI_Win_complete at the origin before the exposure epoch ends
  team,      ///< a rank: regions that all its threads take part in
  fork,      ///< a rank: fork before the first call of a thread
  join,      ///< a rank: last return of a thread before join
};

struct LinkKey {
  LinkKind kind = LinkKind::message;
  std::uint32_t a = no_id, b = no_id, c = no_id;
  std::int32_t tag = 0;
  std::uint32_t stretch = 0;  ///< how often recording was off before: counting starts again behind each gap
  auto operator<=>(const LinkKey&) const = default;
};

enum class LinkRole : std::uint8_t {
  none,    ///< no end of an edge, but 1 ns after its predecessor, or the first or last event
  source,  ///< serial: k
  sink,    ///< serial: k; of messages the number of the receive on its location; of forks and joins found by time
  begin,   ///< of a collective's member: operation, root, flags
  end,
};

enum LinkFlag : std::uint8_t {
  link_sends = 1,     ///< the member has data for others
  link_receives = 2,  ///< … gets data
};

/// 40 bytes.
struct Link {
  Nanoseconds time = 0;
  std::uint64_t ordinal = 0;     ///< of the event in its location's stream
  std::uint32_t key = no_id;     ///< of the location's keys
  std::uint32_t serial = no_id;  ///< position in the sequence
  std::uint32_t root = no_id;    ///< world rank; of teams: region
  std::uint32_t gap = 0;         ///< ns since the location's event before; saturated
  LinkRole role = LinkRole::none;
  std::uint8_t operation = 0;  ///< Collective; of windows RmaOperation
  std::uint8_t flags = 0;
};
static_assert(sizeof(Link) == 40);

/// A sequence as one location sees it.
struct LocalSequence {
  LinkKey key;
  std::uint32_t sources = 0;  ///< or members' begins
  std::uint32_t sinks = 0;    ///< or members' ends
};

/// The error of every pass over spooled links or corrections that cannot be read back.
inline tl::unexpected<Error> unreadable_spool() {
  return fail(ErrorKind::system, "cannot read back what the clock correction spooled", "a temporary file in $TMPDIR",
              "the disk or its file system reports an error", "check that disk, or set TMPDIR to another directory");
}

}  // namespace mora::trace
