/// The naive reference: every rule once more, over a materialised trace, in quadratic time. Shares no code with the
/// engine but the event model. Knows one thread per rank and no damage.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "trace/memory_source.h"

namespace mora::exhaustive {

/// (metric id, call path as names joined by '/', location) -> amount; zeros are absent.
using Cells = std::map<std::tuple<std::string, std::string, std::uint32_t>, std::int64_t>;

struct ReferenceResult {
  Cells cells;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t clock_violations = 0;
};

ReferenceResult analyse_naively(const trace::MemorySource& source);

}  // namespace mora::exhaustive
