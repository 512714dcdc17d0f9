/// In which order processes held the locks of windows: derived, never recorded.
///
/// Source: the problem is stated in Hermanns 2004, 4.4.3; the solution is rule `lock-contention`. MPI_Win_lock need not
/// block, so WLOCK is only a request. Per (window, target) the epochs are sorted by their release; a lock was granted
/// at the latest of its request and the releases of all conflicting locks before it. Two shared locks do not conflict.
/// Hence request ≤ grant ≤ own release, and exclusive locks alternate strictly.
/// Limits: the grant is the earliest time that the order of releases allows; the library may have granted later.
#pragma once

#include <string>
#include <vector>

#include "trace/view.h"

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
