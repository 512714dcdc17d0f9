/// Suggestions for error messages about unknown words. Pure function, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mora {

/// Letters to insert, delete, replace, or exchange with their neighbour (optimal string alignment); of long words the
/// first 64 count.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` by edit distance if at most a third of
/// the word's letters, but one in any case, differ; else empty. Ties: the first candidate. O(sum of lengths · length).
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace mora
