/// Reads time-independent traces of SimGrid's SMPI (Desprez 2011): what each rank computes, sends and receives, without
/// times (README.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether `start`, the first bytes of `path`, begins with the action `init`, or names a file that does. Files of a
/// list are looked for where the program was started, as SimGrid does, then beside the list.
bool is_simgrid(const std::string& path, std::string_view start);

/// The actions of all ranks in one text; `name` is for messages. Errors as of open_simgrid().
Result<std::unique_ptr<Source>> read_simgrid(std::string_view content, const std::string& name);

/// Errors (unreadable): a file cannot be read; an action is not known, or refused (the message names file and line).
Result<std::unique_ptr<Source>> open_simgrid(const std::string& path);

}  // namespace mora::trace
