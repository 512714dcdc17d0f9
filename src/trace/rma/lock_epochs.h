/// The lock epochs of a view, with the time at which each lock was granted at the earliest.
///
/// MPI_Win_lock need not block, so WLOCK is only a request (Hermanns 2004, 4.4.3). The order is that of
/// links/lock_order.h; a lock was granted at the latest of its request and the release of the epoch that blocked it.
/// Hence request ≤ grant ≤ own release, and exclusive locks alternate strictly. Limits: the grant is the earliest time
/// that the order of releases allows; the library may have granted later. Gaps in the recording are not in a view:
/// epochs over them take part.
#pragma once

#include <string>
#include <vector>

#include "trace/links/lock_order.h"
#include "trace/view/view.h"

namespace mora::trace {

struct LockEpoch {
  WindowId window = no_id;
  std::uint32_t target = no_id;  ///< world rank; no_id: MPI_Win_lock_all, all targets
  std::uint32_t origin = 0;      ///< world rank
  bool exclusive = false;
  Position request = 0, release = 0;  ///< WLOCK, WUNLOCK; release 0: never released, not in the order
  Nanoseconds granted = 0;            ///< when the lock was granted at the earliest
  std::vector<Position> starts;       ///< PUT_1TS, GET_1TO, GET_1TS of the epoch that were recorded before the grant
};

/// All lock epochs, ordered by window, target, release. O(n log n) for n epochs; memory: one entry per epoch.
std::vector<LockEpoch> lock_order(const View& view);

/// What `mora print --locks` shows (docs/formats/trace-text.md).
std::string lock_order_text(const View& view);

}  // namespace mora::trace
