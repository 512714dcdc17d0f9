/// Random small programs with intervals, for the metrics and characteristics of the efficiency analysis.
#pragma once

#include <cstdint>

#include "trace/memory_source.h"

namespace mora::exhaustive {

/// The same number gives the same program: 2 to 4 ranks, up to 30 operations. Intervals are events with Event::interval
/// set.
trace::MemorySource random_efficiency_program(std::uint64_t number);

}  // namespace mora::exhaustive
