/// From a source to an index: read all locations (several at a time), merge, number and link, write.
///
/// Cost: one pass over the trace (parallel), one over the items (merging and linking, each on a thread). Memory: for
/// items a fifth of ViewOptions::memory (512 MiB if that says nothing), then disk ($TMPDIR); 128 MiB of what is
/// written; chunks of the location's streams; what is open; 4 bytes per collective call until all are read, and 16 for
/// each chunk on disk. Not thread-safe: one build per source at a time.
#pragma once

#include <memory>

#include "base/data_quality.h"
#include "trace/index/index_file.h"
#include "trace/index/view_options.h"
#include "trace/source.h"

namespace mora::trace {

/// Builds the index in options.index_file if that is set, the trace is large enough (options.keep_from) and the place
/// is writable, else in memory (up to 2 million events) or an unlinked temporary file. What was repaired or left
/// without partner is added to `quality` and stored in the index. Errors: no location can be read, or the trace has
/// more events than 32 bits can number (unreadable); no disk space (system).
Result<std::unique_ptr<IndexFile>> build_index(Source& source, const ViewOptions& options, DataQuality& quality);

/// The index of options.index_file, if it exists, is undamaged and belongs to this trace; null otherwise (never an
/// error: the index is then built again). Adds the stored rows to `quality`.
std::unique_ptr<IndexFile> reopen_index(const Source& source, const ViewOptions& options, DataQuality& quality);

}  // namespace mora::trace
