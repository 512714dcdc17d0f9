/// Reads VAMPIR's binary traces (PARvis, Vampirtrace; spec/002 2.11, 9.2; README.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Also true for the ASCII variant, which reading then refuses by name.
bool is_vampir(std::string_view start);

/// `file` is only for messages. Damaged records are counted. Errors: no VAMPIR file, its ASCII variant, an unmerged
/// trace.
Result<std::unique_ptr<Source>> read_vampir(std::string_view content, const std::string& file = "trace");

/// Errors also: the file cannot be read.
Result<std::unique_ptr<Source>> open_vampir(const std::string& path);

}  // namespace mora::trace
