/// A whole reader of a small format, to copy (README.md). Reads `*.csv` with the columns time,node,type,name,tag,bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether the first line is exactly the header.
bool is_csv_trace(std::string_view start);

/// `file` is only for messages. Lines that cannot be read are counted. Errors (unreadable): the header is missing.
Result<std::unique_ptr<Source>> read_csv_trace(std::string_view content, const std::string& file = "trace");

/// As above, from a file. Errors also: the file cannot be read.
Result<std::unique_ptr<Source>> open_csv_trace(const std::string& path);

}  // namespace mora::trace
