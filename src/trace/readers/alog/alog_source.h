/// Reads ALOG, the ASCII traces of MPICH's early MPE, in Nupshot's and EARL's variant (README.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether the first record (behind empty lines and comments) is a header record or a message.
bool is_alog(std::string_view start);

/// `file` is only for messages. Damaged lines are counted. Errors (unreadable): the first line that is no comment is no
/// record.
Result<std::unique_ptr<Source>> read_alog(std::string_view content, const std::string& file = "trace");

/// As above, from a file. Errors also: the file cannot be read.
Result<std::unique_ptr<Source>> open_alog(const std::string& path);

}  // namespace mora::trace
