/// Links: what one location contributes to the edges that no clock may contradict.
///
/// An *edge* leads from an event that must come first (its source: a send, the begin of a barrier) to one that must
/// come later (its sink: the receive, the end of the barrier). A *link* is one end of an edge, in the order of its
/// location's stream. Links of one event stand together, sinks before sources. Which of them belong together is told by
/// their numbers in sequences (links/sequence.h). Plain data; times in ns.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

/// The kinds of edges that the report counts separately.
enum class EdgeKind : std::uint8_t { message, collective, rma, threads };
inline constexpr std::size_t edge_kinds = 4;

enum class LinkRole : std::uint8_t {
  none,    ///< no end of an edge, but 1 ns after its predecessor, or the first or last event
  source,  ///< serial: k
  sink,    ///< serial: k; of messages the number of the receive on its location; of forks and joins found by time
  begin,   ///< of a collective's member: operation, root, flags
  end,
};

enum LinkFlag : std::uint8_t {
  link_sends = 1,      ///< the member has data for others
  link_receives = 2,   ///< … gets data
  link_completes = 4,  ///< of epochs: the edge from MPI_Win_complete, else that from MPI_Win_post
};

/// 40 bytes.
struct Link {
  Nanoseconds time = 0;
  std::uint64_t ordinal = 0;     ///< of the event in its location's stream
  std::uint32_t key = no_id;     ///< of the location's sequences
  std::uint32_t serial = no_id;  ///< position in the sequence
  std::uint32_t root = no_id;    ///< world rank; of teams: region
  std::uint32_t gap = 0;         ///< ns since the location's event before; saturated
  LinkRole role = LinkRole::none;
  std::uint8_t operation = 0;  ///< Collective; of windows RmaOperation
  std::uint8_t flags = 0;
};
static_assert(sizeof(Link) == 40);

/// The error of every pass over spooled links or corrections that cannot be read back.
inline tl::unexpected<Error> unreadable_spool() {
  return fail(ErrorKind::system, "cannot read back what the clock correction spooled", "a temporary file in $TMPDIR",
              "the disk or its file system reports an error", "check that disk, or set TMPDIR to another directory");
}

}  // namespace mora::trace
