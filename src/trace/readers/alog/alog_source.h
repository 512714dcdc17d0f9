/// Reads ALOG, the ASCII traces of MPICH's early MPE, in Nupshot's and EARL's variant (spec/002 2.10, 9.1; README.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether the first record (behind empty lines and comments) is a header record or a message.
bool is_alog(std::string_view start);

/// `file` is only for messages. Damaged lines are counted; an error means that the first record is none.
Result<std::unique_ptr<Source>> read_alog(std::string_view content, const std::string& file = "trace");

/// Errors also: the file cannot be read.
Result<std::unique_ptr<Source>> open_alog(const std::string& path);

}  // namespace mora::trace
