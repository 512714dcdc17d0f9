#include "trace/rma/epoch_links.h"

#include <algorithm>
#include <string>

namespace mora::trace {
namespace {

// Partner value of closing calls that concern the rank alone.
constexpr std::uint32_t own = no_id;
// A complete closes Gets: told apart from exposure epochs by this partner.
constexpr std::uint32_t access_side = no_id - 1;

}  // namespace

bool EpochLinks::contains(GroupId group, std::uint32_t rank) const {
  if (group >= definitions_.groups.size()) return false;
  const auto& members = definitions_.groups[group].members;
  return std::find(members.begin(), members.end(), rank) != members.end();
}

void EpochLinks::synchronise(std::uint32_t rank, State& state, const Event& event, std::uint64_t id) {
  const auto each = [&](GroupId group, const auto& act) {
    if (group >= definitions_.groups.size()) return;
    for (const std::uint32_t member : definitions_.groups[group].members) act(member);
  };
  switch (event.rma_operation) {
    case RmaOperation::start:
      state.access = event.group;
      each(event.group, [&](std::uint32_t target) { ++state.access_count[target]; });
      break;
    case RmaOperation::post:
      state.exposure = event.group;
      each(event.group, [&](std::uint32_t origin) { ++state.exposure_count[origin]; });
      break;
    case RmaOperation::complete:
      closes_[{Kind::gats, rank, event.window, access_side, ++state.completes}] = id;
      state.access = no_id;
      break;
    case RmaOperation::wait:
    case RmaOperation::test:
      if (!event.epoch_closed) break;
      each(state.exposure != no_id ? state.exposure : event.group, [&](std::uint32_t origin) {
        closes_[{Kind::gats, rank, event.window, origin, state.exposure_count[origin]}] = id;
      });
      state.exposure = no_id;
      break;
    default:
      break;
  }
}

EpochLinks::CloseKey EpochLinks::closing_call(std::uint32_t origin, State& state, const Event& event) const {
  const bool put = event.kind == EventKind::put;
  const std::uint32_t target = event.peer;
  if (const auto lock = state.locked.find(target); lock != state.locked.end() && lock->second)
    return {Kind::lock, origin, event.window, target, state.locks.at(target)};
  if (state.access != no_id && contains(state.access, target)) {
    if (put) return {Kind::gats, target, event.window, origin, state.access_count[target]};
    return {Kind::gats, origin, event.window, access_side, state.completes + 1};
  }
  if (state.fences > 0) return {Kind::fence, put ? target : origin, event.window, own, state.fences + 1};
  return {Kind::none, origin, event.window, own, 0};
}

void EpochLinks::add(std::uint32_t rank, const Event& event, std::uint64_t id) {
  if (event.window == no_id) return;
  State& state = states_[{rank, event.window}];
  switch (event.kind) {
    case EventKind::rma_collective_end:
      if (event.rma_operation == RmaOperation::fence)
        closes_[{Kind::fence, rank, event.window, own, ++state.fences}] = id;
      break;
    case EventKind::group_sync:
      synchronise(rank, state, event, id);
      break;
    case EventKind::lock_request:
      ++state.locks[event.peer];
      state.locked[event.peer] = true;
      break;
    case EventKind::lock_release:
      closes_[{Kind::lock, rank, event.window, event.peer, state.locks[event.peer]}] = id;
      state.locked[event.peer] = false;
      break;
    case EventKind::put:
    case EventKind::get:
      pending_.push_back({id, rank, event.peer, event.window, closing_call(rank, state, event)});
      break;
    default:
      break;
  }
}

std::vector<EpochLinks::Transfer> EpochLinks::match(DataQuality& quality) {
  std::vector<Transfer> transfers;
  transfers.reserve(pending_.size());
  for (const Pending& p : pending_) {
    Transfer t{p.id, p.origin, {}};
    const auto close = closes_.find(p.close);
    if (std::get<0>(p.close) != Kind::none && close != closes_.end()) {
      t.release = {true, close->second};
    } else {
      quality.add("unreleased-transfer", Severity::warning,
                  "rank " + std::to_string(p.origin) + " to rank " + std::to_string(p.target) + ", " +
                      (p.window < definitions_.windows.size() && !definitions_.windows[p.window].name.empty()
                           ? definitions_.windows[p.window].name
                           : "window " + std::to_string(p.window)),
                  1, "one-sided transfers are never completed by a synchronisation; they keep their recorded end",
                  "the program ended inside an epoch, or events are missing");
    }
    transfers.push_back(t);
  }
  return transfers;
}

}  // namespace mora::trace
