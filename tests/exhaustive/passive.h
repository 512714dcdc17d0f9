/// Passive target: all tiny lock programs, and the naive reference for them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "reference.h"
#include "trace/memory_source.h"

namespace mora::exhaustive {

/// Calls `visit` for every program of up to three lock epochs on three ranks; returns how many there were. `visit` may
/// return false to stop.
std::uint64_t for_all_lock_programs(const std::function<bool(trace::MemorySource&, const std::string& text)>& visit);

/// lock-contention, lock-all-contention, late-unlock, wait-for-progress, flush-wait and their -comm forms.
Cells passive_cells_naively(const trace::MemorySource& source);

}  // namespace mora::exhaustive
