/// RMA epochs and local epochs: two kinds that together cover all time of a process on a window.
///
/// Source: Hermanns 2004, 5.4 (the two kinds) and 3.4.1. An epoch reaches from one synchronisation on the window to the
/// next (fence, create, post, start, complete, wait, successful test, lock, unlock). It is an RMA epoch if the process
/// starts a transfer in it, or exposes its window in it (post to wait); else a local one. Right after a synchronisation
/// the kind is undecided: the first transfer makes it an RMA epoch, the next synchronisation without one makes it, in
/// hindsight, a local one (rule `rma-and-local-epochs`).
#pragma once

#include <string>
#include <vector>

#include "trace/view/view.h"

namespace mora::trace {

enum class WindowEpochKind : std::uint8_t { undecided, local, rma };
/// "undecided", "local", "RMA".
const char* to_string(WindowEpochKind kind);

struct WindowEpoch {
  LocationId location = 0;
  WindowId window = no_id;
  Position begin = 0, end = 0;  ///< synchronisations (exits, WLOCK, WUNLOCK); end 0: the trace ends first
  WindowEpochKind kind = WindowEpochKind::undecided;
  Position decided = 0;  ///< the event that decided the kind; 0 = undecided
};

/// All epochs of a trace, ordered by location, window, begin. One pass over the view; memory: one entry per epoch.
std::vector<WindowEpoch> window_epochs(const View& view);

/// What `mora print --epochs` shows (docs/formats/trace-text.md).
std::string window_epochs_text(const View& view);

}  // namespace mora::trace
