/// Reads Chrome's trace events (JSON), as far as they describe MPI programs: docs/formats/chrome.md.
/// Source: Trace Event Format.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether a file that starts so holds trace events: '[' or '{', and "traceEvents" or "ph" near the beginning.
bool is_chrome(std::string_view start);

/// Reads the whole file (plain or gzip); memory: see collection.h. Errors (unreadable): the file cannot be
/// read, it is no JSON, it holds no event.
Result<std::unique_ptr<Source>> open_chrome(const std::string& path);
/// The same from memory; `name` stands in errors.
Result<std::unique_ptr<Source>> read_chrome(std::string_view content, const std::string& name = "trace");

}  // namespace mora::trace
