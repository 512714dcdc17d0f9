/// From a source to an index: read all locations (several at a time), merge, number and link, write.
#pragma once

#include <memory>

#include "base/data_quality.h"
#include "trace/index/index_file.h"
#include "trace/view.h"

namespace mora::trace {

/// Builds the index in options.index_file if that is set, the trace is large enough (options.keep_from) and the place
/// is writable, else in memory or an unlinked temporary file. What was noticed is in `quality` and in the index.
Result<std::unique_ptr<IndexFile>> build_index(Source& source, const ViewOptions& options, DataQuality& quality);

/// The index of options.index_file, if it is there, sound and of this trace; null otherwise.
std::unique_ptr<IndexFile> reopen_index(const Source& source, const ViewOptions& options, DataQuality& quality);

/// An index of `events` ENTERs of no region at time 0: what a view shows when its index and its trace are both gone.
Result<std::unique_ptr<IndexFile>> empty_index(const Source& source, std::uint64_t events);

}  // namespace mora::trace
