#include "predict/search/score.h"

#include <algorithm>
#include <tuple>

#include "predict/search/node_times.h"

namespace mora::predict {

bool is_better(const Score& a, const Score& b) {
  if (a.time && b.time && *a.time != *b.time) return *a.time < *b.time;
  return std::tie(a.bytes, a.messages) < std::tie(b.bytes, b.messages);
}

Score score_of(const TrafficMatrix& ranks, const std::vector<std::uint32_t>& node_of, const MachineModel* machine) {
  Score score;
  for (const auto& [from, to, traffic] : ranks.cells) {
    if (node_of[from] == node_of[to]) continue;
    score.bytes += traffic.bytes;
    score.messages += traffic.messages;
  }
  if (machine != nullptr) score.time = NodeTimes(ranks, *machine).longest(node_of);
  return score;
}

}  // namespace mora::predict
