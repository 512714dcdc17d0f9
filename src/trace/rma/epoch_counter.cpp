#include "trace/rma/epoch_counter.h"

#include <algorithm>

namespace mora::trace {

bool EpochCounter::contains(GroupId group, std::uint32_t rank) const {
  if (group >= definitions_.groups.size()) return false;
  const auto& members = definitions_.groups[group].members;
  return std::find(members.begin(), members.end(), rank) != members.end();
}

EpochTicket EpochCounter::transfer(const Event& event) {
  State& state = states_[event.window];
  const bool put = event.kind == EventKind::put;
  const std::uint32_t target = event.peer;
  for (const std::uint32_t locked : {target, no_id}) {  // no_id: MPI_Win_lock_all
    if (const auto lock = state.locked.find(locked); lock != state.locked.end() && lock->second)
      return {{EpochKind::lock, rank_, event.window, locked}, state.locks[locked]};
  }
  if (state.access != no_id && contains(state.access, target)) {
    if (put) return {{EpochKind::exposure, target, event.window, rank_}, state.access_count[target]};
    return {{EpochKind::access, rank_, event.window, no_id}, state.completes + 1};
  }
  if (state.fences > 0) return {{EpochKind::fence, put ? target : rank_, event.window, no_id}, state.fences + 1};
  return {};
}

const std::vector<EpochTicket>& EpochCounter::synchronise(const Event& event) {
  closed_.clear();
  if (event.window == no_id) return closed_;
  State& state = states_[event.window];
  const auto members = [&](GroupId group) -> const std::vector<std::uint32_t>& {
    static const std::vector<std::uint32_t> none;
    return group < definitions_.groups.size() ? definitions_.groups[group].members : none;
  };
  switch (event.kind) {
    case EventKind::rma_collective_end:
      if (event.rma_operation != RmaOperation::fence) break;
      closed_.push_back({{EpochKind::fence, rank_, event.window, no_id}, ++state.fences});
      break;
    case EventKind::lock_request:
      state.locked[event.peer] = true;
      ++state.locks[event.peer];
      break;
    case EventKind::lock_release:
      state.locked[event.peer] = false;
      closed_.push_back({{EpochKind::lock, rank_, event.window, event.peer}, state.locks[event.peer]});
      break;
    case EventKind::group_sync:
      if (event.rma_operation == RmaOperation::start) {
        state.access = event.group;
        for (const std::uint32_t target : members(event.group)) ++state.access_count[target];
      } else if (event.rma_operation == RmaOperation::post) {
        state.exposure = event.group;
        for (const std::uint32_t origin : members(event.group)) ++state.exposure_count[origin];
      } else if (event.rma_operation == RmaOperation::complete) {
        state.access = no_id;
        closed_.push_back({{EpochKind::access, rank_, event.window, no_id}, ++state.completes});
      } else if (event.epoch_closed) {  // wait, successful test
        for (const std::uint32_t origin : members(state.exposure != no_id ? state.exposure : event.group))
          closed_.push_back({{EpochKind::exposure, rank_, event.window, origin}, state.exposure_count[origin]});
        state.exposure = no_id;
      }
      break;
    default:
      break;
  }
  return closed_;
}

}  // namespace mora::trace
