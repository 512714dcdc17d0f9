/// The state of a location on a window: one access epoch, one exposure epoch, locks by target, and the fence epoch,
/// which is open after a fence without MPI_MODE_NOSUCCEED but counts as an epoch only once something was accessed in
/// it. After a violation the call is taken at its word: what it opens is open, what it closes is closed, so that one
/// mistake is reported once.
///
/// Source: MPI-3.1, 11.5; Mora's rule rma-rules. Cost: O(log open epochs + group) per record.
#include "analysis/checks/rule_collector.h"

#include <algorithm>

#include "trace/assertion.h"

namespace mora::analysis::checks {

using trace::Event;
using trace::EventKind;
using trace::RmaOperation;

void RuleCollector::on_event(const Event& event, const OpenCall& call) {
  ++halves_.records;
  if (event.kind == EventKind::recording_off) {
    halves_.is_lost = true;
    for (auto& [window, state] : states_) {  // how long they last is not known
      close_ranges(state, no_id);
      close_active(state, false);
    }
    states_.clear();
    return;
  }
  const bool is_transfer =
      event.kind == EventKind::put || event.kind == EventKind::get || event.kind == EventKind::atomic;
  if (is_transfer) on_transfer(event, call);
  if (event.window == no_id) return;
  halves_.has_windows = true;
  if (halves_.is_lost || !call.traits.is_mpi) return;
  State& state = states_[event.window];
  switch (event.kind) {
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
      if (event.peer != no_id) judge_transfer(event, call, state);
      break;
    case EventKind::rma_collective_end:
      if (event.rma_operation == RmaOperation::fence) on_fence(event, call, state);
      if (event.rma_operation == RmaOperation::win_free) on_free(event.window, call);
      break;
    case EventKind::window_free:
      on_free(event.window, call);
      break;
    case EventKind::group_sync:
      on_group(event, call, state);
      break;
    case EventKind::lock_request:
      on_lock(event, call, state);
      break;
    case EventKind::lock_release:
      on_unlock(event, call, state);
      break;
    case EventKind::flush:
      on_flush(event, call, state);
      break;
    case EventKind::rma_complete:
      close_fetched(state, event.request);
      break;
    default:
      break;
  }
}

std::uint32_t RuleCollector::index_of(const OpenCall& call) {
  if (last_number_ != call.number) {
    last_number_ = call.number;
    halves_.calls.push_back(LocalCall{call.node, call.enter, call.enter});
  }
  return static_cast<std::uint32_t>(halves_.calls.size() - 1);
}

void RuleCollector::on_leave(const OpenCall& call, Nanoseconds leave) {
  if (call.number == last_number_ && !halves_.calls.empty()) halves_.calls.back().leave = leave;
}

void RuleCollector::violation(RmaRule rule, trace::WindowId window, const OpenCall& call, std::uint32_t partner) {
  halves_.violations.push_back(LocalViolation{rule, window, partner, index_of(call)});
}

const std::vector<std::uint32_t>& RuleCollector::members(trace::GroupId group) const {
  static const std::vector<std::uint32_t> none;
  return group < context_.definitions.groups.size() ? context_.definitions.groups[group].members : none;
}

// ---- active target ---------------------------------------------------------------------------------------

void RuleCollector::on_fence(const Event& event, const OpenCall& call, State& state) {
  if (state.start != no_id || state.post != no_id || !state.locks.empty()) {
    violation(RmaRule::mixed_epochs, event.window, call);
  }
  if ((event.assertion & trace::assertion_noprecede) != 0 && state.fence_use != no_id) {
    violation(RmaRule::noprecede_but_accessed, event.window, call);
  }
  close_active(state, true);
  ++state.fences;
  state.nosucceed = (event.assertion & trace::assertion_nosucceed) != 0;
  state.fence_use = no_id;
  if ((event.assertion & trace::assertion_noput) != 0) {
    halves_.noput_fences[{event.window, state.fences}] = index_of(call);
  }
}

void RuleCollector::on_group(const Event& event, const OpenCall& call, State& state) {
  switch (event.rma_operation) {
    case RmaOperation::start:
      if (state.start != no_id) violation(RmaRule::double_start, event.window, call);
      if (!state.locks.empty() || state.fence_use != no_id) violation(RmaRule::mixed_epochs, event.window, call);
      close_active(state, false);
      state.start = index_of(call);
      state.access_group = event.group;
      state.open_access.clear();
      for (const std::uint32_t target : members(event.group)) {
        state.open_access[target] = halves_.accesses.size();
        halves_.accesses.push_back(
            AccessEpoch{event.window, target, ++state.access_count[target], state.start, no_id, no_id});
      }
      break;
    case RmaOperation::complete:
      if (state.start == no_id) {
        violation(RmaRule::complete_without_start, event.window, call);
        for (const std::uint32_t target : members(event.group)) {
          halves_.accesses.push_back(
              AccessEpoch{event.window, target, ++state.access_count[target], index_of(call), index_of(call), no_id});
        }
        break;
      }
      for (const auto& [target, access] : state.open_access) halves_.accesses[access].complete = index_of(call);
      close_active(state, true);
      state.start = no_id;
      state.open_access.clear();
      break;
    case RmaOperation::post:
      if (state.post != no_id) violation(RmaRule::double_post, event.window, call);
      if (state.fence_use != no_id) violation(RmaRule::mixed_epochs, event.window, call);
      state.post = index_of(call);
      expose(event, state.post, state, false);
      break;
    case RmaOperation::wait:
    case RmaOperation::test:
      if (!event.epoch_closed) break;
      if (state.post == no_id) {
        violation(RmaRule::wait_without_post, event.window, call);
        expose(event, index_of(call), state, true);
      }
      halves_.closed_exposures.insert({event.window, state.posts});
      state.post = no_id;
      break;
    default:
      break;
  }
}

void RuleCollector::expose(const Event& event, std::uint32_t call, State& state, bool is_unseen) {
  ++state.posts;
  const bool noput = !is_unseen && (event.assertion & trace::assertion_noput) != 0;
  for (const std::uint32_t origin : members(event.group)) {
    auto& known = halves_.exposures[{event.window, origin}];
    known.push_back(ExposureEpoch{static_cast<std::uint32_t>(known.size() + 1), state.posts, call, noput, is_unseen});
  }
}

// ---- passive target --------------------------------------------------------------------------------------

void RuleCollector::on_lock(const Event& event, const OpenCall& call, State& state) {
  const bool locked_before =
      event.peer == no_id ? !state.locks.empty() : state.locks.contains(event.peer) || state.locks.contains(no_id);
  if (locked_before) violation(RmaRule::double_lock, event.window, call, event.peer);
  if (state.start != no_id || state.fence_use != no_id)
    violation(RmaRule::mixed_epochs, event.window, call, event.peer);
  state.locks[event.peer] =
      Lock{index_of(call), event.lock_exclusive, (event.assertion & trace::assertion_nocheck) == 0};
}

void RuleCollector::on_unlock(const Event& event, const OpenCall& call, State& state) {
  if (state.locks.erase(event.peer) == 0) violation(RmaRule::unlock_without_lock, event.window, call, event.peer);
  close_ranges(state, event.peer);
}

void RuleCollector::on_flush(const Event& event, const OpenCall& call, State& state) {
  const bool locked =
      event.peer == no_id ? !state.locks.empty() : state.locks.contains(event.peer) || state.locks.contains(no_id);
  if (!locked) violation(RmaRule::flush_without_lock, event.window, call, event.peer);
  if (event.rma_operation == RmaOperation::flush_local) {
    close_fetches(state, event.peer);
  } else {
    close_ranges(state, event.peer);
  }
}

// What fetches has read its target when the result is there (MPI-3.1, 11.5.4: completion at the origin); what it puts
// there may still be under way, as that of MPI_Put and MPI_Rput is.
void RuleCollector::close_fetched(State& state, std::uint64_t transfer) {
  const auto found = state.fetching.find(transfer);
  if (found == state.fetching.end()) return;
  complete(found->second);
  state.fetching.erase(found);
}

void RuleCollector::close_fetches(State& state, std::uint32_t target) {
  std::erase_if(state.fetching, [&](const auto& one) {
    if (target != no_id && halves_.ranges[one.second].target != target) return false;
    complete(one.second);
    return true;
  });
}

void RuleCollector::complete(std::size_t access) {
  std::uint32_t& completed = halves_.ranges[access].completed;
  completed = std::min(completed, halves_.records);  // what was fetched may have been there before
}

void RuleCollector::close_active(State& state, bool is_known) {
  for (const std::size_t access : state.active) {
    RangeAccess& range = halves_.ranges[access];
    range.completed = is_known ? halves_.records : range.issued;
    range.ends_at_target = range.ends_at_target && is_known;
  }
  state.active.clear();
}

void RuleCollector::close_ranges(State& state, std::uint32_t target) {
  for (auto& [locked, accesses] : state.unflushed) {
    if (target != no_id && locked != target) continue;
    if (accesses.empty()) continue;
    ++state.stretches[locked];
    for (const std::size_t access : accesses) complete(access);
    accesses.clear();
  }
  close_fetches(state, target);
}

// ---- transfers -------------------------------------------------------------------------------------------

void RuleCollector::on_transfer(const Event& event, const OpenCall&) {
  if (event.peer == no_id) return;  // MPI_PROC_NULL, or nothing is known of it
  const TransferKind kind = event.kind == EventKind::atomic ? TransferKind::atomic
                            : event.kind == EventKind::get  ? TransferKind::get
                                                            : TransferKind::put;
  auto& [operations, bytes] = halves_.transfers[{event.peer, kind}];
  ++operations;
  bytes += event.bytes + (kind == TransferKind::atomic ? event.received : 0);
}

void RuleCollector::judge_transfer(const Event& event, const OpenCall& call, State& state) {
  RangeAccess range;
  range.window = range.memory = event.window;
  range.target = event.peer;
  range.offset = event.target_offset;
  range.reduction = event.reduction;
  range.extent = event.target_extent;
  range.issued = halves_.records;
  const TransferCall function = transfer_calls_[call.region];
  const bool accumulates =
      event.kind == EventKind::atomic || event.rma_operation == RmaOperation::accumulate || function.accumulates;
  range.access = accumulates                    ? AccessClass::accumulate
                 : event.kind == EventKind::get ? AccessClass::get
                                                : AccessClass::put;
  const bool changes = range.access != AccessClass::get;
  const auto lock = state.locks.contains(event.peer) ? state.locks.find(event.peer) : state.locks.find(no_id);
  bool is_known = true;
  if (lock != state.locks.end()) {
    range.slot = EpochSlot::lock;
    range.number = state.stretches[event.peer];
    range.takes_lock = lock->second.is_checked;
    range.is_exclusive = lock->second.exclusive;
  } else if (state.start != no_id) {
    range.slot = EpochSlot::access;
    if (const auto access = state.open_access.find(event.peer); access != state.open_access.end()) {
      AccessEpoch& epoch = halves_.accesses[access->second];
      range.number = epoch.number;
      range.ends_at_target = event.kind == EventKind::put;  // what fetches is done when it is there
      if (changes && epoch.put == no_id) epoch.put = index_of(call);
    } else {
      violation(RmaRule::access_outside_group, event.window, call, event.peer);
      is_known = false;
    }
  } else if (state.fences > 0) {
    range.slot = EpochSlot::fence;
    range.number = state.fences;
    if (state.nosucceed) violation(RmaRule::nosucceed_but_accessed, event.window, call, event.peer);
    if (state.fence_use == no_id) state.fence_use = index_of(call);
    if (auto& noted = state.put_since_fence[event.peer]; changes && noted != state.fences + 1) {
      noted = state.fences + 1;
      halves_.fence_puts.push_back(FencePut{event.window, event.peer, state.fences, index_of(call)});
    }
  } else {
    violation(RmaRule::access_outside_epoch, event.window, call, event.peer);
    is_known = false;
  }
  if (is_known && range.slot != EpochSlot::lock && function.is_request_based) {
    violation(RmaRule::request_outside_lock, event.window, call, event.peer);
  }
  // A range longer than what was moved has holes (derived types): where they are is not known, nothing is claimed.
  const bool has_holes = event.target_extent > std::max(event.bytes, event.received);
  if (!is_known || event.target_offset == trace::no_offset || event.target_extent == 0 || has_holes) return;
  for (const auto& [rank, base] : context_.definitions.windows[event.window].bases) {
    if (rank != event.peer) continue;
    range.memory = no_id;
    range.offset += base;
  }
  range.call = index_of(call);
  if (range.slot == EpochSlot::lock) {
    state.unflushed[event.peer].push_back(halves_.ranges.size());
    if (event.kind != EventKind::put) state.fetching[event.request] = halves_.ranges.size();
  } else {
    state.active.push_back(halves_.ranges.size());
  }
  halves_.ranges.push_back(range);
}

// ---- ends ------------------------------------------------------------------------------------------------

/// Everything open: at this call, or (nullptr) at the calls that opened it.
void RuleCollector::report_open(trace::WindowId window, const State& state, RmaRule rule, const OpenCall* call) {
  const auto report = [&](std::uint32_t opened, std::uint32_t partner) {
    halves_.violations.push_back(LocalViolation{rule, window, partner, call != nullptr ? index_of(*call) : opened});
  };
  if (state.start != no_id) report(state.start, no_id);
  if (state.post != no_id) report(state.post, no_id);
  for (const auto& [target, lock] : state.locks) report(lock.call, target);
  if (state.fence_use != no_id && !state.nosucceed) report(state.fence_use, no_id);
}

void RuleCollector::on_free(trace::WindowId window, const OpenCall& call) {
  const auto found = states_.find(window);
  if (found == states_.end()) return;
  if (found->second.is_open()) report_open(window, found->second, RmaRule::freed_with_open_epoch, &call);
  close_ranges(found->second, no_id);
  close_active(found->second, false);
  halves_.all_fences.try_emplace(window, found->second.fences);  // files may tell of it twice
  states_.erase(found);
}

void RuleCollector::finish(Nanoseconds last) {
  if (last == 0 && halves_.calls.empty() && !halves_.has_windows) halves_.is_lost = true;  // nothing could be read
  if (!halves_.is_lost) {
    ++halves_.records;
    for (auto& [window, state] : states_) {
      report_open(window, state, RmaRule::unclosed_epoch, nullptr);
      close_ranges(state, no_id);
      close_active(state, false);
    }
  }
  states_.clear();
}

}  // namespace mora::analysis::checks
