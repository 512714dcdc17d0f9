/// Tiny programs of two or three threads, and what their waiting is by the most direct reading of the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "trace/memory_source.h"

namespace mora::exhaustive {

/// (metric, location) -> amount; zeros are absent.
using ThreadCells = std::map<std::tuple<std::string, std::uint32_t>, std::int64_t>;

/// One process, OpenMP: two parallel regions with teams of any members, barriers with tasks in them, critical sections.
/// Returns how many there were; `visit` may return false to stop.
std::uint64_t for_all_thread_programs(const std::function<bool(trace::MemorySource&, const std::string& text)>& visit);

/// Barriers in nested loops, their waiting nanosecond by nanosecond, locks by searching for the predecessor, idleness
/// nanosecond by nanosecond.
ThreadCells analyse_threads_naively(const trace::MemorySource& source);

}  // namespace mora::exhaustive
