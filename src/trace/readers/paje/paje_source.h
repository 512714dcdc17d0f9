/// Pajé traces (format 1.2.5; SimGrid's, pajeng's and EZTrace's dialects): docs/formats/paje.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// A value of states, which no state has: so Mora's export says when the file's time 0 was by the trace's own clock.
/// ViTE takes comments for damage.
inline constexpr std::string_view paje_clock_origin = "clock_origin_ns ";

/// Whether a file that starts so is Pajé: its first line that is neither blank nor a comment starts with %EventDef.
bool is_paje(std::string_view start);

/// Reads the whole file (plain or gzip) twice. Memory: definitions and messages, and what TraceBuilder holds.
/// Errors (unreadable): the file cannot be read, it defines no events, or no container has states, links or events.
Result<std::unique_ptr<Source>> open_paje(const std::string& path);
/// The same from memory; `name` stands in errors.
Result<std::unique_ptr<Source>> read_paje(std::string_view content, const std::string& name = "trace");

}  // namespace mora::trace
