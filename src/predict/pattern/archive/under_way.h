/// Completed requests by their place among those under way. Which request a Waitany completed is told in a trace by how
/// long ago it began; in a program whose calls do not repeat, its place among those that are not completed yet is a
/// smaller number and repeats more often. Cost: linear in the unfolded calls and the requests under way; only for ranks
/// whose order does not fold.
#pragma once

#include <optional>

#include "predict/pattern/trace.h"

namespace mora::predict::archive {

/// Longer ranks are not told by place.
inline constexpr std::uint64_t most_placed_calls = std::uint64_t{1} << 21;

/// The rank with, as age of each completion, twice its place among the requests under way (0: the oldest), plus 1 if a
/// receive got what it asked for (source, tag and bytes are then left out). nullopt: the rank folds well, is very
/// long, or would not come back exactly.
std::optional<RankTrace> by_place(const RankTrace& rank, const Definitions& definitions);

/// The inverse of by_place(). Any trace is taken; places that do not exist give ages that do not exist either.
RankTrace by_age(const RankTrace& rank, const Definitions& definitions);

}  // namespace mora::predict::archive
