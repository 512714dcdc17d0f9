/// The compact pattern trace: one file `trace.mpt` for all ranks (docs/formats/pattern-trace.md). Lossless, little
/// endian, versioned, checksummed; ranks in zstd blocks of 64, so that damage costs a block and not the trace.
#pragma once

#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// Errors (system): cannot write. Nothing is left at `path` then. Returns the bytes written.
Result<std::uint64_t> write_archive(const PatternTrace& trace, const std::string& path);

/// Errors (unreadable): no such file, other format or version, damaged definitions. A damaged block's ranks are left
/// out and counted (pattern-damaged-block).
Result<PatternTrace> read_archive(const std::string& path);

}  // namespace mora::predict
