#include "predict/scaling/program.h"

#include <algorithm>
#include <map>
#include <set>

namespace mora::predict {
namespace {

/// By site: its position in the order; and the sites in their order.
struct Order {
  std::vector<std::uint32_t> position, sites;
};

Order order_of(const std::vector<RecordedRun>& runs, std::size_t sites) {
  std::vector<std::set<std::uint32_t>> behind(sites);
  std::vector<std::uint32_t> before(sites, 0);
  std::vector<double> sum(sites, 0), count(sites, 0);
  for (const RecordedRun& run : runs) {
    for (const RankRun& rank : run.by_rank) {
      std::vector<bool> seen(sites, false);
      std::vector<std::uint32_t> firsts;
      for (const RecordedCall& call : rank.calls) {
        if (seen[call.site]) continue;
        seen[call.site] = true;
        firsts.push_back(call.site);
      }
      for (std::size_t i = 0; i < firsts.size(); ++i) {
        sum[firsts[i]] += static_cast<double>(i) / static_cast<double>(firsts.size());
        ++count[firsts[i]];
        if (i + 1 < firsts.size() && behind[firsts[i]].insert(firsts[i + 1]).second) ++before[firsts[i + 1]];
      }
    }
  }
  // Where ranks contradict one another the site that comes first on average goes first.
  const auto mean = [&](std::uint32_t site) { return count[site] > 0 ? sum[site] / count[site] : 2.0; };
  std::set<std::pair<double, std::uint32_t>> free, waiting;
  for (std::uint32_t site = 0; site < sites; ++site) (before[site] == 0 ? free : waiting).insert({mean(site), site});
  Order order;
  order.position.resize(sites);
  while (!free.empty() || !waiting.empty()) {
    auto& from = free.empty() ? waiting : free;
    const std::uint32_t site = from.begin()->second;
    from.erase(from.begin());
    order.position[site] = static_cast<std::uint32_t>(order.sites.size());
    order.sites.push_back(site);
    for (const std::uint32_t next : behind[site]) {
      if (before[next] > 0 && --before[next] == 0 && waiting.erase({mean(next), next}) != 0)
        free.insert({mean(next), next});
    }
  }
  return order;
}

struct Loop {
  std::uint32_t first = 0, last = 0;
  std::set<std::uint64_t> ranks;  ///< that have begun another iteration of it
};

bool crosses(const Loop& a, const Loop& b) {
  return (a.first < b.first && b.first <= a.last && a.last < b.last) ||
         (b.first < a.first && a.first <= b.last && b.last < a.last);
}
bool is_within(const Loop& a, const Loop& b) { return b.first <= a.first && a.last <= b.last; }

/// Nested, but no rank has both: one loop of which some iterations leave out sites.
bool is_same(const Loop& a, const Loop& b) {
  if (!is_within(a, b) && !is_within(b, a)) return false;
  return std::none_of(a.ranks.begin(), a.ranks.end(), [&](std::uint64_t rank) { return b.ranks.contains(rank); });
}

std::vector<Loop> loops_of(const std::vector<RecordedRun>& runs, const Order& order) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Loop> found;
  std::uint64_t number = 0;
  for (const RecordedRun& run : runs) {
    for (const RankRun& rank : run.by_rank) {
      ++number;
      for (std::size_t i = 1; i < rank.calls.size(); ++i) {
        const std::uint32_t from = order.position[rank.calls[i - 1].site], to = order.position[rank.calls[i].site];
        if (to > from) continue;
        Loop& loop = found[{to, from}];
        loop.first = to;
        loop.last = from;
        loop.ranks.insert(number);
      }
    }
  }
  std::vector<Loop> loops;
  for (auto& [interval, loop] : found) loops.push_back(std::move(loop));
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < loops.size() && !again; ++i) {
      for (std::size_t j = i + 1; j < loops.size() && !again; ++j) {
        if (!crosses(loops[i], loops[j]) && !is_same(loops[i], loops[j])) continue;
        loops[i].first = std::min(loops[i].first, loops[j].first);
        loops[i].last = std::max(loops[i].last, loops[j].last);
        loops[i].ranks.insert(loops[j].ranks.begin(), loops[j].ranks.end());
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(j));
        again = true;
      }
    }
  }
  // What became equal by joining is one loop.
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
  loops.erase(std::unique(loops.begin(), loops.end(),
                          [](const Loop& a, const Loop& b) { return a.first == b.first && a.last == b.last; }),
              loops.end());
  return loops;
}

/// `loops`: outer ones before inner ones.
std::vector<ProgramNode> tree_of(const Order& order, const std::vector<Loop>& loops) {
  std::vector<ProgramNode> nodes(1);
  nodes[0].last = order.sites.empty() ? 0 : static_cast<std::uint32_t>(order.sites.size() - 1);
  std::vector<std::uint32_t> open = {0};
  std::size_t next = 0;
  const auto add = [&](std::uint32_t first, std::uint32_t last, std::uint32_t site) {
    ProgramNode node;
    node.parent = open.back();
    node.first = first;
    node.last = last;
    node.site = site;
    nodes[open.back()].children.push_back(static_cast<std::uint32_t>(nodes.size()));
    nodes.push_back(std::move(node));
  };
  for (std::uint32_t at = 0; at < order.sites.size(); ++at) {
    while (open.size() > 1 && nodes[open.back()].last < at) open.pop_back();
    for (; next < loops.size() && loops[next].first == at; ++next) {
      add(loops[next].first, loops[next].last, no_node);
      open.push_back(static_cast<std::uint32_t>(nodes.size() - 1));
    }
    add(at, at, order.sites[at]);
  }
  return nodes;
}

class RankReading {
 public:
  RankReading(const std::vector<ProgramNode>& nodes, const Order& order, const RankRun& rank)
      : nodes_(nodes), order_(order), rank_(rank), into_(nodes.size()) {}

  std::vector<NodeRun> read() {
    into_[0].times.push_back(1);
    iteration(0, 0, 0);
    return std::move(into_);
  }

 private:
  bool is_at(const ProgramNode& node) const {
    if (at_ >= rank_.calls.size()) return false;
    const std::uint32_t position = order_.position[rank_.calls[at_].site];
    return node.first <= position && position <= node.last;
  }
  void iteration(std::uint32_t loop, std::uint32_t number, std::uint32_t outer) {
    const auto own = static_cast<std::uint32_t>(into_[loop].number.size());
    into_[loop].number.push_back(number);
    into_[loop].outer.push_back(outer);
    for (const std::uint32_t child : nodes_[loop].children) {
      const ProgramNode& node = nodes_[child];
      std::uint32_t times = 0;
      if (node.is_call()) {
        if (is_at(node)) {
          into_[child].calls.push_back(static_cast<std::uint32_t>(at_++));
          times = 1;
        }
      } else {
        while (is_at(node)) iteration(child, times++, own);
      }
      if (node.is_call())
        into_[child].executed.push_back(times != 0);
      else
        into_[child].times.push_back(times);
    }
  }

  const std::vector<ProgramNode>& nodes_;
  const Order& order_;
  const RankRun& rank_;
  std::vector<NodeRun> into_;
  std::size_t at_ = 0;
};

}  // namespace

Program find_program(const std::vector<RecordedRun>& runs, std::size_t sites) {
  const Order order = order_of(runs, sites);
  Program program;
  program.nodes = tree_of(order, loops_of(runs, order));
  for (const RecordedRun& run : runs) {
    auto& ranks = program.runs.emplace_back();
    for (const RankRun& rank : run.by_rank) ranks.push_back(RankReading(program.nodes, order, rank).read());
  }
  return program;
}

}  // namespace mora::predict
