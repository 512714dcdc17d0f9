/// First a division of all ranks among the nodes by recursive bisection: the nodes are halved, the ranks with them,
/// from several starts of growth, each refined. Then, from that and from the best given placement, pairs of nodes that
/// talk exchange ranks, and are divided anew between the two, as long as a pair gets better. The pairs go by how much
/// they talk. With a machine model the slowest nodes exchange ranks at the end.
#include "predict/placement/search/search.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "predict/placement/search/bisect.h"
#include "predict/placement/search/exact.h"
#include "predict/placement/search/relieve.h"

namespace mora::predict {

namespace {

using Seats = std::vector<std::uint32_t>;

class Search {
 public:
  Search(const TrafficMatrix& ranks, Seats room, Seats shares, const ProgressCallback& progress)
      : graph_(graph_of(ranks)),
        room_(std::move(room)),
        shares_(std::move(shares)),
        progress_(progress),
        local_(ranks.size, UINT32_MAX) {}

  Seats divided() {
    Seats node_of(graph_.size, 0), ranks(graph_.size), nodes;
    std::iota(ranks.begin(), ranks.end(), 0u);
    for (std::uint32_t node = 0; node < shares_.size(); ++node) {
      if (shares_[node] > 0) nodes.push_back(node);
    }
    Progress progress(progress_, "divide ranks among nodes", graph_.size);
    divide(nodes, ranks, node_of, progress);
    return node_of;
  }

  /// Ends when a sweep over all pairs of nodes gains less than a thousandth of what is between them: dense patterns
  /// would go on for long for little.
  void exchange(Seats& node_of) {
    std::vector<std::uint8_t> changed(room_.size(), 1);
    for (int sweep = 0; sweep < 20; ++sweep) {
      const auto pairs = talking_pairs(node_of);
      std::vector<Seats> members(room_.size());
      for (std::uint32_t rank = 0; rank < graph_.size; ++rank) members[node_of[rank]].push_back(rank);
      std::vector<std::uint8_t> changes(room_.size(), 0);
      std::int64_t between = 0, gained = 0;
      Progress progress(progress_, "exchange ranks between nodes", pairs.size());
      for (const auto& [a, b, bytes] : pairs) {
        progress.advance(1);
        between += bytes;
        if (!changed[a] && !changed[b]) continue;
        const std::int64_t gain = exchange_pair(a, b, sweep == 0 ? 4 : 1, members, node_of);
        if (gain > 0) changes[a] = changes[b] = 1;
        gained += gain;
      }
      changed = changes;
      if (gained == 0 || gained < between / 1000) return;
    }
  }

 private:
  void divide(const Seats& nodes, const Seats& ranks, Seats& node_of, Progress& progress) {
    if (nodes.size() <= 1) {
      for (const std::uint32_t rank : ranks) node_of[rank] = nodes.at(0);
      progress.advance(ranks.size());
      return;
    }
    const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2);
    const Seats left(nodes.begin(), middle), right(middle, nodes.end());
    const auto share = [&](const Seats& of) {
      return std::accumulate(of.begin(), of.end(), 0u,
                             [&](std::uint32_t sum, std::uint32_t node) { return sum + shares_[node]; });
    };
    const Bisection bisection(graph_, ranks, local_);
    const std::uint32_t count = share(right);
    const Bisection::Room room = {share(left), count};
    Bisection::Sides best;
    std::int64_t best_cut = 0;
    const auto take = [&](Bisection::Sides sides) {
      const std::int64_t cut = bisection.refine(sides, room);
      if (best.empty() || cut < best_cut) {
        best = std::move(sides);
        best_cut = cut;
      }
    };
    Bisection::Sides in_order(ranks.size(), 0);  // ranks are often neighbours already
    std::fill(in_order.begin() + room[0], in_order.end(), std::uint8_t{1});
    take(in_order);
    for (const std::uint32_t start : bisection.far_apart(bisection.arcs() > 100'000 ? 2 : 6))
      take(bisection.grown(start, count));
    std::array<Seats, 2> halves;
    for (std::size_t m = 0; m < ranks.size(); ++m) halves[best[m]].push_back(ranks[m]);
    divide(left, halves[0], node_of, progress);
    divide(right, halves[1], node_of, progress);
  }

  struct Pair {
    std::uint32_t a, b;
    std::int64_t bytes;
  };

  /// The most bytes first.
  std::vector<Pair> talking_pairs(const Seats& node_of) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> bytes;
    for (std::uint32_t rank = 0; rank < graph_.size; ++rank) {
      for (std::size_t a = graph_.first[rank]; a < graph_.first[rank + 1]; ++a) {
        const std::uint32_t here = node_of[rank], there = node_of[graph_.arcs[a].to];
        if (here < there) bytes[{here, there}] += graph_.arcs[a].bytes;
      }
    }
    std::vector<Pair> pairs;
    for (const auto& [nodes, sum] : bytes) pairs.push_back({nodes.first, nodes.second, sum});
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
    return pairs;
  }

  /// Only the traffic between the two nodes changes: to others, a rank stays as far away as it was. Returns the bytes
  /// gained.
  std::int64_t exchange_pair(std::uint32_t a, std::uint32_t b, std::uint32_t starts, std::vector<Seats>& members,
                             Seats& node_of) {
    Seats both = members[a];
    both.insert(both.end(), members[b].begin(), members[b].end());
    const Bisection bisection(graph_, both, local_);
    Bisection::Sides sides(both.size(), 0);
    std::fill(sides.begin() + static_cast<std::ptrdiff_t>(members[a].size()), sides.end(), std::uint8_t{1});
    const std::int64_t before = bisection.cut(sides);
    const Bisection::Room room = {room_[a], room_[b]};
    const auto count = static_cast<std::uint32_t>(members[b].size());
    std::int64_t best = bisection.refine(sides, room);
    for (const std::uint32_t start : bisection.far_apart(starts)) {
      Bisection::Sides other = bisection.grown(start, count);
      if (const std::int64_t cut = bisection.refine(other, room); cut < best) {
        best = cut;
        sides = std::move(other);
      }
    }
    if (best >= before) return 0;
    members[a].clear();
    members[b].clear();
    for (std::size_t m = 0; m < both.size(); ++m) {
      members[sides[m] == 0 ? a : b].push_back(both[m]);
      node_of[both[m]] = sides[m] == 0 ? a : b;
    }
    return before - best;
  }

  const TrafficGraph graph_;
  const Seats room_, shares_;
  const ProgressCallback& progress_;
  Seats local_;
};

Seats counted(const Seats& node_of, std::size_t nodes) {
  Seats counts(nodes, 0);
  for (const std::uint32_t node : node_of) ++counts[node];
  return counts;
}

/// As few nodes as possible: the largest first.
Seats packed(const Seats& room, std::uint32_t ranks) {
  Seats order(room.size()), shares(room.size(), 0);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return room[a] > room[b]; });
  for (const std::uint32_t node : order) {
    shares[node] = std::min(room[node], ranks);
    ranks -= shares[node];
  }
  return shares;
}

/// Nodes that take equally many ranks are alike: the one with the lowest rank becomes the first of them.
Seats in_usual_order(const Seats& node_of, const Seats& room) {
  std::map<std::uint32_t, Seats> free;
  for (std::size_t node = room.size(); node-- > 0;) free[room[node]].push_back(static_cast<std::uint32_t>(node));
  Seats name(room.size(), UINT32_MAX), renamed;
  for (const std::uint32_t node : node_of) {
    if (name[node] == UINT32_MAX) {
      Seats& alike = free[room[node]];
      name[node] = alike.back();
      alike.pop_back();
    }
    renamed.push_back(name[node]);
  }
  return renamed;
}

}  // namespace

SearchResult search_placement(const TrafficMatrix& ranks, const SearchRequest& request) {
  SearchResult result;
  result.candidates = request.given;
  Seats room = request.slots;
  const Seats first_shares = counted(request.given.at(0).node_of, room.size());
  for (Candidate& candidate : result.candidates) {
    const Seats shares = counted(candidate.node_of, room.size());
    for (std::size_t node = 0; node < room.size(); ++node) room[node] = std::max(room[node], shares[node]);
    candidate.score = score_of(ranks, candidate.node_of, request.machine);
  }
  if (request.keep_shares) room = first_shares;
  const auto fits = [&](const Seats& node_of) {
    const Seats shares = counted(node_of, room.size());
    return std::equal(shares.begin(), shares.end(), room.begin(),
                      [](std::uint32_t share, std::uint32_t most) { return share <= most; });
  };
  const auto add = [&](std::string name, const Seats& found, const Seats& most) {
    const Seats node_of = in_usual_order(found, most);
    result.candidates.push_back({std::move(name), node_of, score_of(ranks, node_of, request.machine)});
  };
  if (ranks.size > 0 && ranks.size <= most_exact_ranks) {
    add("optimum (all ways tried)", best_of_all(ranks, room, request.machine), room);
    result.is_optimum = true;
  } else if (ranks.size > 0) {
    const Candidate* start = nullptr;
    for (const Candidate& candidate : result.candidates) {
      if (fits(candidate.node_of) && (start == nullptr || is_better(candidate.score, start->score))) start = &candidate;
    }
    const auto improved = [&](const char* name, const Seats& most, const Seats& shares) {
      Search search(ranks, most, shares, request.progress);
      Seats node_of = search.divided();
      search.exchange(node_of);
      if (request.machine != nullptr) relieve(node_of, most, NodeTimes(ranks, *request.machine), 400'000'000);
      add(name, node_of, most);
    };
    Seats from_given = start == nullptr ? Seats{} : start->node_of;
    const std::string given_name = start == nullptr ? "" : "exchanges from " + start->name;
    improved("graph, as many on each node", first_shares, first_shares);
    if (!request.keep_shares && room != first_shares) improved("graph, any free slot", room, packed(room, ranks.size));
    const Seats unchanged = from_given;
    if (!from_given.empty()) {
      Search(ranks, room, {}, request.progress).exchange(from_given);
      if (request.machine != nullptr) relieve(from_given, room, NodeTimes(ranks, *request.machine), 400'000'000);
    }
    if (from_given != unchanged) add(given_name, from_given, room);
  }
  for (std::size_t i = 1; i < result.candidates.size(); ++i) {
    const bool allowed = !request.keep_shares || fits(result.candidates[i].node_of);
    if (allowed && is_better(result.candidates[i].score, result.candidates[result.best].score)) result.best = i;
  }
  return result;
}

}  // namespace mora::predict
