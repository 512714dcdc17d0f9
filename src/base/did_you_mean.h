/// Suggestions for error messages about unknown words. Pure function, thread-safe.
#pragma once

#include <string>
#include <vector>

namespace mora {

/// The candidate nearest to `word` by edit distance (exchanged neighbours count as one change) if at most a third of
/// the word's letters, but one in any case, differ; else empty. Ties: the first candidate. O(sum of lengths · length).
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace mora
