/// Generates tiny programs of fences and post-start-complete-wait as traces in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trace/memory_source.h"

namespace mora::exhaustive {

/// Calls `visit` for every program; returns how many there were. `visit` may return false to stop.
std::uint64_t for_all_active_target_programs(
    const std::function<bool(trace::MemorySource&, const std::string&)>& visit);

}  // namespace mora::exhaustive
