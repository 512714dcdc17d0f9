/// Local search on the slowest node. Exchanging ranks of two nodes changes the times of these two only, as the cost of
/// a message depends only on whether its ranks share a node. So a trial costs the pairs of two nodes. Tried for each
/// rank of the slowest node: moving to a node with free slots, or changing places with a rank of a node that it
/// exchanges messages with, or of the fastest node. Limits: ends in a local optimum, or when the allowed work is used
/// up.
#include "predict/search/relieve.h"

#include <algorithm>
#include <set>

namespace mora::predict {

namespace {

class Relief {
 public:
  Relief(std::vector<std::uint32_t>& node_of, const std::vector<std::uint32_t>& capacity, const NodeTimes& times,
         std::uint64_t work)
      : node_of_(node_of),
        capacity_(capacity),
        times_(times),
        work_(work),
        members_(capacity.size()),
        time_(capacity.size()) {
    for (std::uint32_t rank = 0; rank < node_of.size(); ++rank) members_[node_of[rank]].push_back(rank);
    for (std::uint32_t node = 0; node < capacity.size(); ++node) time_[node] = times.of_node(members_[node], node_of);
  }

  void run() {
    while (relieve_slowest()) {
    }
  }

 private:
  bool relieve_slowest() {
    const auto slowest = static_cast<std::uint32_t>(std::max_element(time_.begin(), time_.end()) - time_.begin());
    const auto fastest = static_cast<std::uint32_t>(std::min_element(time_.begin(), time_.end()) - time_.begin());
    const std::vector<std::uint32_t> ranks = members_[slowest];
    for (const std::uint32_t rank : ranks) {
      std::set<std::uint32_t> nodes = {fastest};
      for (std::size_t i = 0; i < times_.partners(rank); ++i) nodes.insert(node_of_[times_.partner(rank, i)]);
      for (const std::uint32_t node : nodes) {
        if (node == slowest) continue;
        if (members_[node].size() < capacity_[node] && tries(rank, slowest, node, UINT32_MAX)) return true;
        const std::vector<std::uint32_t> others = members_[node];
        for (const std::uint32_t other : others) {
          if (tries(rank, slowest, node, other)) return true;
          if (work_ == 0) return false;
        }
      }
    }
    return false;
  }

  /// Keeps the exchange if both nodes are then faster than the slowest was.
  bool tries(std::uint32_t rank, std::uint32_t from, std::uint32_t to, std::uint32_t other) {
    std::uint64_t cost = 0;
    for (const std::uint32_t node : {from, to}) {
      for (const std::uint32_t member : members_[node]) cost += times_.partners(member);
    }
    work_ -= std::min(work_, cost);
    exchange(rank, from, to, other);
    const Nanoseconds new_from = times_.of_node(members_[from], node_of_);
    const Nanoseconds new_to = times_.of_node(members_[to], node_of_);
    if (std::max(new_from, new_to) < time_[from]) {
      time_[from] = new_from;
      time_[to] = new_to;
      return true;
    }
    exchange(rank, to, from, other);
    return false;
  }

  void exchange(std::uint32_t rank, std::uint32_t from, std::uint32_t to, std::uint32_t other) {
    move(rank, from, to);
    if (other != UINT32_MAX) move(other, to, from);
  }

  void move(std::uint32_t rank, std::uint32_t from, std::uint32_t to) {
    members_[from].erase(std::find(members_[from].begin(), members_[from].end(), rank));
    members_[to].push_back(rank);
    node_of_[rank] = to;
  }

  std::vector<std::uint32_t>& node_of_;
  const std::vector<std::uint32_t>& capacity_;
  const NodeTimes& times_;
  std::uint64_t work_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<Nanoseconds> time_;
};

}  // namespace

void relieve(std::vector<std::uint32_t>& node_of, const std::vector<std::uint32_t>& capacity, const NodeTimes& times,
             std::uint64_t work) {
  Relief(node_of, capacity, times, work).run();
}

}  // namespace mora::predict
