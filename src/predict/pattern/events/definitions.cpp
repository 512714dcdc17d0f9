/// Definitions of traces with times in the pattern's numbering: communicators, windows, and operations by the regions'
/// names.
#include <fmt/format.h>

#include <algorithm>

#include "predict/pattern/events/rank_events.h"

namespace mora::predict {
namespace {

std::vector<std::pair<std::uint32_t, std::uint32_t>> places(const std::vector<std::uint32_t>& members) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;
  bool identity = true;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    identity &= members[i] == i;
    sorted.push_back({members[i], i});
  }
  if (identity) return {};
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

TraceCommunicators::TraceCommunicators(const trace::Definitions& trace, Definitions& definitions)
    : definitions_(definitions) {
  auto& all = definitions.communicators;
  all.resize(2);
  all[0].name = "MPI_COMM_WORLD";
  all[1].name = "MPI_COMM_SELF";
  for (std::uint32_t r = 0; r < trace.world_size; ++r) all[0].members.push_back(r);
  bool world_found = false;
  for (const auto& c : trace.communicators) {
    if (c.self) {
      index_.push_back(1);
      continue;
    }
    if (!world_found && !c.inter() && c.parent == trace::no_id && c.members == all[0].members) {
      world_found = true;
      index_.push_back(0);
      continue;
    }
    Communicator own;
    own.name = c.name.empty() ? fmt::format("communicator {}", index_.size()) : c.name;
    own.made_by = Operation::comm_other;
    own.parent = c.parent < index_.size() ? index_[c.parent] : no_id;
    own.members = c.members;
    own.remote = c.remote_members;
    if (own.members.empty()) own.members = own.remote, own.remote.clear();
    index_.push_back(static_cast<std::uint32_t>(all.size()));
    all.push_back(std::move(own));
  }
  for (const auto& c : all) {
    local_.push_back(places(c.members));
    remote_.push_back(places(c.remote));
  }
  for (const auto& w : trace.windows) definitions.windows.push_back({index(w.comm), w.name});
}

std::int32_t TraceCommunicators::place(std::uint32_t communicator, std::uint32_t world, bool remote) const {
  const auto& members =
      remote ? definitions_.communicators[communicator].remote : definitions_.communicators[communicator].members;
  const auto& sorted = remote ? remote_[communicator] : local_[communicator];
  if (sorted.empty()) return world < members.size() ? static_cast<std::int32_t>(world) : -1;
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(world, std::uint32_t{0}));
  return at != sorted.end() && at->first == world ? static_cast<std::int32_t>(at->second) : -1;
}

std::int32_t TraceCommunicators::peer(std::uint32_t communicator, std::uint32_t rank, std::uint32_t peer) const {
  if (communicator >= local_.size()) return peer_none;
  if (communicator == 1) return peer == rank ? 0 : peer_none;
  const bool inter = !definitions_.communicators[communicator].remote.empty();
  return place(communicator, peer, inter && place(communicator, rank, false) >= 0);
}

std::uint32_t TraceCommunicators::peers(std::uint32_t communicator, std::uint32_t rank) const {
  if (communicator >= local_.size() || communicator == 1) return 1;
  const Communicator& c = definitions_.communicators[communicator];
  const bool other = !c.remote.empty() && place(communicator, rank, false) >= 0;
  return static_cast<std::uint32_t>(other ? c.remote.size() : c.members.size());
}

}  // namespace mora::predict
