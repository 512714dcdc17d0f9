/// Opening a trace on a thread of its own, so that Python stays in charge: Ctrl-C acts at once, and progress is shown.
#pragma once

#include <memory>

#include "python/trace/opened_trace.h"

namespace pybind11 {
class handle;
}

namespace mora::python {

/// Opens the trace. The GIL is held, and given away while there is nothing to do. Every 50 ms signals are acted on and
/// `progress` (None, or called with events done and events in all, 0 if unknown) is called; an exception of either
/// leaves this function at once, as a C++ exception, and the thread ends by itself soon after. Raises what open() fails
/// with.
std::shared_ptr<OpenedTrace> open_watched(const OpenOptions& options, pybind11::handle progress);

/// Waits for threads of openings that were interrupted: before the process ends. Called without the GIL.
void wait_for_openings();

}  // namespace mora::python
