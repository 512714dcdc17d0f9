/// Times of nodes from a compressed row matrix of message times (score.h); a node costs the partners of its members.
#include "predict/search/node_times.h"

#include <algorithm>
#include <map>

namespace mora::predict {

namespace {

/// A node's links lead to its switch, but for those of a torus, which other nodes' messages take, too.
double connection_of(const MachineModel& machine) {
  const bool has_own_link = machine.topology != nullptr && machine.topology->fewest() > 1;
  return std::max(machine.shared.connection_ns_per_byte, has_own_link ? machine.shared.link_ns_per_byte : 0.0);
}

}  // namespace

NodeTimes::NodeTimes(const TrafficMatrix& ranks, const MachineModel& machine)
    : shared_(machine.shared), connection_ns_per_byte_(connection_of(machine)) {
  std::vector<std::map<std::uint32_t, Link>> links(ranks.size);
  for (const auto& [from, to, traffic] : ranks.cells) {
    const Nanoseconds local = messages_time(machine, Locality::same_node, traffic.messages, traffic.bytes);
    const Nanoseconds remote = messages_time(machine, Locality::other_node, traffic.messages, traffic.bytes);
    Link& out = links[from].try_emplace(to, Link{to, 0, 0, 0, 0, 0}).first->second;
    out.local += local;
    out.bytes_out += traffic.bytes;
    if (from == to) continue;  // a copy within the rank
    out.remote_out += remote;
    Link& in = links[to].try_emplace(from, Link{from, 0, 0, 0, 0, 0}).first->second;
    in.local += local;
    in.bytes_in += traffic.bytes;
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
  std::uint64_t bytes_out = 0, bytes_in = 0, bytes_within = 0;
  for (const std::uint32_t rank : members) {
    Nanoseconds local = 0;
    for (std::size_t i = first_[rank]; i < first_[rank + 1]; ++i) {
      const Link& link = links_[i];
      if (node_of[link.with] == node_of[rank]) {
        local += link.local;
        bytes_within += link.bytes_out;
      } else {
        bytes_out += link.bytes_out;
        bytes_in += link.bytes_in;
        out += link.remote_out;
        in += link.remote_in;
      }
    }
    most_local = std::max(most_local, local);
  }
  const auto shared = [](std::uint64_t bytes, double ns_per_byte) {
    return rounded_ns(static_cast<double>(bytes) * ns_per_byte);
  };
  const Nanoseconds remote = std::max({out, in, shared(std::max(bytes_out, bytes_in), connection_ns_per_byte_)});
  return remote + std::max(most_local, shared(bytes_within, shared_.memory_ns_per_byte));
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
