/// Graph-based placement: minimise the bytes between nodes. First all ranks are divided among the nodes by recursive
/// bisection: the nodes are halved, the ranks with them, from several starts of growth, each refined (bisect.h). Then,
/// from that and from the best given placement, pairs of nodes that exchange messages are bisected anew between the
/// two, as long as a pair gets better, the pairs with most bytes first. With a machine model the slowest nodes exchange
/// ranks at the end (relieve.h). Up to most_exact_ranks ranks all placements are tried instead (exact.h). Sources:
/// Kernighan 1970; Fiduccia 1982; rule `placement-search` (docs/rules.md). Cost: search.h. Limits: a heuristic, which
/// gives no bound on its distance from the optimum; all nodes are equally far apart.
#include "predict/search/search.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "predict/search/bisect.h"
#include "predict/search/exact.h"
#include "predict/search/relieve.h"

namespace mora::predict {

namespace {

using Numbers = std::vector<std::uint32_t>;

class Search {
 public:
  Search(const TrafficMatrix& ranks, Numbers capacity, Numbers shares, const ProgressCallback& progress)
      : graph_(graph_of(ranks)),
        capacity_(std::move(capacity)),
        shares_(std::move(shares)),
        progress_(progress),
        local_(ranks.size, UINT32_MAX) {}

  Numbers divided() {
    Numbers node_of(graph_.size, 0), ranks(graph_.size), nodes;
    std::iota(ranks.begin(), ranks.end(), 0u);
    for (std::uint32_t node = 0; node < shares_.size(); ++node) {
      if (shares_[node] > 0) nodes.push_back(node);
    }
    Progress progress(progress_, "divide ranks among nodes", graph_.size);
    divide(nodes, ranks, node_of, progress);
    return node_of;
  }

  /// Ends when a sweep over all pairs of nodes gains less than a thousandth of the bytes between them: on dense
  /// patterns further sweeps cost much and gain little.
  void exchange(Numbers& node_of) {
    std::vector<std::uint8_t> changed(capacity_.size(), 1);
    for (int sweep = 0; sweep < 20; ++sweep) {
      const auto pairs = communicating_pairs(node_of);
      std::vector<Numbers> members(capacity_.size());
      for (std::uint32_t rank = 0; rank < graph_.size; ++rank) members[node_of[rank]].push_back(rank);
      std::vector<std::uint8_t> changes(capacity_.size(), 0);
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
  void divide(const Numbers& nodes, const Numbers& ranks, Numbers& node_of, Progress& progress) {
    if (nodes.size() <= 1) {
      for (const std::uint32_t rank : ranks) node_of[rank] = nodes.at(0);
      progress.advance(ranks.size());
      return;
    }
    const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2);
    const Numbers left(nodes.begin(), middle), right(middle, nodes.end());
    const auto share = [&](const Numbers& of) {
      return std::accumulate(of.begin(), of.end(), 0u,
                             [&](std::uint32_t sum, std::uint32_t node) { return sum + shares_[node]; });
    };
    const Bisection bisection(graph_, ranks, local_);
    const std::uint32_t count = share(right);
    const Bisection::Capacity capacity = {share(left), count};
    Bisection::Sides best;
    std::int64_t best_cut = 0;
    const auto take = [&](Bisection::Sides sides) {
      const std::int64_t cut = bisection.refine(sides, capacity);
      if (best.empty() || cut < best_cut) {
        best = std::move(sides);
        best_cut = cut;
      }
    };
    Bisection::Sides in_order(ranks.size(), 0);  // consecutive ranks often exchange the most
    std::fill(in_order.begin() + capacity[0], in_order.end(), std::uint8_t{1});
    take(in_order);
    for (const std::uint32_t start : bisection.far_apart(bisection.arcs() > 100'000 ? 2 : 6))
      take(bisection.grown(start, count));
    std::array<Numbers, 2> halves;
    for (std::size_t m = 0; m < ranks.size(); ++m) halves[best[m]].push_back(ranks[m]);
    divide(left, halves[0], node_of, progress);
    divide(right, halves[1], node_of, progress);
  }

  struct Pair {
    std::uint32_t a, b;
    std::int64_t bytes;
  };

  /// Pairs of nodes with bytes between them, the most bytes first.
  std::vector<Pair> communicating_pairs(const Numbers& node_of) const {
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

  /// Bisects the ranks of two nodes anew. Only the traffic between these two changes: to all other nodes, a rank stays
  /// as far away as it was. Returns the bytes gained.
  std::int64_t exchange_pair(std::uint32_t a, std::uint32_t b, std::uint32_t starts, std::vector<Numbers>& members,
                             Numbers& node_of) {
    Numbers both = members[a];
    both.insert(both.end(), members[b].begin(), members[b].end());
    const Bisection bisection(graph_, both, local_);
    Bisection::Sides sides(both.size(), 0);
    std::fill(sides.begin() + static_cast<std::ptrdiff_t>(members[a].size()), sides.end(), std::uint8_t{1});
    const std::int64_t before = bisection.cut(sides);
    const Bisection::Capacity capacity = {capacity_[a], capacity_[b]};
    const auto count = static_cast<std::uint32_t>(members[b].size());
    std::int64_t best = bisection.refine(sides, capacity);
    for (const std::uint32_t start : bisection.far_apart(starts)) {
      Bisection::Sides other = bisection.grown(start, count);
      if (const std::int64_t cut = bisection.refine(other, capacity); cut < best) {
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
  const Numbers capacity_, shares_;
  const ProgressCallback& progress_;
  Numbers local_;
};

Numbers counted(const Numbers& node_of, std::size_t nodes) {
  Numbers counts(nodes, 0);
  for (const std::uint32_t node : node_of) ++counts[node];
  return counts;
}

/// Ranks for each node so that as few nodes as possible are used: the largest first.
Numbers packed(const Numbers& capacity, std::uint32_t ranks) {
  Numbers order(capacity.size()), shares(capacity.size(), 0);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return capacity[a] > capacity[b]; });
  for (const std::uint32_t node : order) {
    shares[node] = std::min(capacity[node], ranks);
    ranks -= shares[node];
  }
  return shares;
}

/// Nodes that take equally many ranks are interchangeable: the one with the lowest rank becomes the first of them.
Numbers in_usual_order(const Numbers& node_of, const Numbers& capacity) {
  std::map<std::uint32_t, Numbers> free;
  for (std::size_t node = capacity.size(); node-- > 0;)
    free[capacity[node]].push_back(static_cast<std::uint32_t>(node));
  Numbers name(capacity.size(), UINT32_MAX), renamed;
  for (const std::uint32_t node : node_of) {
    if (name[node] == UINT32_MAX) {
      Numbers& alike = free[capacity[node]];
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
  Numbers capacity = request.slots;
  const Numbers first_shares = counted(request.given.at(0).node_of, capacity.size());
  for (Candidate& candidate : result.candidates) {
    const Numbers shares = counted(candidate.node_of, capacity.size());
    for (std::size_t node = 0; node < capacity.size(); ++node) capacity[node] = std::max(capacity[node], shares[node]);
    candidate.score = score_of(ranks, candidate.node_of, request.machine);
  }
  if (request.keep_shares) capacity = first_shares;
  const auto fits = [&](const Numbers& node_of) {
    const Numbers shares = counted(node_of, capacity.size());
    return std::equal(shares.begin(), shares.end(), capacity.begin(),
                      [](std::uint32_t share, std::uint32_t most) { return share <= most; });
  };
  const auto add = [&](std::string name, const Numbers& found, const Numbers& most) {
    const Numbers node_of = in_usual_order(found, most);
    result.candidates.push_back({std::move(name), node_of, score_of(ranks, node_of, request.machine)});
  };
  if (ranks.size > 0 && ranks.size <= most_exact_ranks) {
    add("optimum (all ways tried)", best_of_all(ranks, capacity, request.machine), capacity);
    result.is_optimum = true;
  } else if (ranks.size > 0) {
    const Candidate* start = nullptr;
    for (const Candidate& candidate : result.candidates) {
      if (fits(candidate.node_of) && (start == nullptr || is_better(candidate.score, start->score))) start = &candidate;
    }
    const auto improved = [&](const char* name, const Numbers& most, const Numbers& shares) {
      Search search(ranks, most, shares, request.progress);
      Numbers node_of = search.divided();
      search.exchange(node_of);
      if (request.machine != nullptr) relieve(node_of, most, NodeTimes(ranks, *request.machine), 400'000'000);
      add(name, node_of, most);
    };
    Numbers from_given = start == nullptr ? Numbers{} : start->node_of;
    const std::string given_name = start == nullptr ? "" : "exchanges from " + start->name;
    improved("graph, as many on each node", first_shares, first_shares);
    if (!request.keep_shares && capacity != first_shares)
      improved("graph, any free slot", capacity, packed(capacity, ranks.size));
    const Numbers unchanged = from_given;
    if (!from_given.empty()) {
      Search(ranks, capacity, {}, request.progress).exchange(from_given);
      if (request.machine != nullptr) relieve(from_given, capacity, NodeTimes(ranks, *request.machine), 400'000'000);
    }
    if (from_given != unchanged) add(given_name, from_given, capacity);
  }
  for (std::size_t i = 1; i < result.candidates.size(); ++i) {
    const bool allowed = !request.keep_shares || fits(result.candidates[i].node_of);
    if (allowed && is_better(result.candidates[i].score, result.candidates[result.best].score)) result.best = i;
  }
  return result;
}

}  // namespace mora::predict
