/// Where the index of a trace is kept between runs, and how a changed trace is recognised.
#pragma once

#include <string>

#include "trace/view/view.h"

namespace mora::trace {

/// Options for View::make() that keep the index between runs: in `index/` of a writable experiment, else under
/// $MORA_INDEX_DIR, $XDG_CACHE_HOME/mora/index or ~/.cache/mora/index. MORA_INDEX_DIR=none keeps nothing.
/// The fingerprint covers name, size and modification time of every file of the trace: the file itself, its siblings of
/// the same stem and the folder of that name (OTF2's streams, Paraver's .pcf and .row), not their contents. Never
/// fails: where no place is found, the options keep nothing. Thread-safe.
/// `format` and `application` are what open_trace() was told: read otherwise, the same files are another trace.
ViewOptions cached_view(const std::string& path, RmaModel model, const std::string& format, std::uint64_t application);

}  // namespace mora::trace
