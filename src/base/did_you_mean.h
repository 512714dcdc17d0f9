/// For messages about words that are not known. Pure function, safe from any thread.
#pragma once

#include <string>
#include <vector>

namespace mora {

/// The candidate nearest to `word` if it is near enough to be a slip of the fingers; else empty.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace mora
