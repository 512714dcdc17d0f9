#include "experiment/ending/circle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mora::experiment {

std::vector<std::uint32_t> find_circle(const std::vector<std::vector<std::uint32_t>>& waits_for) {
  enum Colour { white, grey, black };  // not seen; on the way; no circle behind it
  std::vector<Colour> colour(waits_for.size(), white);
  for (std::uint32_t start = 0; start < waits_for.size(); ++start) {
    if (colour[start] != white) continue;
    std::vector<std::pair<std::uint32_t, std::size_t>> way{{start, 0}};  // rank, its next edge
    colour[start] = grey;
    while (!way.empty()) {
      auto& [rank, next] = way.back();
      if (next == waits_for[rank].size()) {
        colour[rank] = black;
        way.pop_back();
        continue;
      }
      const auto to = waits_for[rank][next++];
      if (colour[to] == white) {
        colour[to] = grey;
        way.emplace_back(to, 0);
      } else if (colour[to] == grey) {
        std::vector<std::uint32_t> circle;
        for (auto it = way.rbegin(); circle.empty() || circle.back() != to; ++it) circle.push_back(it->first);
        std::reverse(circle.begin(), circle.end());
        std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
        return circle;
      }
    }
  }
  return {};
}

std::string circle_sentence(const std::vector<std::vector<std::uint32_t>>& waits_for,
                            const std::function<std::string(std::uint32_t)>& call) {
  constexpr std::size_t most_told = 16;
  const auto circle = find_circle(waits_for);
  if (circle.empty()) return "";
  std::string text = "deadlock:";
  for (std::size_t i = 0; i < std::min(circle.size(), most_told); ++i)
    text += fmt::format("{} rank {} in {} waits for rank {}", i == 0 ? "" : ",", circle[i], call(circle[i]),
                        circle[(i + 1) % circle.size()]);
  return circle.size() > most_told ? text + fmt::format(", and {} more", circle.size() - most_told) : text;
}

}  // namespace mora::experiment
