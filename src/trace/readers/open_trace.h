/// Opening a trace by its path: which format it has, and which reader reads it. Safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// A format that open_trace() knows: one line per reader in open_trace.cpp.
struct TraceFormat {
  const char* name;         ///< lower case: `--format` of verbs, `mora.open(format=…)`, EARL's `-format`
  const char* description;  ///< "Paraver (*.prv)"
  /// `start`: the first bytes (up to 4096), unpacked if the file is gzip.
  /// True if the file is of this format, as far as its beginning tells; must not fail on any bytes.
  bool (*fits)(const std::string& path, const std::string& start);
  /// Reads the definitions, for some formats the whole file. Errors: unreadable, system.
  Result<std::unique_ptr<Source>> (*open)(const std::string& path);
};

/// All formats, in the order in which they are tried.
const std::vector<TraceFormat>& trace_formats();

/// The OTF2 anchor file of a directory: traces.otf2, else its only *.otf2; empty if there is none.
std::string anchor_file(const std::string& directory);

/// Opens any supported trace: an experiment directory or a file. The format is found from the content, unless named.
/// `application`: which of several jobs in one file (Paraver); 0 = the first.
/// Errors: missing, not a trace, damaged beyond use (kind unreadable); unknown format name, no such application
/// (usage).
Result<std::unique_ptr<Source>> open_trace(const std::string& path, const std::string& format = {},
                                           std::uint64_t application = 0);

}  // namespace mora::trace
