#include "analysis/engine/matcher.h"

namespace mora::analysis {

using trace::Event;
using trace::EventKind;

Matcher::Matcher(const trace::Definitions& definitions, const std::vector<RegionTraits>& regions,
                 cube::LocationId location, RankHalves& halves, DataQuality& quality)
    : definitions_(definitions),
      regions_(regions),
      halves_(halves),
      quality_(quality),
      tree_(halves.trees.emplace_back()),
      where_(definitions.locations[location].name),
      thread_(static_cast<std::uint16_t>(halves.locations.size())) {
  halves_.locations.push_back(location);
  stack_.reserve(64);
  stack_.emplace_back();  // the program
}

void Matcher::on_event(const Event& event) {
  if (!started_) {
    started_ = true;
    stack_.front().enter = stack_.front().resume = event.time;
    tree_.amounts(LocalCallTree::root).visits = 1;
    if (event.time < halves_.first) halves_.first = event.time;
  }
  last_ = event.time;
  ++halves_.events;
  switch (event.kind) {
    case EventKind::enter:
      on_enter(event);
      break;
    case EventKind::leave:
      on_leave(event);
      break;
    case EventKind::send:
      on_send(event);
      break;
    case EventKind::receive:
      on_receive(event);
      break;
    case EventKind::send_request:
      on_send_request(event);
      break;
    case EventKind::send_complete:
      on_send_complete(event);
      break;
    case EventKind::receive_request:
      on_receive_request(event);
      break;
    case EventKind::receive_complete:
      on_receive_complete(event);
      break;
    case EventKind::cancelled:
      on_cancelled(event);
      break;
    case EventKind::collective_begin:
    case EventKind::rma_collective_begin:
      stack_.back().begin = event.time;
      break;
    case EventKind::collective_end:
      on_collective_end(event);
      break;
    case EventKind::rma_collective_end:
      on_window_collective_end(event);
      break;
    case EventKind::recording_off:
      begin_interlude(event.time, Interlude::unrecorded);
      break;
    case EventKind::recording_on:
      end_interlude(event.time);
      break;
    case EventKind::overhead_begin:
      begin_interlude(event.time, Interlude::overhead);
      break;
    case EventKind::overhead_end:
      end_interlude(event.time);
      break;
    default:
      break;
  }
}

// ---- time ----------------------------------------------------------------------------------------------

/// Gives the time since the last change to what the innermost frame was doing.
void Matcher::account(Nanoseconds time) {
  Frame& top = stack_.back();
  const Nanoseconds amount = time - top.resume;
  switch (interlude_) {
    case Interlude::none:
      top.pending.own += amount;
      break;
    case Interlude::overhead:
      top.pending.overhead += amount;
      break;
    case Interlude::unrecorded:
      top.pending.unrecorded += amount;
      break;
  }
  top.resume = time;
}

void Matcher::add_pending(std::uint32_t node, Frame& frame) {
  NodeAmounts& amounts = tree_.amounts(node);
  amounts.own += frame.pending.own;
  amounts.overhead += frame.pending.overhead;
  amounts.unrecorded += frame.pending.unrecorded;
  frame.pending = NodeAmounts{};
}

void Matcher::on_enter(const Event& event) {
  account(event.time);
  Frame& top = stack_.back();
  const bool is_mpi = event.region < regions_.size() && regions_[event.region].is_mpi;
  if (is_mpi && !top.is_mpi) {
    if (top.pending.own != 0 || top.pending.overhead != 0 || top.pending.unrecorded != 0) {
      const std::uint32_t node = tree_.compute(top.node, top.from, event.region);
      ++tree_.amounts(node).visits;
      add_pending(node, top);
    }
    top.had_mpi = true;
    top.from = event.region;
  }
  const std::uint32_t node = tree_.child(top.node, event.region);
  ++tree_.amounts(node).visits;
  Frame frame;
  frame.node = node;
  frame.region = event.region;
  frame.enter = frame.resume = frame.begin = event.time;
  frame.is_mpi = is_mpi;
  frame.is_broken = interlude_ == Interlude::unrecorded;
  stack_.push_back(frame);
}

void Matcher::on_leave(const Event& event) {
  if (stack_.size() == 1) {
    ++stray_leaves_;
    return;
  }
  account(event.time);
  close_frame(event.time);
  stack_.back().resume = event.time;
}

void Matcher::close_frame(Nanoseconds time) {
  Frame& frame = stack_.back();
  if (frame.is_mpi || !frame.had_mpi) {
    add_pending(frame.node, frame);
  } else if (frame.pending.own != 0 || frame.pending.overhead != 0 || frame.pending.unrecorded != 0) {
    const std::uint32_t node = tree_.compute(frame.node, frame.from, outside);
    ++tree_.amounts(node).visits;
    add_pending(node, frame);
  }
  if (frame.call != no_id) {
    Call& call = halves_.calls[frame.call];
    call.leave = time;
    if (frame.is_broken) call.flags |= call_is_broken;
  }
  if (frame.is_mpi && frame.region < regions_.size()) {
    const RegionTraits& traits = regions_[frame.region];
    if (traits.is_init || traits.is_finalize) {
      Event whole;
      whole.time = time;
      frame.begin = frame.enter;
      add_collective(frame, traits.is_init ? SequenceKind::init : SequenceKind::finalize, 0, 0, whole);
    }
  }
  stack_.pop_back();
}

void Matcher::begin_interlude(Nanoseconds time, Interlude kind) {
  // A flush inside an MPI call belongs to the call: its waiting cannot be told apart from it.
  if (kind == Interlude::overhead && stack_.back().is_mpi) {
    quality_.add("flush-inside-call", Severity::warning, where_, 1,
                 "the recorder wrote its buffer during an MPI call; that time looks like MPI time",
                 "give the recorder a larger buffer");
    return;
  }
  if (interlude_ == Interlude::unrecorded) return;
  account(time);
  interlude_ = kind;
  if (kind == Interlude::unrecorded) {
    ++stretch_;
    for (Frame& frame : stack_) frame.is_broken = true;
  }
}

void Matcher::end_interlude(Nanoseconds time) {
  account(time);
  interlude_ = Interlude::none;
}

void Matcher::finish() {
  while (!stack_.empty()) {
    account(last_);
    close_frame(last_);
    if (!stack_.empty()) stack_.back().resume = last_;
  }
  if (started_ && last_ > halves_.last) halves_.last = last_;
  const auto count = [&](const char* kind, Severity severity, std::uint64_t n, const char* what, const char* remedy) {
    if (n != 0) quality_.add(kind, severity, where_, n, what, remedy);
  };
  count("event-outside-call", Severity::warning, outside_call_,
        "a message or collective record is not inside an MPI call of its kind and was ignored",
        "record with Mora or Score-P 8, which put these records inside the region of their call");
  count("unknown-request", Severity::warning, unknown_request_, "a request was completed that was never started",
        "the trace lost its beginning or a record of this location; record again");
  count("unposted-receive", Severity::info, unposted_,
        "a non-blocking receive has no record of its posting; its sender's Late Receiver wait is not computed",
        "record with Mora, or with request records switched on");
  count("unknown-partner", Severity::warning, unknown_partner_, "a message without a known partner was ignored",
        "the trace's communicator definitions are incomplete; record again");
  count("stray-leave", Severity::warning, stray_leaves_, "a region was left that had not been entered",
        "the trace lost records of this location; record again");
}

// ---- messages ------------------------------------------------------------------------------------------

bool Matcher::is_inside(Account account) {
  const Frame& top = stack_.back();
  if (top.is_mpi && regions_[top.region].account == account) return true;
  ++outside_call_;
  return false;
}

std::uint32_t Matcher::current_call() {
  Frame& top = stack_.back();
  if (top.call == no_id) {
    if (!is_inside(Account::point_to_point)) return no_id;
    top.call = static_cast<std::uint32_t>(halves_.calls.size());
    Call call;
    call.enter = call.leave = top.enter;
    call.node = top.node;
    call.thread = thread_;
    if (regions_[top.region].is_test) call.flags = call_is_test;
    halves_.calls.push_back(call);
  }
  return top.call;
}

void Matcher::complete_in(std::uint32_t call) {
  auto& completions = halves_.calls[call].completions;
  if (completions < 255) ++completions;
}

namespace {

std::uint32_t channel_id(const Event& event, std::uint32_t stretch, std::vector<ChannelKey>& channels,
                         std::unordered_map<ChannelKey, std::uint32_t, ChannelHash>& ids) {
  const ChannelKey key{event.peer, event.comm, event.tag, stretch};
  const auto [place, is_new] = ids.try_emplace(key, static_cast<std::uint32_t>(channels.size()));
  if (is_new) channels.push_back(key);
  return place->second;
}

}  // namespace

std::uint32_t Matcher::send_channel(const Event& event) {
  return channel_id(event, stretch_, halves_.send_channels, halves_.send_channel_ids);
}

std::uint32_t Matcher::receive_channel(const Event& event) {
  return channel_id(event, stretch_, halves_.receive_channels, halves_.receive_channel_ids);
}

void Matcher::on_send(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_sent;
  amounts.bytes_sent += static_cast<std::int64_t>(event.bytes);
  complete_in(call);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  halves_.sends.push_back(SendHalf{send_channel(event), call, call, event.bytes != 0 ? half_has_bytes : 0U});
}

void Matcher::on_send_request(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_sent;
  amounts.bytes_sent += static_cast<std::int64_t>(event.bytes);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  open_.set(event.request, static_cast<std::uint32_t>(halves_.sends.size()) * 2);
  halves_.sends.push_back(SendHalf{send_channel(event), call, no_id, event.bytes != 0 ? half_has_bytes : 0U});
}

void Matcher::on_send_complete(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  const std::uint32_t slot = open_.take(event.request);
  if (slot == NumberMap::none || (slot & 1) != 0) {
    ++unknown_request_;
    return;
  }
  complete_in(call);
  halves_.sends[slot / 2].complete = call;
}

void Matcher::on_receive(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_received;
  amounts.bytes_received += static_cast<std::int64_t>(event.bytes);
  complete_in(call);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  halves_.receives.push_back(ReceiveHalf{receive_channel(event), call, call, event.bytes != 0 ? half_has_bytes : 0U});
}

void Matcher::on_receive_request(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  open_.set(event.request, static_cast<std::uint32_t>(halves_.receives.size()) * 2 + 1);
  halves_.receives.push_back(ReceiveHalf{no_id, call, no_id, 0});
}

void Matcher::on_receive_complete(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_received;
  amounts.bytes_received += static_cast<std::int64_t>(event.bytes);
  complete_in(call);
  const std::uint32_t slot = open_.take(event.request);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  const std::uint32_t flags = event.bytes != 0 ? half_has_bytes : 0U;
  if (slot == NumberMap::none || (slot & 1) == 0) {
    ++unposted_;
    halves_.receives.push_back(ReceiveHalf{receive_channel(event), call, call, flags | half_post_unknown});
    return;
  }
  ReceiveHalf& half = halves_.receives[slot / 2];
  half.channel = receive_channel(event);
  half.complete = call;
  half.flags = flags;
}

void Matcher::on_cancelled(const Event& event) {
  const std::uint32_t slot = open_.take(event.request);
  if (slot == NumberMap::none) {
    ++unknown_request_;
  } else if ((slot & 1) != 0) {
    halves_.receives[slot / 2].flags |= half_cancelled;
  } else {
    halves_.sends[slot / 2].flags |= half_cancelled;
  }
}

// ---- collectives ---------------------------------------------------------------------------------------

std::uint32_t Matcher::sequence(SequenceKind kind, std::uint32_t id) {
  const SequenceKey key{kind, id, stretch_};
  const auto [place, is_new] =
      halves_.sequence_ids.try_emplace(key, static_cast<std::uint32_t>(halves_.sequences.size()));
  if (is_new) halves_.sequences.push_back(key);
  return place->second;
}

void Matcher::add_collective(const Frame& frame, SequenceKind kind, std::uint32_t id, std::uint8_t operation,
                             const Event& event) {
  CollectiveHalf half;
  half.begin = frame.begin;
  half.end = event.time;
  half.node = frame.node;
  half.root = event.root;
  half.sequence = sequence(kind, id);
  half.operation = operation;
  half.flags = static_cast<std::uint8_t>((event.bytes != 0 ? collective_sends : 0) |
                                         (event.received != 0 ? collective_receives : 0) |
                                         (frame.is_broken ? collective_is_broken : 0));
  half.thread = thread_;
  halves_.collectives.push_back(half);
}

void Matcher::on_collective_end(const Event& event) {
  using trace::Collective;
  const Frame& top = stack_.back();
  switch (event.collective) {
    case Collective::init:
    case Collective::finalize:
      return;  // known by the name of the call
    case Collective::none:
    case Collective::create_handle:
    case Collective::destroy_handle:
    case Collective::allocate:
    case Collective::deallocate:
    case Collective::other:
      break;  // no rule, but part of the communicator's sequence
    case Collective::barrier:
      if (!is_inside(Account::barrier)) return;
      break;
    default:
      if (!is_inside(Account::collective)) return;
      NodeAmounts& amounts = tree_.amounts(top.node);
      amounts.bytes_sent += static_cast<std::int64_t>(event.bytes);
      amounts.bytes_received += static_cast<std::int64_t>(event.received);
      break;
  }
  if (event.comm == no_id) {
    ++unknown_partner_;
    return;
  }
  if (definitions_.communicators[event.comm].self) return;  // alone: nobody to wait for
  add_collective(top, SequenceKind::communicator, event.comm, static_cast<std::uint8_t>(event.collective), event);
}

void Matcher::on_window_collective_end(const Event& event) {
  using trace::RmaOperation;
  const bool is_fence = event.rma_operation == RmaOperation::fence;
  if (!is_inside(is_fence ? Account::fence : Account::window_handling)) return;
  if (event.window == no_id) {
    ++unknown_partner_;
    return;
  }
  const trace::CommId comm = definitions_.windows[event.window].comm;
  if (comm != no_id && definitions_.communicators[comm].self) return;
  add_collective(stack_.back(), SequenceKind::window, event.window, static_cast<std::uint8_t>(event.rma_operation),
                 event);
}

}  // namespace mora::analysis
