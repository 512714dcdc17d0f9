/// The matcher's records of messages and collectives. A non-blocking receive gets its half when it is posted and its
/// channel when it completes, since only then its source and tag are known; so halves stand in the order of posting,
/// which is the order in which MPI matches them (MPI-3.1, 3.5).
#include "analysis/engine/matcher.h"
#include "analysis/engine/partners.h"

#include <bit>

namespace mora::analysis {

using trace::Event;

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
  stack_.back().completes |= completes_message;
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

// Requests are looked at inside MPI calls only, where no computation counts: so it is the same whether a record stands
// at the enter or at the leave of its call.
void Matcher::begin_request(NumberMap& open, std::uint64_t number) {
  if (stack_.back().is_mpi) overlap_.drop(open.set(number, overlap_.start()));
}

void Matcher::end_request(NumberMap& open, std::uint64_t number) {
  if (open.size() == 0 || !stack_.back().is_mpi) return;
  const std::uint32_t request = open.take(number);
  if (request != NumberMap::none) tree_.amounts(stack_.back().node).request_overlap += overlap_.complete(request);
}

std::uint32_t Matcher::end_message_request(std::uint64_t number) {
  const std::uint32_t request = open_.take(number);
  if (request == NumberMap::none) return request;
  const std::uint32_t slot = overlap_.tag(request);
  tree_.amounts(stack_.back().node).request_overlap += overlap_.complete(request);
  return slot;
}

/// A counter was read. What it gained belongs to the computation before the reading, which may not have a node yet.
void Matcher::on_metric(const Event& event) {
  const CounterReadings::Counter counter = counters_.which(event.vector);
  if (counter == CounterReadings::others) return;
  account(event.time);
  const std::int64_t gained =
      counters_.read(counter, std::bit_cast<double>(event.bytes), event.time, overlap_.computed());
  if (gained == 0) return;
  const auto add = [&](auto& amounts) {
    (counter == CounterReadings::instructions ? amounts.instructions : amounts.cycles) += gained;
  };
  if (computing_node_ != no_id) {
    add(tree_.amounts(computing_node_));
  } else {
    add(stack_[computing_depth_].pending);
  }
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
  overlap_.drop(open_.set(event.request, overlap_.start(static_cast<std::uint32_t>(halves_.sends.size()) * 2)));
  halves_.sends.push_back(SendHalf{send_channel(event), call, no_id, event.bytes != 0 ? half_has_bytes : 0U});
}

void Matcher::on_send_complete(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  const std::uint32_t slot = end_message_request(event.request);
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
  overlap_.drop(open_.set(event.request, overlap_.start(static_cast<std::uint32_t>(halves_.receives.size()) * 2 + 1)));
  halves_.receives.push_back(ReceiveHalf{no_id, call, no_id, 0});
}

/// Gives the half that was made at the posting its channel; a receive that was never seen posted gets a half now, in
/// this place of the order.
void Matcher::on_receive_complete(const Event& event) {
  const std::uint32_t call = current_call();
  if (call == no_id) return;
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_received;
  amounts.bytes_received += static_cast<std::int64_t>(event.bytes);
  complete_in(call);
  const std::uint32_t slot = end_message_request(event.request);
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
  const std::uint32_t request = open_.take(event.request);
  const std::uint32_t slot = request == NumberMap::none ? NumberMap::none : overlap_.tag(request);
  overlap_.drop(request);
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
  half.root = kind == SequenceKind::communicator && has_partners(event.collective) ? event.vector : event.root;
  half.sequence = sequence(kind, id);
  half.operation = operation;
  half.flags = static_cast<std::uint8_t>((event.bytes != 0 ? collective_sends : 0) |
                                         (event.received != 0 ? collective_receives : 0) |
                                         (frame.is_broken ? collective_is_broken : 0));
  half.thread = thread_;
  halves_.collectives.push_back(half);
}

/// A member's part of a collective. Operations without a rule are kept too: they count in the communicator's numbering.
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
  if (definitions_.communicators[event.comm].self) return;  // one process: no one to wait for
  add_collective(top, SequenceKind::communicator, event.comm, static_cast<std::uint8_t>(event.collective), event);
}

void Matcher::on_window_collective_end(const Event& event) {
  using trace::RmaOperation;
  const std::uint32_t region = stack_.back().region;
  if (region < regions_.size() && is_shmem(regions_[region].account)) return;  // patterns/shmem/
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
