/// Reads Paraver traces: .prv with .pcf and .row, each possibly gzip (README.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/event_spool.h"
#include "trace/source.h"

namespace mora::trace {

/// `start`: the first bytes, unpacked.
bool is_paraver(std::string_view start);

/// Reads the file once (twice if it has no regions but states) into a spool. Labels and node names are looked for
/// beside it: NAME.pcf[.gz], NAME.row[.gz] for NAME.prv[.gz]; a trace without them is read with the usual names.
/// `application`: of several in a file, each a job of its own, the one that is read; 0 = the first.
/// Errors: cannot be opened, no such application, no Paraver header, temporary file cannot be written. Everything else
/// is counted.
Result<std::unique_ptr<Source>> open_paraver(const std::string& path, const EventSpoolOptions& options = {},
                                             std::uint64_t application = 0);

/// The same of texts in memory, for tests; `pcf` and `row` may be empty, as if there were none. `file`: for messages.
Result<std::unique_ptr<Source>> read_paraver(std::string_view prv, std::string_view pcf, std::string_view row,
                                             const std::string& file, const EventSpoolOptions& options = {},
                                             std::uint64_t application = 0);

}  // namespace mora::trace
