/// Which call's data may have decided what a rank of a dry run did: the last call before it that takes data of other
/// ranks. A dry run has substitute data for them. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "predict/pattern/trace.h"

namespace mora::predict {

struct NeededData {
  std::uint32_t rank = 0;
  std::uint64_t call = 0;  ///< number of the call within the rank, from 1
  std::string text;        ///< the call (describe())
};

/// The last one of `rank` before its call number `before` (0: before its end). nullopt: there is none, the rank is not
/// in the trace, or the first `most_calls_looked_at` calls hold none. O(calls up to there).
std::optional<NeededData> needed_data(const PatternTrace& trace, std::uint32_t rank, std::uint64_t before);
inline constexpr std::uint64_t most_calls_looked_at = 20'000'000;

}  // namespace mora::predict
