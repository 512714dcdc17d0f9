/// What the replay adds up: a tree of the regions whose time on the ideal network is asked for.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::replay {

/// A region of the program (not of a library): user regions and intervals, and MPI_Init and MPI_Finalize; in a replay
/// on a network that costs something also every other MPI call. Node 0 is the program.
struct ReplayedNode {
  std::uint32_t parent = 0;
  trace::RegionId region = trace::no_id;
  std::uint32_t interval = 0;  ///< trace::Event::interval
  Nanoseconds own = 0;         ///< time in it, calls included, without nested nodes
  Nanoseconds waiting = 0;     ///< of that, in calls: until others have come
  Nanoseconds transfer = 0;    ///< … then until the network has done its part
  Nanoseconds overhead = 0;    ///< … the processor busy with messages
  Nanoseconds recorded = 0;    ///< what `own` was in the trace; only in such a replay
  std::uint64_t visits = 0;    ///< … how often it was entered
};

}  // namespace mora::replay
