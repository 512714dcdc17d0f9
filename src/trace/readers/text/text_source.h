/// Reads the text language for traces (docs/formats/trace-text.md).
/// Cost: two passes. Memory: the whole trace.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/memory_source.h"

namespace mora::trace {

/// Whether the content starts like a trace text (header line, possibly behind comments).
bool is_trace_text(std::string_view content);

/// `file` is only for messages. Errors (unreadable): the first statement that is wrong, with file:line:column.
Result<std::unique_ptr<MemorySource>> read_trace_text(std::string_view content, const std::string& file = "trace");

}  // namespace mora::trace
