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

// ---- active target ---------------------------------------------------------------------------------------

void RuleCollector::on_fence(const Event& event, const OpenCall& call, State& state) {
  if (state.start != no_id || state.post != no_id || !state.locks.empty()) {
    violation(RmaRule::mixed_epochs, event.window, call);
  }
  if ((event.assertion & trace::assertion_noprecede) != 0 && state.fence_use != no_id) {
    violation(RmaRule::noprecede_but_accessed, event.window, call);
  }
  close_active(state, true);
  state.fences = epochs_.fence(event.window, 0) + 1;
  state.nosucceed = (event.assertion & trace::assertion_nosucceed) != 0;
  state.fence_use = no_id;
  if ((event.assertion & trace::assertion_noput) != 0) {
    halves_.noput_fences[{event.window, state.fences}] = index_of(call);
  }
}

void RuleCollector::on_group(const Event& event, const OpenCall& call, State& state) {
  const trace::EpochChange change = trace::epoch_change(event);
  const trace::WindowEpochs::Result& result = epochs_.change(change, event.window, event.group, 0);
  switch (change) {
    case trace::EpochChange::opens_access:
      if (state.start != no_id) violation(RmaRule::double_start, event.window, call);
      if (!state.locks.empty() || state.fence_use != no_id) violation(RmaRule::mixed_epochs, event.window, call);
      close_active(state, false);
      state.start = index_of(call);
      state.first_access = halves_.accesses.size();
      access(*result.epoch, state.start, true);
      break;
    case trace::EpochChange::closes_access:
      if (result.unseen != nullptr) {
        violation(RmaRule::complete_without_start, event.window, call);
        access(*result.unseen, index_of(call), false);
        break;
      }
      for (std::size_t i = 0; i < result.epoch->partners.size(); ++i)
        halves_.accesses[state.first_access + i].complete = index_of(call);
      close_active(state, true);
      state.start = no_id;
      break;
    case trace::EpochChange::opens_exposure:
      if (state.post != no_id) violation(RmaRule::double_post, event.window, call);
      if (state.fence_use != no_id) violation(RmaRule::mixed_epochs, event.window, call);
      state.post = index_of(call);
      expose(*result.epoch, state.post, state, (event.assertion & trace::assertion_noput) != 0, false);
      break;
    case trace::EpochChange::closes_exposure:
      if (result.unseen != nullptr) {
        violation(RmaRule::wait_without_post, event.window, call);
        expose(*result.unseen, index_of(call), state, false, true);
      }
      halves_.closed_exposures.insert({event.window, state.posts});
      state.post = no_id;
      break;
    case trace::EpochChange::none:
      break;
  }
}

void RuleCollector::access(const trace::WindowEpochs::Epoch& epoch, std::uint32_t call, bool is_opened) {
  for (const auto& target : epoch.partners) {
    halves_.accesses.push_back(
        AccessEpoch{epoch.window, target.rank, target.number + 1, call, is_opened ? no_id : call, no_id});
  }
}

void RuleCollector::expose(const trace::WindowEpochs::Epoch& epoch, std::uint32_t call, State& state, bool noput,
                           bool is_unseen) {
  ++state.posts;
  for (const auto& origin : epoch.partners) {
    halves_.exposures[{epoch.window, origin.rank}].push_back(
        ExposureEpoch{origin.number + 1, state.posts, call, noput, is_unseen});
  }
}

// ---- passive target --------------------------------------------------------------------------------------

void RuleCollector::on_lock(const Event& event, const OpenCall& call, State& state) {
  const bool locked_before =
      event.peer == no_id ? !state.locks.empty() : state.locks.contains(event.peer) || state.locks.contains(no_id);
  if (locked_before) violation(RmaRule::double_lock, event.window, call, event.peer);
  if (state.start != no_id || state.fence_use != no_id)
    violation(RmaRule::mixed_epochs, event.window, call, event.peer);
  epochs_.lock(event.window, event.peer, true, 0);
  state.locks[event.peer] =
      Lock{index_of(call), event.lock_exclusive, (event.assertion & trace::assertion_nocheck) == 0};
}

void RuleCollector::on_unlock(const Event& event, const OpenCall& call, State& state) {
  epochs_.lock(event.window, event.peer, false, 0);
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
  using Place = trace::WindowEpochs::Place;
  const auto place = epochs_.place(event.window, event.peer, 0);
  bool is_known = true;
  if (place.place == Place::lock || place.place == Place::lock_all) {
    const Lock& lock = state.locks[place.place == Place::lock ? event.peer : no_id];
    range.slot = EpochSlot::lock;
    range.number = state.stretches[event.peer];
    range.takes_lock = lock.is_checked;
    range.is_exclusive = lock.exclusive;
  } else if (place.place == Place::access) {
    const auto partner = static_cast<std::size_t>(place.partner - place.epoch->partners.data());
    AccessEpoch& epoch = halves_.accesses[state.first_access + partner];
    range.slot = EpochSlot::access;
    range.number = epoch.number;
    range.ends_at_target = event.kind == EventKind::put;  // what fetches is done when it is there
    if (changes && epoch.put == no_id) epoch.put = index_of(call);
  } else if (state.start != no_id) {
    violation(RmaRule::access_outside_group, event.window, call, event.peer);
    is_known = false;
  } else if (place.place == Place::fence) {
    range.slot = EpochSlot::fence;
    range.number = place.number;
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
  if (found->second.start != no_id) epochs_.change(trace::EpochChange::closes_access, window, no_id, 0);
  if (found->second.post != no_id) epochs_.change(trace::EpochChange::closes_exposure, window, no_id, 0);
  for (const auto& [target, lock] : found->second.locks) epochs_.lock(window, target, false, 0);
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
