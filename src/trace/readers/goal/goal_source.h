/// Reads schedules in GOAL (Hoefler 2009), the text that LogGOPSim's txt2bin reads (README.md): what each rank
/// computes, sends and receives, and what of it requires what, without times.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

/// Whether the file begins with `num_ranks`, comments left out.
bool is_goal(std::string_view start);

/// The whole schedule; `name` is for messages. Errors as of open_goal().
Result<std::unique_ptr<Source>> read_goal(std::string_view content, const std::string& name);

/// Errors (unreadable): the file cannot be read; what is no GOAL, requirements in a circle, receives from any rank or
/// with any tag, operations of a rank on several processors (the message names file and line).
Result<std::unique_ptr<Source>> open_goal(const std::string& path);

}  // namespace mora::trace
