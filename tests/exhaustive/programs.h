/// Generates tiny programs as traces in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trace/memory_source.h"

namespace mora::exhaustive {

/// Calls `visit` for every program; returns how many there were. `visit` may return false to stop.
std::uint64_t for_all_programs(const std::function<bool(trace::MemorySource&, const std::string& text)>& visit);

}  // namespace mora::exhaustive
