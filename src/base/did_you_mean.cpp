#include "base/did_you_mean.h"

#include <algorithm>

namespace mora {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // Edit distance with exchange of neighbours (optimal string alignment), three rows.
    std::vector<std::size_t> before, above(candidate.size() + 1), row(candidate.size() + 1);
    for (std::size_t j = 0; j <= candidate.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t change = word[i - 1] == candidate[j - 1] ? 0 : 1;
        row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1]) {
          row[j] = std::min(row[j], before[j - 2] + 1);
        }
      }
      before = above;
      above = row;
    }
    if (above[candidate.size()] < best_distance) {
      best_distance = above[candidate.size()];
      best = candidate;
    }
  }
  return best;
}

}  // namespace mora
