/// Who held the lock of a window before whom, written from the rules of trace/links/lock_order.h as plainly as
/// possible. Tests only. Quadratic on purpose: nothing is shared with the code under test.
#pragma once

#include <map>
#include <vector>

#include "support/trace/naive_links.h"

namespace mora::trace::naive {

/// A lock epoch that takes part in the order: from its request to its release.
struct LockEpoch {
  Record request, release;
  WindowId window = 0;
  std::uint32_t target = no_id;  ///< world rank; no_id: MPI_Win_lock_all
  bool exclusive = false;
  bool accesses = false;
  Nanoseconds asked = 0;     ///< enter of the call of the request
  Nanoseconds unlock = 0;    ///< … of the release
  Nanoseconds held = 0;      ///< leave of the first flush after an access; `released` if there is none
  Nanoseconds released = 0;  ///< as recorded
  std::map<std::uint32_t, Nanoseconds> held_at = {};  ///< of MPI_Win_lock_all: the same by accessed target
};
std::vector<LockEpoch> lock_epochs(const MemorySource& trace);

/// The epochs at one target in the order in which they held its lock, with corrected releases. `others`:
/// MPI_Win_lock_all, too.
std::vector<LockEpoch> holders(const std::vector<LockEpoch>& all, WindowId window, std::uint32_t target, bool others);

/// Place of the conflicting epoch before `holders[i]` that was released last; -1: there is none.
int blocker(const std::vector<LockEpoch>& holders, std::size_t i);

}  // namespace mora::trace::naive
