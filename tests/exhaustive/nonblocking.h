/// Tiny programs of non-blocking collectives, of collectives with true partners, and a naive reference for them.
#pragma once

#include <functional>
#include <string>

#include "reference.h"
#include "trace/memory_source.h"

namespace mora::exhaustive {

std::uint64_t for_all_nonblocking_programs(
    const std::function<bool(trace::MemorySource& source, const std::string& text)>& visit);

/// Only the metrics of these families. Shares no code with the engine but the event model.
ReferenceResult analyse_nonblocking_naively(const trace::MemorySource& source);

}  // namespace mora::exhaustive
