/// The location's stack and time: which time is kept and which is dropped. What calls do: action_collector_calls.cpp.
#include "replay/actions/action_collector.h"

#include <algorithm>

#include "replay/actions/collective_needs.h"
#include "trace/assertion.h"

namespace mora::replay {

using mpi::CallClass;
using mpi::FunctionId;
using trace::Event;
using trace::EventKind;

ActionCollector::ActionCollector(const trace::Source& source, trace::LocationId location, const LocationActions* master,
                                 bool threads, Actions& actions)
    : source_(source),
      definitions_(source.definitions()),
      location_(location),
      rank_(definitions_.locations[location].rank),
      factor_(actions.collecting.factor_of(location)),
      master_(master),
      actions_(actions),
      into_(actions.locations[location]),
      ends_(definitions_, location, threads, [this](const trace::PostingOrder::Receive& receive) {
        if (error_) return;  // a spool that failed must not be appended to
        if (auto done = actions_.postings.append(location_, {receive.sequence, receive.serial}); !done)
          error_ = done.error();
      }) {
  into_.nodes.resize(1);
  if (master_ != nullptr) into_.join_signals.resize(master_->joins.size(), 0);
}

// ---- actions and time

void ActionCollector::append(const Action& action) {
  if (error_) return;
  ++added_;
  if (auto done = actions_.actions.append(location_, action); !done) error_ = done.error();
}

void ActionCollector::append(const std::vector<std::uint32_t>& partners) {
  for (const std::uint32_t word : partners) {
    if (error_) return;
    if (auto done = actions_.partners.append(location_, word); !done) error_ = done.error();
  }
}

/// Appends an action with the time since the last one. A pending probe goes in front of a receive that follows
/// directly.
void ActionCollector::emit(Action action, const Detail& detail) {
  action.kept = kept_;
  if (action.kind != ActionKind::fork_wait && action.kind != ActionKind::io_arrive) action.dropped = dropped_;
  action.node = node_;
  kept_ = dropped_ = 0;
  if (!stack_.empty()) {
    if (stack_.back().has_acted) action.flags |= same_call;
    stack_.back().has_acted = true;
  }
  if (probe_) {
    if (action.kind == ActionKind::receive) {
      append(*probe_);
    } else {
      // Something was between the probe and a receive: whose message it found is not known.
      action.kept += probe_->kept;
    }
    probe_.reset();
  }
  append(action);
  if (!actions_.collecting.detailed || !has_detail(action.kind) || error_) return;
  if (auto done = actions_.details.append(location_, detail); !done) error_ = done.error();
}

void ActionCollector::emit(ActionKind kind, std::uint32_t key, std::uint32_t serial, const Detail& detail,
                           std::uint8_t flags) {
  Action action;
  action.flags = flags;
  action.kind = kind;
  action.key = key;
  action.serial = serial;
  emit(action, detail);
}

/// Appends it when the innermost region is left: what the call waits for at its end (a synchronous send, a lock).
void ActionCollector::emit_at_leave(ActionKind kind, std::uint32_t key, std::uint32_t serial, const Detail& detail) {
  if (stack_.empty()) return emit(kind, key, serial, detail);
  Action action;
  action.kind = kind;
  action.key = key;
  action.serial = serial;
  late_.emplace_back(action, detail);
  ++stack_.back().late;
}

/// Gives the time since the event before to what the location was doing.
void ActionCollector::pass_time(Nanoseconds time) {
  const Nanoseconds amount = time - last_;
  last_ = time;
  if (amount == 0 || (overhead_ && !unrecorded_)) return;
  if (actions_.collecting.detailed) into_.nodes[node_].recorded += amount;
  if (stack_.empty() && master_ != nullptr && !master_->forks.empty()) {
    idle_ += amount;
  } else if (unrecorded_ || stack_.empty() || stack_.back().pace == Pace::kept) {
    const Nanoseconds kept = kept_of(amount);
    kept_ += kept;
    into_.nodes[node_].own += kept;
  } else {
    dropped_ += amount;
  }
}

/// Computation takes as long as it took, or a multiple of it; what passes in MPI calls is no computation.
Nanoseconds ActionCollector::kept_of(Nanoseconds amount) const {
  const std::uint64_t factor = factor_;
  if (factor == 1'000'000 || in_call() || (!stack_.empty() && stack_.back().is_inside)) return amount;
  const auto scaled = static_cast<unsigned __int128>(static_cast<std::uint64_t>(amount)) * factor / 1'000'000;
  return static_cast<Nanoseconds>(std::min<unsigned __int128>(scaled, INT64_MAX / 4));
}

SequenceTraits& ActionCollector::traits(std::uint32_t key) {
  if (key >= into_.traits.size()) into_.traits.resize(key + 1);
  return into_.traits[key];
}

std::uint32_t ActionCollector::child(std::uint32_t parent, trace::RegionId region, std::uint32_t interval) {
  const std::pair key{parent, std::pair{region, interval}};
  if (last_child_ != 0 && key == last_child_key_) return last_child_;
  const auto [at, is_new] = children_.try_emplace(key, static_cast<std::uint32_t>(into_.nodes.size()));
  if (is_new) into_.nodes.push_back({parent, region, interval, 0, 0});
  last_child_key_ = key;
  return last_child_ = at->second;
}

// ---- regions

/// Opens a region. Time in MPI calls that communicate is dropped (Pace), in all others kept; regions inside calls
/// belong to the call.
void ActionCollector::enter(const Event& e) {
  if (stack_.empty() && master_ != nullptr) outermost_enter(e.time);
  Frame frame;
  frame.region = e.region;
  frame.enter = e.time;
  frame.is_inside = in_call() || (!stack_.empty() && stack_.back().is_inside);
  const trace::Region* region =
      e.interval == 0 && e.region < definitions_.regions.size() ? &definitions_.regions[e.region] : nullptr;
  if (region != nullptr && region->kind == trace::RegionKind::mpi) {
    const mpi::Function& function = trace::function_of(*region);
    frame.call = function.call == CallClass::none ? CallClass::other : function.call;
    frame.synchronous = function.id == FunctionId::ssend || function.id == FunctionId::issend;
    frame.buffered = function.id == FunctionId::bsend || function.id == FunctionId::ibsend;
    frame.makes_request = function.makes_request;
    frame.window_call = window_call_of(function);
    frame.probes = function.call == CallClass::probe && function.form == mpi::Form::blocking;
    // What only this process does, and files, last what they lasted.
    const bool is_local = frame.call == CallClass::other || frame.call == CallClass::file ||
                          frame.call == CallClass::collective_setup || frame.call == CallClass::window_attach ||
                          (actions_.collecting.detailed && frame.call == CallClass::init);
    frame.pace = is_local ? Pace::kept : Pace::dropped;
    // Waiting for others to start or end MPI stands by itself: it is outside of the focus of analysis.
    const bool is_apart =
        frame.call == CallClass::init || frame.call == CallClass::finalize || actions_.collecting.detailed;
    frame.node = is_apart && !frame.is_inside ? child(node_, e.region, e.interval) : node_;
    if (frame.call == CallClass::finalize && !finalizes_) {
      finalizes_ = true;
      into_.finalize = e.time;
    }
  } else if (frame.is_inside) {
    frame.node = node_;  // a user's reduction: its time is the call's, but not the network's
  } else {
    frame.node = child(node_, e.region, e.interval);
  }
  node_ = frame.node;
  if (!frame.is_inside) ++into_.nodes[node_].visits;
  stack_.push_back(frame);
}

/// Ends a region: late actions first, then what the call as a whole does (MPI_Init, MPI_Finalize, a blocking probe).
void ActionCollector::leave(const Event& e) {
  if (stack_.empty()) return;
  Frame& frame = stack_.back();
  if (io_ && io_->depth == stack_.size()) io_.reset();
  if (frame.call != CallClass::none) locks_.leave(e.time);
  const std::size_t first = late_.size() - frame.late;
  for (std::size_t i = first; i < late_.size(); ++i) {
    const auto& [action, detail] = late_[i];
    if (action.kind == ActionKind::lock) into_.locks[action.serial].granted_by = e.time;
    if (action.kind == ActionKind::unlock) into_.locks[action.serial].release_leave = e.time;
    emit(action, detail);
  }
  late_.resize(first);
  if (frame.call == CallClass::communicator && !frame.met_others && e.interval == 0) ++into_.unrecorded_partners;
  if (frame.call == CallClass::init && !actions_.collecting.detailed) whole_program(trace::SequenceKind::init);
  if (frame.call == CallClass::finalize) whole_program(trace::SequenceKind::finalize);
  if (frame.probes && e.interval == 0 && !error_) {
    Action probe;
    probe.kind = ActionKind::probe;
    probe.kept = kept_;
    probe.dropped = dropped_;
    probe.node = node_;
    if (probe_) probe.kept += probe_->kept;
    kept_ = dropped_ = 0;
    probe_ = probe;
  }
  if (frame.call != CallClass::none && !frame.is_inside)
    dropped_ = 0;  // what passes in a call after its last action is not waited for
  stack_.pop_back();
  node_ = stack_.empty() ? 0 : stack_.back().node;
  if (stack_.empty() && master_ != nullptr) outermost_leave(e.time);
}

/// A thread of a team begins where the fork puts it; it only idles between two teams.
void ActionCollector::outermost_enter(Nanoseconds time) {
  const auto& forks = master_->forks;
  if (forks.empty()) return;
  const auto after = std::upper_bound(forks.begin(), forks.end(), time);
  const auto fork = after == forks.begin() ? no_id : static_cast<std::uint32_t>(after - forks.begin() - 1);
  if (fork == no_id || fork == last_fork_) {
    kept_ += idle_;
    into_.nodes[0].own += idle_;
  } else {
    last_fork_ = fork;
    Action action;
    action.kind = ActionKind::fork_wait;
    action.serial = fork;
    action.dropped = time - forks[fork];
    emit(action);
  }
  idle_ = 0;
}

/// A thread's part of a team ends: the join waits for it.
void ActionCollector::outermost_leave(Nanoseconds time) {
  const auto& joins = master_->joins;
  const auto at = std::lower_bound(joins.begin(), joins.end(), time);
  if (at == joins.end() || last_fork_ == no_id) return;
  const auto join = static_cast<std::uint32_t>(at - joins.begin());
  ++into_.join_signals[join];
  emit(ActionKind::join_signal, no_id, join);
}

// ---- events

void ActionCollector::on_event(const Event& e) {
  take(e);
  if (actions_.collecting.places == nullptr || error_) return;
  // A probe is an action only when it is known what it found: until then it takes no time.
  const EventPlace place{kept_ + (probe_ ? probe_->kept : 0), added_};
  added_ = 0;
  if (auto done = actions_.collecting.places->append(location_, place); !done) error_ = done.error();
}

void ActionCollector::take(const Event& e) {
  if (!started_) {
    started_ = true;
    into_.begin = last_ = e.time;
    into_.was_read = true;
  }
  pass_time(e.time);
  switch (e.kind) {
    case EventKind::enter:
      return enter(e);
    case EventKind::leave:
      return leave(e);
    case EventKind::send:
      return send(e, false);
    case EventKind::send_request:
      return send(e, true);
    case EventKind::send_complete: {
      const trace::SequenceEnd sent = ends_.send_complete(e);
      if (!sent.exists()) return;
      const Requested& requested = requested_[ends_.place()];
      if (requested.waits) emit(ActionKind::await_posted, sent.sequence, sent.serial, requested.detail);
      return;
    }
    case EventKind::receive:
    case EventKind::receive_complete:
      return receive(e);
    case EventKind::receive_request: {
      ends_.post(e, enter_time());
      const bool probed = in_call() && stack_.back().call == CallClass::matched_probe;
      return emit(probed ? ActionKind::post_matched : ActionKind::post, no_id, 0);
    }
    case EventKind::cancelled:
      return ends_.cancel(e);
    case EventKind::collective_end:
      return collective_end(e);
    case EventKind::collective_request:
      return collective_request(e);
    case EventKind::collective_complete: {
      const auto begun = collectives_.find(e.request);
      if (begun == collectives_.end()) return;
      emit(begun->second.collect, begun->second.detail);
      append(begun->second.partners);
      collectives_.erase(begun);
      return;
    }
    case EventKind::rma_collective_end:
      return window_collective(e);
    case EventKind::group_sync:
      return group_sync(e);
    case EventKind::lock_request:
      return lock_request(e);
    case EventKind::lock_release:
      return lock_release(e);
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
      if (in_call()) locks_.access(e.window, e.peer);
      return transfer(e);
    case EventKind::rma_complete:
      return request_transferred(e);
    case EventKind::flush:
      if (in_call() && e.rma_operation != trace::RmaOperation::flush_local) locks_.flush(e.window, e.peer);
      return transferred(e.window, e.peer, e.rma_operation != trace::RmaOperation::flush_local, false,
                         in_call() ? stack_.back().window_call : WindowCall::none);
    case EventKind::io_begin:
      return io_begin(e);
    case EventKind::io_end:
      return io_end(e);
    case EventKind::fork:
      if (master_ != nullptr) return;
      into_.forks.push_back(e.time);
      return emit(ActionKind::fork, no_id, forks_++);
    case EventKind::join:
      if (master_ != nullptr) return;
      into_.joins.push_back(e.time);
      return emit(ActionKind::join, no_id, joins_++);
    case EventKind::recording_off:
    case EventKind::recording_on:
      ends_.recording(e.kind);
      unrecorded_ = !ends_.gaps().is_recording();
      locks_.forget();
      return;
    case EventKind::overhead_begin:
      overhead_ = true;
      return;
    case EventKind::overhead_end:
      overhead_ = false;
      return;
    default:
      return;
  }
}

Result<void> ActionCollector::finish() {
  into_.sequences = ends_.finish();
  into_.sequences.shrink_to_fit();  // they may lie there for long
  into_.traits.shrink_to_fit();
  into_.locks.shrink_to_fit();
  if (!finalizes_) into_.finalize = last_;
  emit(ActionKind::end, no_id, 0);
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace mora::replay
