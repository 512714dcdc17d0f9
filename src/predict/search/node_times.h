/// The predicted time of each node (score.h), recomputed for single nodes while a search moves ranks. Immutable after
/// construction; the functions may be called from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/machine/model.h"
#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

class NodeTimes {
 public:
  NodeTimes(const TrafficMatrix& ranks, const MachineModel& machine);

  /// The time of a node with these ranks; `members` are all of its ranks.
  Nanoseconds of_node(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& node_of) const;
  Nanoseconds longest(const std::vector<std::uint32_t>& node_of) const;
  /// Number of ranks that a rank exchanges messages with; of_node() costs their sum over the members.
  std::size_t partners(std::uint32_t rank) const { return first_[rank + 1] - first_[rank]; }
  std::uint32_t partner(std::uint32_t rank, std::size_t i) const { return links_[first_[rank] + i].with; }

 private:
  struct Link {
    std::uint32_t with;
    Nanoseconds local, remote_out, remote_in;
    std::uint64_t bytes_out, bytes_in;
  };
  SharedCosts shared_;
  double connection_ns_per_byte_ = 0;  ///< of a node, in one direction
  std::vector<std::size_t> first_;
  std::vector<Link> links_;
};

}  // namespace mora::predict
