/// Graph bisection in passes (Kernighan 1970) of single moves (Fiduccia 1982): in a pass every member moves at most
/// once, always the one whose move gives the smallest cut (even if it is larger than before), from the side that is
/// over its capacity if there is one; then the pass is taken back to the best point at which both sides were within
/// their capacity. Passes repeat until one finds no better point. Gains are kept in heaps with stale entries, so a pass
/// costs O(arcs × log arcs) and memory O(arcs); long passes end early when their best point is far behind.
#include "predict/search/bisect.h"

#include <algorithm>
#include <queue>

namespace mora::predict {

namespace {

struct Entry {
  std::int64_t gain;
  std::uint32_t member;
  bool operator<(const Entry& other) const { return gain != other.gain ? gain < other.gain : member > other.member; }
};

}  // namespace

Bisection::Bisection(const TrafficGraph& graph, const std::vector<std::uint32_t>& members,
                     std::vector<std::uint32_t>& local) {
  for (std::uint32_t m = 0; m < members.size(); ++m) local[members[m]] = m;
  first_.push_back(0);
  for (const std::uint32_t rank : members) {
    for (std::size_t a = graph.first[rank]; a < graph.first[rank + 1]; ++a) {
      const std::uint32_t to = local[graph.arcs[a].to];
      if (to != UINT32_MAX) arcs_.push_back({to, graph.arcs[a].bytes});
    }
    first_.push_back(arcs_.size());
  }
  for (const std::uint32_t rank : members) local[rank] = UINT32_MAX;
}

std::int64_t Bisection::cut(const Sides& sides) const {
  std::int64_t twice = 0;
  for (std::uint32_t m = 0; m < size(); ++m) {
    for (std::size_t a = first_[m]; a < first_[m + 1]; ++a)
      twice += sides[m] != sides[arcs_[a].to] ? arcs_[a].bytes : 0;
  }
  return twice / 2;
}

std::int64_t Bisection::pass(Sides& sides, const Capacity& capacity, std::int64_t cut_now) const {
  std::vector<std::int64_t> gain(size(), 0);
  std::vector<std::uint8_t> moved(size(), 0);
  std::array<std::priority_queue<Entry>, 2> heaps;
  Capacity count = {0, 0};
  for (std::uint32_t m = 0; m < size(); ++m) {
    for (std::size_t a = first_[m]; a < first_[m + 1]; ++a)
      gain[m] += sides[arcs_[a].to] != sides[m] ? arcs_[a].bytes : -arcs_[a].bytes;
    heaps[sides[m]].push({gain[m], m});
    ++count[sides[m]];
  }
  const Capacity most = {std::max(capacity[0], count[0]), std::max(capacity[1], count[1])};
  const auto top = [&](int side) -> const Entry* {
    auto& heap = heaps[static_cast<std::size_t>(side)];
    while (!heap.empty() && (moved[heap.top().member] || heap.top().gain != gain[heap.top().member])) heap.pop();
    return heap.empty() ? nullptr : &heap.top();
  };
  const std::uint32_t patience = size() <= 512 ? size() : std::max(512u, size() / 8);
  std::vector<std::uint32_t> order;
  std::size_t best_length = 0;
  std::int64_t best = cut_now;
  while (order.size() < best_length + patience) {
    const Entry* from_0 = count[0] > 0 && count[1] <= most[1] ? top(0) : nullptr;
    const Entry* from_1 = count[1] > 0 && count[0] <= most[0] ? top(1) : nullptr;
    if (count[0] > most[0]) from_1 = nullptr;
    if (count[1] > most[1]) from_0 = nullptr;
    if (from_0 == nullptr && from_1 == nullptr) break;
    const std::uint32_t m =
        from_0 == nullptr || (from_1 != nullptr && *from_0 < *from_1) ? from_1->member : from_0->member;
    cut_now -= gain[m];
    moved[m] = 1;
    --count[sides[m]];
    sides[m] ^= 1;
    ++count[sides[m]];
    order.push_back(m);
    for (std::size_t a = first_[m]; a < first_[m + 1]; ++a) {
      const std::uint32_t to = arcs_[a].to;
      gain[to] += sides[to] != sides[m] ? 2 * arcs_[a].bytes : -2 * arcs_[a].bytes;
      if (!moved[to]) heaps[sides[to]].push({gain[to], to});
    }
    if (cut_now < best && count[0] <= most[0] && count[1] <= most[1]) {
      best = cut_now;
      best_length = order.size();
    }
  }
  while (order.size() > best_length) {
    sides[order.back()] ^= 1;
    order.pop_back();
  }
  return best;
}

std::int64_t Bisection::refine(Sides& sides, const Capacity& capacity) const {
  std::int64_t now = cut(sides);
  for (;;) {
    const std::int64_t better = pass(sides, capacity, now);
    if (better == now) return now;
    now = better;
  }
}

Bisection::Sides Bisection::grown(std::uint32_t start, std::uint32_t count) const {
  Sides sides(size(), 0);
  std::vector<std::int64_t> attraction(size(), 0);  // how much less is cut when it is taken
  for (std::uint32_t m = 0; m < size(); ++m) {
    for (std::size_t a = first_[m]; a < first_[m + 1]; ++a) attraction[m] -= arcs_[a].bytes;
  }
  std::priority_queue<Entry> heap;
  std::uint32_t next_free = 0;
  if (start < size()) heap.push({attraction[start], start});
  for (std::uint32_t taken = 0; taken < count;) {
    if (heap.empty()) {  // a connected component of its own
      while (next_free < size() && sides[next_free] == 1) ++next_free;
      if (next_free == size()) break;
      heap.push({attraction[next_free], next_free});
    }
    const Entry entry = heap.top();
    heap.pop();
    if (sides[entry.member] == 1 || entry.gain != attraction[entry.member]) continue;
    sides[entry.member] = 1;
    ++taken;
    for (std::size_t a = first_[entry.member]; a < first_[entry.member + 1]; ++a) {
      const std::uint32_t to = arcs_[a].to;
      attraction[to] += 2 * arcs_[a].bytes;
      if (sides[to] == 0) heap.push({attraction[to], to});
    }
  }
  return sides;
}

std::vector<std::uint32_t> Bisection::far_apart(std::uint32_t count) const {
  std::vector<std::uint32_t> found, distance(size(), UINT32_MAX);
  const auto spread = [&](std::uint32_t from) {
    std::vector<std::uint32_t> front = {from};
    distance[from] = 0;
    for (std::size_t i = 0; i < front.size(); ++i) {
      const std::uint32_t m = front[i];
      for (std::size_t a = first_[m]; a < first_[m + 1]; ++a) {
        const std::uint32_t to = arcs_[a].to;
        if (distance[to] <= distance[m] + 1) continue;
        distance[to] = distance[m] + 1;
        front.push_back(to);
      }
    }
  };
  if (size() == 0) return found;
  spread(0);
  for (std::uint32_t i = 0; i < count && i < size(); ++i) {
    const auto farthest =
        static_cast<std::uint32_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
    if (distance[farthest] == 0) break;
    found.push_back(farthest);
    if (i == 0) std::fill(distance.begin(), distance.end(), UINT32_MAX);
    spread(farthest);
  }
  return found;
}

}  // namespace mora::predict
