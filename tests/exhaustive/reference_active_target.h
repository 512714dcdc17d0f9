/// The naive reference of the active-target patterns, written from docs/formats/metrics.md and the rules `late-post`,
/// `late-complete`, `wait-at-fence`: over a materialised trace, with nested loops. Shares no code with the engine but
/// the event model. One thread per rank, no interruption of the recording; epochs that are never closed, were never
/// opened or lack their partner are known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "trace/memory_source.h"

namespace mora::exhaustive {

struct ActiveTargetReference {
  /// (metric id, call path as names joined by '/', location) -> amount; zeros are absent.
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::int64_t> cells;
  /// (metric id, call path, location of the cause) -> amount.
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::int64_t> causes;
  std::uint64_t clock_violations = 0;
  std::uint64_t unclosed = 0;
  std::uint64_t unopened = 0;
  std::uint64_t unmatched = 0;
};

ActiveTargetReference analyse_active_target_naively(const trace::MemorySource& source);

}  // namespace mora::exhaustive
