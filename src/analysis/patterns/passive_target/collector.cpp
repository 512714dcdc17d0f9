/// What each record does to the open epochs. An attempt of an atomic operation is repeated if the next call but those
/// that end it is the same on the same place, with no more time outside MPI than the attempt took.
#include "analysis/patterns/passive_target/collector.h"

#include "trace/assertion.h"

namespace mora::analysis::passive {

using trace::Event;
using trace::EventKind;
using trace::RmaOperation;

void PassiveCollector::on_event(const Event& event, const OpenCall& call) {
  if (is_shmem(call.traits.account)) {  // patterns/shmem/
    const bool transfers =
        event.kind == EventKind::put || event.kind == EventKind::get || event.kind == EventKind::atomic;
    if (transfers && event.peer != no_id) count_transfer(event, call);
    return;
  }
  switch (event.kind) {
    case EventKind::lock_request:
      on_lock(event, call);
      break;
    case EventKind::lock_release:
      on_unlock(event, call);
      break;
    case EventKind::flush:
      on_flush(event, call);
      break;
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
      on_transfer(event, call);
      break;
    case EventKind::group_sync:
      if (event.rma_operation == RmaOperation::start) in_access_epoch_.insert(event.window);
      if (event.rma_operation == RmaOperation::complete) in_access_epoch_.erase(event.window);
      break;
    case EventKind::rma_complete:
      on_completion(event, call);
      break;
    case EventKind::recording_off:
      forget();
      break;
    default:
      break;
  }
}

/// The record of this call, made on first use; no_id outside of MPI.
std::uint32_t PassiveCollector::current(const OpenCall& call, CallKind kind) {
  if (!call.traits.is_mpi) {
    ++outside_;
    return no_id;
  }
  if (current_number_ != call.number) {
    current_number_ = call.number;
    Call made;
    made.enter = made.leave = call.enter;
    made.node = call.node;
    made.kind = kind;
    halves_.calls.push_back(made);
  }
  return static_cast<std::uint32_t>(halves_.calls.size() - 1);
}

void PassiveCollector::add_target(std::uint32_t call, std::uint32_t target) {
  Call& c = halves_.calls[call];
  c.first_target = static_cast<std::uint32_t>(halves_.targets.size());
  c.targets = 1;
  halves_.targets.push_back(target);
}

void PassiveCollector::add_targets(std::uint32_t call, const std::set<std::uint32_t>& targets) {
  Call& c = halves_.calls[call];
  c.first_target = static_cast<std::uint32_t>(halves_.targets.size());
  c.targets = static_cast<std::uint32_t>(targets.size());
  halves_.targets.insert(halves_.targets.end(), targets.begin(), targets.end());
}

void PassiveCollector::on_lock(const Event& event, const OpenCall& call) {
  const std::uint32_t index = current(call, CallKind::synchronise);
  if (index == no_id || event.window == no_id) return;
  OpenEpoch opened;
  opened.request = call.enter;
  opened.location = halves_.location;
  opened.exclusive = event.lock_exclusive;
  opened.window = event.window;
  opened.target = event.peer;
  opened.is_checked = (event.assertion & trace::assertion_nocheck) == 0;
  opened.called = std::move(spare_);
  opened.called.assign(1, index);
  if (event.peer != no_id) {
    add_target(index, event.peer);
    unflushed_[event.window].erase(event.peer);
  } else {
    unflushed_[event.window].clear();
  }
  if (!open_.request(event.window, event.peer, std::move(opened))) ++incomplete_;
  end_of_attempt(event, call, index);
}

/// Closes the epoch. Of lock_all the targets are known only now: those that were accessed; the lock call needs them,
/// too.
void PassiveCollector::on_unlock(const Event& event, const OpenCall& call) {
  const std::uint32_t index = current(call, CallKind::synchronise);
  if (index == no_id || event.window == no_id) return;
  auto ended = open_.release(event.window, event.peer, call.enter, event.time);
  if (!ended) {
    ++incomplete_;
    return;
  }
  ended->number = static_cast<std::uint32_t>(halves_.epochs.size());
  ended->called.push_back(index);
  ended->first_call = halves_.epoch_calls.size();
  ended->calls = static_cast<std::uint32_t>(ended->called.size());
  halves_.epoch_calls.insert(halves_.epoch_calls.end(), ended->called.begin(), ended->called.end());
  if (event.peer != no_id) {
    add_target(index, event.peer);
    unflushed_[event.window].erase(event.peer);
  } else {
    ended->proofs = open_.take_proofs(event.window);
    add_targets(index, ended->accessed);
    Call& lock = halves_.calls[ended->called.front()];
    lock.first_target = halves_.calls[index].first_target;
    lock.targets = halves_.calls[index].targets;
    unflushed_[event.window].clear();
  }
  spare_ = std::move(ended->called);
  halves_.epochs.push_back(std::move(*ended));
  end_of_attempt(event, call, index);
}

void PassiveCollector::on_flush(const Event& event, const OpenCall& call) {
  const std::uint32_t index = current(call, CallKind::flush);
  if (index == no_id || event.window == no_id) return;
  std::set<std::uint32_t>& unflushed = unflushed_[event.window];
  if (event.peer != no_id) {
    add_target(index, event.peer);
    if (OpenEpoch* epoch = open_.around(event.window, event.peer)) epoch->called.push_back(index);
  } else {
    add_targets(index, unflushed);
    for (auto& [key, opened] : open_) {
      if (key.first == event.window) opened.called.push_back(index);
    }
  }
  if (event.rma_operation != RmaOperation::flush_local) {
    open_.flush(event.window, event.peer);
    if (event.peer != no_id) {
      unflushed.erase(event.peer);
    } else {
      unflushed.clear();
    }
  }
  end_of_attempt(event, call, index);
}

/// A flush of the target belongs to the attempt before it: without it the result is not there. So do the unlock after
/// it and the lock before the next, unless it may be a counter: a fetch that adds, in a lock epoch of its own.
void PassiveCollector::end_of_attempt(const Event& event, const OpenCall& call, std::uint32_t index) {
  if (attempt_.call == no_id || call.number != attempt_.number + 1 || event.window != attempt_.window) return;
  if (event.peer != attempt_.target && event.peer != no_id) return;
  if (event.kind != EventKind::flush && !attempt_.is_no_counter) return;
  attempt_.number = call.number;
  attempt_.between.push_back(index);
}

void PassiveCollector::count_transfer(const Event& event, const OpenCall& call) {
  TransferCount& count = halves_.transfers[call.node];
  ++count.operations;
  count.bytes += static_cast<std::int64_t>(event.bytes + (event.kind == EventKind::atomic ? event.received : 0));
}

bool PassiveCollector::is_request_based(trace::RegionId region) const {
  return region < is_request_based_.size() && is_request_based_[region];
}

/// MPI_Get_accumulate is one if it fetches no more than MPI_Fetch_and_op can: one element. What comes with a request is
/// waited for by it (request-completion).
bool PassiveCollector::is_attempt(const Event& event, const OpenCall& call) const {
  constexpr std::uint64_t largest_element = 16;  // MPI_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX
  if (event.kind != EventKind::atomic || is_request_based(call.region)) return false;
  return event.rma_operation != RmaOperation::get_accumulate || event.received <= largest_element;
}

/// An access of a lock epoch, or an atomic operation that may be an attempt of a loop.
void PassiveCollector::on_transfer(const Event& event, const OpenCall& call) {
  if (event.peer == no_id) return;  // MPI_PROC_NULL, or nothing is known of it
  count_transfer(event, call);
  if (event.window == no_id) return;
  OpenEpoch* epoch = open_.around(event.window, event.peer);
  // An access epoch of active target ends before the result is there: nothing to spin on (early-transfer has the rule).
  const bool may_retry = is_attempt(event, call) && (epoch != nullptr || !in_access_epoch_.contains(event.window));
  if (epoch == nullptr && !may_retry) return;  // active target
  const std::uint32_t index = current(call, CallKind::data);
  if (index == no_id) return;
  if (epoch != nullptr) {
    add_target(index, event.peer);
    open_.access(event.window, event.peer);
    epoch->called.push_back(index);
    if (epoch->target == no_id) epoch->accessed.insert(event.peer);
    unflushed_[event.window].insert(event.peer);
    if (is_request_based(call.region)) open_requests_[event.request] = event.peer;
  }
  if (keeps_changes_ && event.kind != EventKind::get && event.reduction != trace::Reduction::no_op) {
    halves_.changes.push_back({{event.window, event.peer, event.target_offset}, index});
  }
  if (may_retry) follow_attempt(event, call, index);
}

/// Whether this attempt repeats the last one; then that one was a retry.
void PassiveCollector::follow_attempt(const Event& event, const OpenCall& call, std::uint32_t index) {
  const Attempt& last = attempt_;
  const bool repeats = last.call != no_id && call.number == last.number + 1 && event.window == last.window &&
                       event.peer == last.target && event.target_offset == last.offset && call.region == last.region &&
                       call.enter - last.leave <= last.leave - last.enter;
  if (repeats) {
    halves_.calls[last.call].is_retry = true;
    for (const std::uint32_t between : last.between) halves_.calls[between].is_retry = true;
    if (!last.is_repeated) halves_.loops.push_back({{last.window, last.target, last.offset}, last.call, index, 0});
    halves_.loops.back().last = index;
  }
  attempt_ = Attempt();
  attempt_.is_repeated = repeats;
  attempt_.window = event.window;
  attempt_.target = event.peer;
  attempt_.offset = event.target_offset;
  attempt_.region = call.region;
  attempt_.call = index;
  attempt_.is_no_counter = event.rma_operation == RmaOperation::compare_and_swap ||
                           event.reduction == trace::Reduction::replace || event.reduction == trace::Reduction::no_op;
  attempt_.number = call.number;
  attempt_.enter = attempt_.leave = call.enter;
}

void PassiveCollector::on_completion(const Event& event, const OpenCall& call) {
  if (call.traits.account != Account::point_to_point) return;
  const auto found = open_requests_.find(event.request);
  if (found == open_requests_.end()) return;
  completing_ = call.number;
  completed_.insert(found->second);
  open_requests_.erase(found);
}

/// A wait is a call; a loop of tests is one for each of its stretches, a test alone none.
void PassiveCollector::complete_requests(const OpenCall& call, Nanoseconds leave) {
  std::vector<TimeInterval> waits;
  if (!call.traits.is_test) waits.push_back({call.enter, leave});
  if (call.polled != nullptr) waits = *call.polled;
  for (const TimeInterval& wait : waits) {
    Call made;
    made.enter = wait.begin;
    made.leave = wait.end;
    made.node = call.node;
    made.kind = CallKind::request;
    made.account = first_kind(call.completes);
    made.is_mixed = is_mixed(call.completes, completes_transfer);
    made.goes_on = &wait != waits.data();
    made.is_broken = call.is_broken;
    halves_.calls.push_back(made);
    add_targets(static_cast<std::uint32_t>(halves_.calls.size() - 1), completed_);
  }
  completed_.clear();
}

void PassiveCollector::on_leave(const OpenCall& call, Nanoseconds leave) {
  if (!completed_.empty() && completing_ == call.number) complete_requests(call, leave);
  if (attempt_.call != no_id && attempt_.number == call.number) {
    attempt_.leave = leave;
    if (attempt_.is_repeated) halves_.loops.back().success = leave;
  }
  if (halves_.calls.empty() || call.number != current_number_) return;
  const auto index = static_cast<std::uint32_t>(halves_.calls.size() - 1);
  Call& c = halves_.calls[index];
  c.leave = leave;
  c.is_broken = call.is_broken;
  open_.leave(leave);
}

/// What follows is not known to belong to what was open.
void PassiveCollector::forget() {
  incomplete_ += open_.forget();
  unflushed_.clear();
  open_requests_.clear();
  completed_.clear();
  attempt_ = Attempt();
  in_access_epoch_.clear();
}

void PassiveCollector::finish(Nanoseconds) {
  forget();
  const std::string& where = context_.definitions.locations[halves_.location].name;
  context_.quality.add(
      "incomplete-lock-epoch", mora::Severity::warning, where, incomplete_,
      "the lock or the unlock of an epoch is not in the trace; no waiting was computed for it",
      "normal at the end of a killed job; otherwise switch recording off and on outside of lock epochs");
  context_.quality.add("event-outside-call", mora::Severity::warning, where, outside_,
                       "a message or collective record is not inside an MPI call of its kind and was ignored",
                       "record with Mora or Score-P 8, which put these records inside the region of their call");
}

}  // namespace mora::analysis::passive
