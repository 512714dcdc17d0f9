/// The option --memory SIZE of verbs that keep in files what memory does not hold.
#pragma once

#include "cli/command/verb.h"
#include "trace/source.h"

namespace mora::cli {

Option memory_option();

/// Says on standard error that the process needed more than `memory` bytes, if it did. 0: no limit was given.
void note_memory(std::uint64_t memory, const trace::Source& source);

}  // namespace mora::cli
