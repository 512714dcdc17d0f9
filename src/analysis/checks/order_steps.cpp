/// Idea: what MPI's rules let a program rely on becomes a step, and where the trace does not tell for whom a call
/// waited the step is `anything`: too much order hides a conflict, too little invents one.
///
/// Locks: an epoch publishes what it did when its unlock is entered, and takes over what conflicting epochs published
/// before its own lock, flush or unlock returns, whichever of them its library blocks in. Atomics on one place are
/// taken as release and acquire: whoever sees the result of one comes after those that had begun. Fences and
/// MPI_Win_complete end an epoch where they are entered, so that their links carry what they complete. Source: MPI-3.1,
/// 11.5 to 11.7; Mora's rule conflicting-access.
#include "analysis/checks/order_steps.h"

#include <algorithm>
#include <optional>

#include "trace/assertion.h"
#include "trace/mpi_function.h"

namespace mora::analysis::checks {

using trace::Event;
using trace::EventKind;
using trace::FunctionId;
using trace::no_id;
using trace::RmaOperation;

namespace {

/// Returns only if others did something that no record links it with.
bool may_wait_for_anything(const mpi::Function& f) {
  switch (f.call) {
    case mpi::CallClass::probe:
    case mpi::CallClass::matched_probe:
    case mpi::CallClass::communicator:
      return true;
    case mpi::CallClass::file:
      return f.by_all;
    default:
      return f.standard == FunctionId::ssend;
  }
}

bool ends_active_epoch(FunctionId function) {
  return function == FunctionId::win_fence || function == FunctionId::win_complete;
}

}  // namespace

bool is_rule_record(EventKind kind) {
  switch (kind) {
    case EventKind::rma_collective_end:
    case EventKind::window_free:
    case EventKind::group_sync:
    case EventKind::lock_request:
    case EventKind::lock_release:
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
    case EventKind::flush:
    case EventKind::rma_complete:
    case EventKind::recording_off:
      return true;
    default:
      return false;
  }
}

StepCollector::StepCollector(const trace::Definitions& definitions, trace::LocationId location, bool follows_updates,
                             std::vector<std::uint32_t> issued, std::vector<std::uint32_t> completed,
                             Spool<OrderStep>& steps)
    : definitions_(definitions),
      location_(location),
      follows_updates_(follows_updates),
      issued_(std::move(issued)),
      completed_(std::move(completed)),
      steps_(steps) {}

void StepCollector::add(OrderStep step) {
  step.ordinal = ordinal_;
  if (is_delaying_) {
    delayed_.push_back(step);
  } else {
    spool(step);
  }
}

void StepCollector::spool(const OrderStep& step) {
  if (auto kept = steps_.append(location_, step); !kept && !error_) error_ = kept.error();
}

void StepCollector::add(StepKind kind, Nanoseconds time, std::uint32_t index) {
  OrderStep step;
  step.time = time;
  step.kind = kind;
  step.index = index;
  add(step);
}

/// A call is entered that may complete accesses: that is before its links, but only a record in it tells.
void StepCollector::delay(Nanoseconds time, trace::RegionId region) {
  if (region >= definitions_.regions.size()) return;
  if (!ends_active_epoch(trace::function_of(definitions_.regions[region]).standard)) return;
  release();
  is_delaying_ = true;
  first_delayed_.time = time;
  first_delayed_.kind = StepKind::complete;
  first_delayed_.ordinal = ordinal_ == 0 ? 0 : ordinal_ - 1;  // links come before steps of the same event
}

void StepCollector::release() {
  is_delaying_ = false;
  for (const OrderStep& step : delayed_) spool(step);
  delayed_.clear();
}

/// The tracked accesses that are issued or complete at this record.
void StepCollector::count(const Event& event) {
  if (!is_rule_record(event.kind)) return;
  ++records_;
  if (next_completed_ < completed_.size() && completed_[next_completed_] == records_) {
    if (is_delaying_ && (event.kind == EventKind::rma_collective_end || event.kind == EventKind::group_sync)) {
      first_delayed_.index = records_;
      delayed_.insert(delayed_.begin(), first_delayed_);
    } else {
      add(StepKind::complete, enter_time(), records_);
    }
    ++next_completed_;
  }
  if (next_issued_ < issued_.size() && issued_[next_issued_] == records_) {
    add(StepKind::issue, event.time, static_cast<std::uint32_t>(next_issued_));
    ++next_issued_;
  }
}

void StepCollector::on_event(const Event& event) {
  last_ = event.time;
  count(event);
  switch (event.kind) {
    case EventKind::enter:
      stack_.push_back({event.time, event.region});
      delay(event.time, event.region);
      break;
    case EventKind::group_sync:
      if (event.epoch_closed &&
          (event.rma_operation == RmaOperation::wait || event.rma_operation == RmaOperation::test)) {
        OrderStep step;
        step.time = event.time;
        step.kind = StepKind::exposed;
        step.window = event.window;
        add(step);
      }
      break;
    case EventKind::leave:
      leave(event.time);
      release();
      break;
    case EventKind::recording_on:
      add(StepKind::anything, event.time);
      break;
    case EventKind::recording_off:
      held_.clear();
      under_way_.clear();
      break;
    case EventKind::send_request:
      if (!stack_.empty() && stack_.back().region < definitions_.regions.size() &&
          trace::function_of(definitions_.regions[stack_.back().region]).blocking == FunctionId::ssend) {
        synchronous_.insert(event.request);
      }
      break;
    case EventKind::collective_request:
      if (event.comm == no_id) unnamed_.insert(event.request);  // archives tell it at the completion: no link
      break;
    case EventKind::collective_complete:
      if (unnamed_.erase(event.request) > 0) waits_for_anything_ = true;
      break;
    case EventKind::send_complete:
      if (synchronous_.erase(event.request) > 0) waits_for_anything_ = true;
      break;
    case EventKind::put:
    case EventKind::atomic:
      atomic(event);
      break;
    case EventKind::rma_complete:
      for (const auto& [place, number] : under_way_) {
        if (number == event.request) done_.insert(place);
      }
      break;
    case EventKind::lock_request:
      if ((event.assertion & trace::assertion_nocheck) != 0 || event.window == no_id) break;
      held_[{event.window, event.peer}] = event.lock_exclusive;
      asked_[{event.window, event.peer}] = event.lock_exclusive;
      break;
    case EventKind::lock_release:
    case EventKind::flush:
      for (const auto& [place, number] : under_way_) {
        if (place.window == event.window && (event.peer == no_id || place.target == event.peer)) done_.insert(place);
      }
      for (const auto& [lock, exclusive] : held_) {
        const bool is_meant = event.kind == EventKind::lock_release
                                  ? lock.target == event.peer
                                  : event.peer == no_id || lock.target == no_id || lock.target == event.peer;
        if (lock.window == event.window && is_meant) asked_[lock] = exclusive;
      }
      if (event.kind == EventKind::flush) break;
      if (const auto lock = held_.find({event.window, event.peer}); lock != held_.end()) {
        OrderStep step;
        step.time = enter_time();
        step.kind = StepKind::unlock;
        step.window = event.window;
        step.target = event.peer;
        step.is_exclusive = lock->second;
        add(step);
        held_.erase(lock);
      }
      break;
    default:
      break;
  }
  ++ordinal_;
}

void StepCollector::atomic(const Event& event) {
  if (event.window == no_id || event.peer == no_id) return;
  OrderStep step;
  step.time = enter_time();
  step.window = event.window;
  step.target = event.peer;
  step.offset = event.target_offset;
  if (event.kind == EventKind::atomic || event.rma_operation == RmaOperation::accumulate) {
    step.kind = StepKind::atomic;
    add(step);
    if (event.kind == EventKind::atomic) under_way_[{event.window, event.peer, event.target_offset}] = event.request;
  }
  if (!follows_updates_) return;
  step.kind = StepKind::update;
  add(step);
}

void StepCollector::leave(Nanoseconds time) {
  const trace::RegionId region = stack_.empty() ? no_id : stack_.back().region;
  if (!stack_.empty()) stack_.pop_back();
  for (const auto& [lock, exclusive] : asked_) {
    OrderStep step;
    step.time = time;
    step.kind = StepKind::lock;
    step.window = lock.window;
    step.target = lock.target;
    step.is_exclusive = exclusive;
    add(step);
  }
  asked_.clear();
  for (const Place& place : done_) {
    OrderStep step;
    step.time = time;
    step.kind = StepKind::fetched;
    step.window = place.window;
    step.target = place.target;
    step.offset = place.offset;
    add(step);
    under_way_.erase(place);
  }
  done_.clear();
  if (region >= definitions_.regions.size()) return;
  const mpi::Function& function = trace::function_of(definitions_.regions[region]);
  if (waits_for_anything_ || may_wait_for_anything(function)) add(StepKind::anything, time);
  if (follows_updates_ && function.standard == FunctionId::win_sync) add(StepKind::look, time);
  waits_for_anything_ = false;
}

Result<void> StepCollector::finish() {
  release();
  ++records_;  // what is never completed, RuleCollector::finish()
  if (next_completed_ < completed_.size()) add(StepKind::complete, last_, completed_[next_completed_]);
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace mora::analysis::checks
