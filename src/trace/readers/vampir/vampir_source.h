/// Reads VAMPIR's binary traces (PARvis, Vampirtrace; README.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether the file begins with the format's magic number. Also true for the ASCII variant, which reading then refuses
/// with an error that names it.
bool is_vampir(std::string_view start);

/// `file` is only for messages. Damaged records are counted. Errors (unreadable): no VAMPIR file, its ASCII variant, an
/// unmerged trace.
Result<std::unique_ptr<Source>> read_vampir(std::string_view content, const std::string& file = "trace");

/// As above, from a file. Errors also: the file cannot be read.
Result<std::unique_ptr<Source>> open_vampir(const std::string& path);

}  // namespace mora::trace
