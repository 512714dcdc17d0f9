/// Definitions of traces with times in the pattern's numbering: communicators, windows, and operations by the regions'
/// names.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "measure/mpi/function_table.h"
#include "predict/pattern/from_journal_functions.h"
#include "predict/pattern/from_trace_events.h"
#include "trace/mpi_function.h"

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

std::string canonical_name(const trace::Region& region) {
  const auto name = trace::mpi_function_info(region).name;
  std::string own = name.starts_with("MPI_") ? std::string(name) : region.name;
  return own.starts_with("PMPI_") ? own.substr(1) : own;
}

const std::unordered_map<std::string_view, std::uint32_t>& function_ids() {
  static const auto ids = [] {
    std::unordered_map<std::string_view, std::uint32_t> map;
    for (unsigned id = 1; id <= mora_function_count(); ++id)
      if (const char* name = mora_function_name(id)) map.emplace(name, id);
    return map;
  }();
  return ids;
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

Operation operation_of_region(const trace::Region& region) {
  const auto id = function_id(region);
  const auto& table = function_operations();
  return id < table.size() ? table[id].operation : Operation::other;
}

std::uint32_t function_id(const trace::Region& region) {
  const auto found = function_ids().find(canonical_name(region));
  return found == function_ids().end() ? no_id : found->second;
}

Operation operation_of_collective(trace::Collective kind, bool started) {
  using trace::Collective;
  Operation blocking = Operation::other;
  switch (kind) {
    case Collective::barrier:
      blocking = Operation::barrier;
      break;
    case Collective::bcast:
      blocking = Operation::bcast;
      break;
    case Collective::gather:
      blocking = Operation::gather;
      break;
    case Collective::gatherv:
      blocking = Operation::gatherv;
      break;
    case Collective::scatter:
      blocking = Operation::scatter;
      break;
    case Collective::scatterv:
      blocking = Operation::scatterv;
      break;
    case Collective::allgather:
      blocking = Operation::allgather;
      break;
    case Collective::allgatherv:
      blocking = Operation::allgatherv;
      break;
    case Collective::alltoall:
      blocking = Operation::alltoall;
      break;
    case Collective::alltoallv:
      blocking = Operation::alltoallv;
      break;
    case Collective::alltoallw:
      blocking = Operation::alltoallw;
      break;
    case Collective::allreduce:
      blocking = Operation::allreduce;
      break;
    case Collective::reduce:
      blocking = Operation::reduce;
      break;
    case Collective::reduce_scatter:
      blocking = Operation::reduce_scatter;
      break;
    case Collective::reduce_scatter_block:
      blocking = Operation::reduce_scatter_block;
      break;
    case Collective::scan:
      blocking = Operation::scan;
      break;
    case Collective::exscan:
      blocking = Operation::exscan;
      break;
    case Collective::neighbor_allgather:
      blocking = Operation::neighbor_allgather;
      break;
    case Collective::neighbor_allgatherv:
      blocking = Operation::neighbor_allgatherv;
      break;
    case Collective::neighbor_alltoall:
      blocking = Operation::neighbor_alltoall;
      break;
    case Collective::neighbor_alltoallv:
      blocking = Operation::neighbor_alltoallv;
      break;
    case Collective::neighbor_alltoallw:
      blocking = Operation::neighbor_alltoallw;
      break;
    default:
      return Operation::other;
  }
  if (!started) return blocking;
  const auto distance =
      info(blocking).kind == OperationClass::neighborhood
          ? static_cast<int>(Operation::ineighbor_allgather) - static_cast<int>(Operation::neighbor_allgather)
          : static_cast<int>(Operation::ibarrier) - static_cast<int>(Operation::barrier);
  return static_cast<Operation>(static_cast<int>(blocking) + distance);
}

}  // namespace mora::predict
