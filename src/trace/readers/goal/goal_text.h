/// The text of a GOAL schedule, rank by rank (the grammar is that of LogGOPSim's txt2bin).
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"
#include "trace/readers/goal/goal_schedule.h"

namespace mora::trace {

/// Calls `schedule` for each rank in the order of the file, `ranks` before the first, with `num_ranks`. `most`: as many
/// ranks are believed. Errors (unreadable) name `name`, the line, and what was expected there.
Result<void> parse_goal(std::string_view text, const std::string& name, std::uint64_t most,
                        const std::function<void(std::uint32_t)>& ranks,
                        const std::function<Result<void>(std::uint32_t, const GoalSchedule&)>& schedule);

/// Whether the first word is `num_ranks`.
bool begins_as_goal(std::string_view text);

/// What all errors of a GOAL schedule say.
tl::unexpected<Error> goal_error(const std::string& name, std::uint64_t line, std::string why);

}  // namespace mora::trace
