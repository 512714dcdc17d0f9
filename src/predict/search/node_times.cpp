/// Times of nodes from a compressed row matrix of message times (score.h); a node costs the partners of its members.
#include "predict/search/node_times.h"

#include <algorithm>
#include <map>

namespace mora::predict {

NodeTimes::NodeTimes(const TrafficMatrix& ranks, const MachineModel& machine) {
  std::vector<std::map<std::uint32_t, Link>> links(ranks.size);
  for (const auto& [from, to, traffic] : ranks.cells) {
    const Nanoseconds local = messages_time(machine, Locality::same_node, traffic.messages, traffic.bytes);
    const Nanoseconds remote = messages_time(machine, Locality::other_node, traffic.messages, traffic.bytes);
    Link& out = links[from].try_emplace(to, Link{to, 0, 0, 0}).first->second;
    out.local += local;
    if (from == to) continue;  // a copy within the rank
    out.remote_out += remote;
    Link& in = links[to].try_emplace(from, Link{from, 0, 0, 0}).first->second;
    in.local += local;
    in.remote_in += remote;
  }
  first_.assign(1, 0);
  for (const auto& of_rank : links) {
    for (const auto& [with, link] : of_rank) links_.push_back(link);
    first_.push_back(links_.size());
  }
}

Nanoseconds NodeTimes::of_node(const std::vector<std::uint32_t>& members,
                               const std::vector<std::uint32_t>& node_of) const {
  Nanoseconds out = 0, in = 0, most_local = 0;
  for (const std::uint32_t rank : members) {
    Nanoseconds local = 0;
    for (std::size_t i = first_[rank]; i < first_[rank + 1]; ++i) {
      const Link& link = links_[i];
      if (node_of[link.with] == node_of[rank]) {
        local += link.local;
      } else {
        out += link.remote_out;
        in += link.remote_in;
      }
    }
    most_local = std::max(most_local, local);
  }
  return std::max(out, in) + most_local;
}

Nanoseconds NodeTimes::longest(const std::vector<std::uint32_t>& node_of) const {
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t rank = 0; rank + 1 < first_.size(); ++rank) {
    if (members.size() <= node_of[rank]) members.resize(node_of[rank] + 1);
    members[node_of[rank]].push_back(rank);
  }
  Nanoseconds longest = 0;
  for (const auto& of_node_ranks : members) longest = std::max(longest, of_node(of_node_ranks, node_of));
  return longest;
}

}  // namespace mora::predict
