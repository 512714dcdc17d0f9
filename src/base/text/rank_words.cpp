#include "base/text/rank_words.h"

#include <fmt/format.h>

#include <cstddef>

namespace mora {

std::string ranks_in_words(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t most = 4;
  std::vector<std::string> stretches;
  std::size_t told = 0;
  for (std::size_t i = 0; i < ranks.size() && stretches.size() < most;) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    stretches.push_back(end - i == 1 ? std::to_string(ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[end - 1]));
    told = i = end;
  }
  if (told < ranks.size()) stretches.push_back(fmt::format("{} more", ranks.size() - told));
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < stretches.size(); ++i)
    text += (i == 0 ? "" : i + 1 == stretches.size() ? " and " : ", ") + stretches[i];
  return text;
}

}  // namespace mora
