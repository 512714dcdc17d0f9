/// Non-blocking and persistent collective operations as events of a view: which starts belong to one operation.
///
/// A view links the completion of each member to its start; which members belong together is decided by links/
/// (joined_sequences.h: the n-th starts of all members of a communicator), which needs the records of the trace again.
/// Cost: one pass over the types of all events; of traces that have such operations, one reading of the trace. Memory:
/// some 20 bytes per start.
#pragma once

#include <vector>

#include "trace/view/view.h"

namespace mora::trace {

struct NonblockingInstance {
  std::vector<Position> starts;  ///< NBC_START of each member that is known, ascending; at least one
  bool is_whole = false;         ///< all members of the communicator are among them
};

/// All of them, ordered by their first start. A start without partners that are known is an instance of its own. Not
/// thread-safe for one view's source.
std::vector<NonblockingInstance> nonblocking_instances(const View& view);

}  // namespace mora::trace
