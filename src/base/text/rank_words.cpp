#include "base/text/rank_words.h"

#include <fmt/format.h>

#include <cstddef>

namespace mora {

std::string numbers_in_words(std::string_view noun, const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t most = 4;
  std::vector<std::string> stretches;
  std::size_t told = 0;
  for (std::size_t i = 0; i < numbers.size() && stretches.size() < most;) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    stretches.push_back(end - i == 1 ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]));
    told = i = end;
  }
  if (told < numbers.size()) stretches.push_back(fmt::format("{} more", numbers.size() - told));
  auto text = fmt::format("{}{} ", noun, numbers.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < stretches.size(); ++i)
    text += (i == 0 ? "" : i + 1 == stretches.size() ? " and " : ", ") + stretches[i];
  return text;
}

std::string ranks_in_words(const std::vector<std::uint32_t>& ranks) { return numbers_in_words("rank", ranks); }

std::string ranges_text(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t end = at;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end == at ? fmt::format("{}", numbers[at]) : fmt::format("{}-{}", numbers[at], numbers[end]);
    at = end + 1;
  }
  return text;
}

}  // namespace mora
