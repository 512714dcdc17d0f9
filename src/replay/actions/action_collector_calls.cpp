/// What calls do: messages, collectives, windows, files. The k-th call of a sequence is its k-th action, so that ends
/// find each other by number.
#include <algorithm>

#include "replay/actions/action_collector.h"
#include "replay/actions/collective_needs.h"
#include "trace/assertion.h"

namespace mora::replay {

using trace::CallClass;
using trace::Collective;
using trace::Event;
using trace::EventKind;
using trace::RmaOperation;

// ---- messages

/// `requested`: non-blocking. A synchronous send also waits for its receive: at its own end, or where it is completed.
void ActionCollector::send(const Event& e, bool requested) {
  const trace::SequenceEnd end = ends_.send(e, enter_time());
  if (!end.exists()) return;
  const bool synchronous = !stack_.empty() && stack_.back().synchronous;
  Detail detail;
  detail.bytes = e.bytes;
  detail.peer = e.peer;
  detail.synchronous = synchronous;
  const bool buffered = !stack_.empty() && stack_.back().buffered;
  emit(ActionKind::send, end.sequence, end.serial, detail, synchronous ? awaits_receive : buffered ? is_buffered : 0);
  if (synchronous) traits(end.sequence).synchronous = true;
  const bool detailed = actions_.collecting.detailed && !buffered;
  if (actions_.collecting.detailed) {
    SequenceTraits& channel = traits(end.sequence);
    channel.longest = std::max(channel.longest, e.bytes);
  }
  if (requested) {
    if (ends_.place() >= requested_.size()) requested_.resize(ends_.place() + 1);
    requested_[ends_.place()] = {detail, synchronous || detailed};
  } else if (synchronous || detailed) {
    emit_at_leave(ActionKind::await_posted, end.sequence, end.serial, detail);
  }
}

/// The completion of a non-blocking receive, or one that is posted and complete at once.
void ActionCollector::receive(const Event& e) {
  const auto received = ends_.receive(e, enter_time());
  if (received.sequence == no_id) return;
  Detail detail;
  detail.bytes = e.bytes;
  detail.peer = e.peer;
  if (received.posting)
    emit(ActionKind::complete, received.sequence, *received.posting, detail);
  else
    emit(ActionKind::receive, received.sequence, 0, detail);
}

// ---- collectives

/// The members of a collective whose data this one gets, if the call recorded it and they are not all.
bool ActionCollector::read_partners(const Event& e, std::vector<std::uint32_t>& partners) const {
  if (e.vector == no_id) return false;
  const trace::Communicator& comm = definitions_.communicators[e.comm];
  if (comm.inter()) return false;
  const std::uint64_t n = comm.members.size();
  const std::vector<std::uint64_t> counts = source_.vector(location_, e.vector);
  std::vector<std::uint32_t> found;
  const auto add = [&](std::uint64_t position, std::uint64_t bytes) {
    if (bytes > 0 && position < n && comm.members[position] != rank_)
      found.push_back(static_cast<std::uint32_t>(position));
  };
  if (e.collective == Collective::alltoallv || e.collective == Collective::alltoallw) {
    if (counts.size() != 2 * n) return false;
    for (std::uint64_t i = 0; i < n; ++i) add(i, counts[n + i]);
  } else if (mpi::is_neighborhood(e.collective)) {
    const std::uint64_t destinations = counts.empty() ? 0 : counts[0];
    if (destinations > n || counts.size() < 2 * destinations + 2) return false;
    const std::uint64_t at = 2 * destinations + 1;
    if (counts[at] > n || counts.size() != at + 1 + 2 * counts[at]) return false;
    for (std::uint64_t i = 0; i < counts[at]; ++i) add(counts[at + 1 + 2 * i], counts[at + 2 + 2 * i]);
  } else {
    return false;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() + 1 == n) return false;
  partners.push_back(static_cast<std::uint32_t>(found.size()));
  partners.insert(partners.end(), found.begin(), found.end());
  return true;
}

/// What a member does in a collective and whose data it needs; nothing for communicators of one process.
std::optional<ActionCollector::OpenCollective> ActionCollector::collective(const Event& e) {
  if (e.comm == no_id || e.comm >= definitions_.communicators.size()) return {};
  if (!stack_.empty()) stack_.back().met_others = true;
  if (e.collective == Collective::init || e.collective == Collective::finalize) return {};
  const trace::Communicator& comm = definitions_.communicators[e.comm];
  if (comm.self || (comm.members.size() < 2 && !comm.inter())) return {};
  OpenCollective open;
  open.detail.bytes = e.bytes;
  open.detail.received = e.received;
  open.detail.peer = e.root;
  open.detail.comm = e.comm;
  open.detail.vector = e.vector;
  open.detail.collective = e.collective;
  Action& action = open.collect;
  const trace::SequenceEnd end = ends_.collective(e, enter_time());
  action.kind = ActionKind::collective;
  action.key = end.sequence;
  action.serial = end.serial;
  if (needs_positions(e.collective)) traits(end.sequence).needs_positions = true;
  const bool is_root = e.root == rank_;
  const bool has_root =
      std::find(comm.members.begin(), comm.members.end(), e.root) != comm.members.end() ||
      std::find(comm.remote_members.begin(), comm.remote_members.end(), e.root) != comm.remote_members.end();
  action.need = need_of(e.collective, is_root, has_root, e.received > 0);
  action.flags = static_cast<std::uint8_t>((e.bytes > 0 ? member_sends : 0) | (is_root ? member_is_root : 0));
  if (action.need == Need::senders && read_partners(e, open.partners))
    action.need = open.partners[0] == 0 ? Need::nobody : Need::partners;
  if (action.need == Need::root) open.partners = {1, e.root};
  if (action.need != Need::partners && action.need != Need::root) open.partners.clear();
  return open;
}

void ActionCollector::collective_end(const Event& e) {
  const auto open = collective(e);
  if (!open) return;
  emit(open->collect, open->detail);
  append(open->partners);
}

/// A non-blocking collective arrives at its start and is collected at its completion.
void ActionCollector::collective_request(const Event& e) {
  auto open = collective(e);
  if (!open) return;
  Action arrival = open->collect;
  arrival.kind = ActionKind::arrive;
  arrival.need = Need::nobody;
  emit(arrival, open->detail);
  open->collect.kind = ActionKind::collect;
  collectives_[e.request] = std::move(*open);
}

/// MPI_Init and MPI_Finalize: all ranks that call it, all for all.
void ActionCollector::whole_program(trace::SequenceKind kind) {
  const trace::SequenceEnd end = ends_.member({kind}, enter_time());
  Action action;
  action.kind = ActionKind::collective;
  action.key = end.sequence;
  action.serial = end.serial;
  action.need = Need::all;
  emit(action);
}

// ---- one-sided communication

/// Creation, fences and free of a window.
void ActionCollector::window_collective(const Event& e) {
  // Of other libraries' calls with windows (SHMEM) the recorded time is kept.
  if (e.window >= definitions_.windows.size() || !in_call()) return;
  const trace::CommId comm = definitions_.windows[e.window].comm;
  if (comm < definitions_.communicators.size() &&
      (definitions_.communicators[comm].self || definitions_.communicators[comm].members.size() == 1))
    return;
  const trace::SequenceEnd end = ends_.collective(e, enter_time());
  Action action;
  action.kind = ActionKind::collective;
  action.key = end.sequence;
  action.serial = end.serial;
  // A fence that ends no epoch need not wait for anybody (MPI-3.1, 11.5.1).
  const bool waits = e.rma_operation != RmaOperation::fence || (e.assertion & trace::assertion_noprecede) == 0;
  action.need = waits ? Need::all : Need::nobody;
  Detail detail;
  detail.comm = comm;  // also where the others' fence waits, though all must assert the same
  if (waits) {
    if (e.rma_operation != RmaOperation::win_create) transferred(e.window, no_id);
    detail.collective = Collective::barrier;
    detail.window_call = stack_.back().window_call;
  }
  emit(action, detail);
}

/// A transfer that costs something.
void ActionCollector::transfer(const Event& e) {
  if (!actions_.collecting.detailed || !in_call() || e.window == no_id || e.peer >= definitions_.world_size) return;
  Detail detail;
  detail.peer = e.peer;
  detail.comm = e.window;
  detail.replies = e.kind != EventKind::put;
  if (e.kind != EventKind::get) detail.bytes = e.bytes;
  if (detail.replies) detail.received = e.received;
  detail.window_call = stack_.back().window_call;
  if (stack_.back().makes_request) detail.vector = static_cast<std::uint32_t>(e.request);
  emit(ActionKind::transfer, no_id, 0, detail);
}

/// The call waits for the transfers to `target` (no_id: to all), and costs what `then` says. `at_leave`: as what it
/// does behind that.
void ActionCollector::transferred(trace::WindowId window, std::uint32_t target, bool at_target, bool at_leave,
                                  WindowCall then) {
  if (!actions_.collecting.detailed || !in_call() || window == no_id) return;
  Detail detail;
  detail.peer = target;
  detail.comm = window;
  detail.replies = at_target;
  detail.window_call = then;
  if (at_leave)
    emit_at_leave(ActionKind::transferred, no_id, 0, detail);
  else
    emit(ActionKind::transferred, no_id, 0, detail);
}

/// The call waits for nobody, but may cost something.
void ActionCollector::works(std::uint32_t peer) {
  if (!actions_.collecting.detailed || !in_call()) return;
  Detail detail;
  detail.peer = peer;
  detail.window_call = stack_.back().window_call;
  emit(ActionKind::transferred, no_id, 0, detail);
}

/// … for the one of a request.
void ActionCollector::request_transferred(const Event& e) {
  if (!actions_.collecting.detailed || !in_call() || !mpi::completes_requests(stack_.back().call)) return;
  Detail detail;
  detail.vector = static_cast<std::uint32_t>(e.request);
  emit(ActionKind::transferred, no_id, 0, detail);
}

/// An access epoch ends when all its targets have posted, an exposure epoch when all its origins have completed.
void ActionCollector::group_sync(const Event& e) {
  if (e.window == no_id) return;
  const auto& result = ends_.group_sync(e);
  if (result.epoch == nullptr) return;
  const bool is_access = result.change == trace::EpochChange::closes_access;
  const auto act = [&](ActionKind kind, std::uint8_t flags) {
    const auto& partners = result.epoch->partners;
    // A call says first, or hears of all: then it spends its own time once, however many partners it has.
    const std::size_t spends = kind == ActionKind::signal ? 0 : partners.size() - 1;
    for (std::size_t i = 0; i < partners.size(); ++i) {
      const auto& partner = partners[i];
      Action action;
      action.kind = kind;
      action.key = ends_.epochs_with(partner.rank, is_access, *result.epoch);
      action.serial = partner.number;
      action.flags = flags;
      if (i == spends) action.flags |= costs_of_call;
      Detail detail;
      detail.peer = partner.rank;
      detail.window_call = (flags & of_complete) != 0 ? WindowCall::complete : WindowCall::post;
      emit(action, detail);
    }
  };
  if (result.change == trace::EpochChange::opens_access && !result.epoch->partners.empty())
    works(result.epoch->partners.front().rank);
  if (is_access) {
    for (const auto& partner : result.epoch->partners) transferred(e.window, partner.rank);
    act(ActionKind::signal, of_complete);
    act(ActionKind::await, 0);
  }
  if (result.change == trace::EpochChange::opens_exposure) act(ActionKind::signal, 0);
  if (result.change == trace::EpochChange::closes_exposure) act(ActionKind::await, of_complete);
}

/// A lock on all targets, or one that promises no conflict, waits for no one and makes no one wait.
void ActionCollector::lock_request(const Event& e) {
  if (!in_call() || e.window == no_id) return;
  if (e.peer == no_id || (e.assertion & trace::assertion_nocheck) != 0) return works(e.peer);
  trace::LockTurn turn;
  turn.request = stack_.back().enter;
  turn.location = location_;
  turn.number = static_cast<std::uint32_t>(into_.locks.size());
  turn.exclusive = e.lock_exclusive;
  locks_.request(e.window, e.peer, turn);
  LockEpoch epoch;
  epoch.window = e.window;
  epoch.target = e.peer;
  epoch.granted_by = e.time;
  into_.locks.push_back(epoch);
  emit_at_leave(ActionKind::lock, no_id, turn.number);
}

/// Only an epoch whose release was recorded is ordered among the others.
void ActionCollector::lock_release(const Event& e) {
  if (!in_call() || e.window == no_id) return;
  const auto turn = locks_.release(e.window, e.peer, stack_.back().enter, e.time);
  transferred(e.window, e.peer, true, true, turn ? WindowCall::none : stack_.back().window_call);
  if (!turn) return;
  LockEpoch& epoch = into_.locks[turn->number];
  epoch.turn = *turn;
  epoch.ordered = true;
  epoch.release_leave = e.time;
  emit_at_leave(ActionKind::unlock, no_id, turn->number);
}

// ---- files

/// Collective input and output of one call: what it lasts after the last one had arrived is kept, the waiting is the
/// replay's.
void ActionCollector::io_begin(const Event& e) {
  if (!e.collective_io || !in_call() || stack_.back().pace != Pace::kept || io_) return;
  const trace::CommId comm = e.comm != no_id                           ? e.comm
                             : e.file < definitions_.file_comms.size() ? definitions_.file_comms[e.file]
                                                                       : no_id;
  if (comm >= definitions_.communicators.size() || definitions_.communicators[comm].members.size() < 2) return;
  Action action;
  action.kind = ActionKind::io_arrive;
  const trace::SequenceEnd end =
      ends_.member({trace::SequenceKind::file, comm, e.file, no_id, 0, ends_.gaps().stretch()}, enter_time());
  action.key = end.sequence;
  action.serial = end.serial;
  action.dropped = e.time;
  emit(action);
  io_ = OpenIo{e.request, stack_.size(), action.key, action.serial};
}

/// The end of a file operation, or the completion of a non-blocking one in a wait.
void ActionCollector::io_end(const Event& e) {
  if (in_call() && stack_.back().pace == Pace::dropped && mpi::completes_requests(stack_.back().call)) {
    // A wait for input or output lasts what it lasted, as far as nothing else was completed before.
    const Nanoseconds amount = std::min(dropped_, e.time - stack_.back().enter);
    dropped_ -= amount;
    kept_ += amount;
    into_.nodes[node_].own += amount;
    stack_.back().pace = Pace::kept;
  }
  if (!io_ || io_->request != e.request || io_->depth != stack_.size()) return;
  // Everything since the arrival was kept; the replay decides how much of it was waiting.
  Action action;
  action.kind = ActionKind::io_collect;
  action.key = io_->key;
  action.serial = io_->serial;
  action.need = Need::all;
  into_.nodes[node_].own -= kept_;
  dropped_ += kept_;
  kept_ = 0;
  emit(action);
  io_.reset();
}

}  // namespace mora::replay
