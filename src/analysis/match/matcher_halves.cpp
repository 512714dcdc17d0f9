/// The matcher's records of messages and collectives. A non-blocking receive gets its half when it is posted and its
/// channel when it completes, since only then its source and tag are known; so halves stand in the order of posting,
/// which is the order in which MPI matches them (MPI-3.1, 3.5).
#include "analysis/core/partners.h"
#include "analysis/match/matcher.h"
#include "trace/metrics/metric_value.h"

#include <algorithm>

namespace mora::analysis {

using trace::Event;

// ---- messages ------------------------------------------------------------------------------------------

bool Matcher::is_inside(Account account) {
  const Frame& top = stack_.back();
  if (top.is_mpi && regions_[top.region].account == account) return true;
  ++outside_call_;
  return false;
}

void Matcher::make_call(Frame& frame) {
  frame.call = static_cast<std::uint32_t>(halves_.calls.size());
  frame.is_no_call = !frame.is_mpi || regions_[frame.region].account != Account::point_to_point;
  Call call;
  call.enter = call.leave = frame.enter;
  call.node = frame.node;
  call.thread = thread_;
  if (frame.is_no_call) {
    call.flags = call_is_none | call_is_broken;
  } else if (regions_[frame.region].is_test) {
    call.flags = call_is_test;
  }
  halves_.calls.push_back(call);
}

std::uint32_t Matcher::current_call() {
  Frame& top = stack_.back();
  if (top.call == no_id) make_call(top);
  if (top.is_no_call) ++outside_call_;
  return top.call;
}

void Matcher::complete_in(std::uint32_t call) {
  stack_.back().completes |= completes_message;
  auto& completions = halves_.calls[call].completions;
  if (completions < 255) ++completions;
}

std::uint32_t Matcher::channel(const Event& event, Channels& channels) const {
  const std::uint32_t number = channels.number({event.peer, event.comm, event.tag, gaps_.stretch()});
  if (gaps_.stretch() != 0) channels.sides[number].bytes += event.bytes;
  return number;
}

// Requests are looked at inside MPI calls only, where no computation counts: so it is the same whether a record stands
// at the enter or at the leave of its call.
void Matcher::begin_request(trace::RequestMap& open, std::uint64_t number) {
  if (stack_.back().is_mpi) overlap_.drop(open.set(number, overlap_.start()));
}

void Matcher::end_request(trace::RequestMap& open, std::uint64_t number) {
  if (open.size() == 0 || !stack_.back().is_mpi) return;
  const std::uint32_t request = open.take(number);
  if (request != trace::RequestMap::none)
    tree_.amounts(stack_.back().node).request_overlap += overlap_.complete(request);
}

std::uint32_t Matcher::end_message_request(std::uint64_t number) {
  const std::uint32_t request = open_.take(number);
  if (request == trace::RequestMap::none) return request;
  const std::uint32_t slot = overlap_.tag(request);
  const std::uint32_t flags = (slot & 1) != 0 ? halves_.receives[slot / 2].flags : halves_.sends[slot / 2].flags;
  if (stack_.back().is_no_call || (flags & half_is_outside) != 0) {
    overlap_.drop(request);
  } else {
    tree_.amounts(stack_.back().node).request_overlap += overlap_.complete(request);
  }
  return slot;
}

/// Samples are of computation: one inside of MPI or of measurement tells nothing.
void Matcher::on_sample(const Event& event) {
  if (mpi_depth_ == 0 && interruption_ == Interruption::none) samples_.emplace_back(stack_.size() - 1, event.vector);
}

/// What a counter of the kernel gained belongs to the intervals that were open meanwhile.
void Matcher::count_in_intervals(CounterReadings::Counter counter, const CounterReadings::Gain& gain) {
  const auto divide = [&](std::int64_t ThreadCounts::*member) {
    shares_.divide(gain.amount, gain.duration,
                   [&](std::uint32_t node, std::int64_t share) { tree_.amounts(node).thread.*member += share; });
  };
  switch (counter) {
    case CounterReadings::cpu_time:
      return divide(&ThreadCounts::cpu_time);
    case CounterReadings::run_queue:
      return divide(&ThreadCounts::run_queue);
    case CounterReadings::page_faults:
      return divide(&ThreadCounts::page_faults);
    case CounterReadings::voluntary_switches:
      return divide(&ThreadCounts::voluntary);
    case CounterReadings::involuntary_switches:
      return divide(&ThreadCounts::involuntary);
    default:
      return;
  }
}

/// A counter was read. What it gained belongs to the computation before the reading, which may not have a node yet.
void Matcher::on_metric(const Event& event) {
  const bool is_observed = interruption_ != Interruption::unrecorded;
  if (counted_.read(event.vector, trace::metric_value_of(event), is_observed, stack_.size() - 1))
    stack_.back().pending.has_counted = true;
  const CounterReadings::Counter counter = counters_.which(event.vector);
  if (counter == CounterReadings::others) return;
  if (counter == CounterReadings::cpu_time) ++tree_.amounts(LocalCallTree::root).recorded_readings;
  if (event.time != stack_.back().resume) account(event.time);
  const bool is_of_kernel = counters_.is_of_kernel(counter);
  const auto gains = counters_.read(counter, trace::metric_value_of(event), event.time, overlap_.computed(),
                                    is_of_kernel && shares_.is_at_mark(event.time));
  if (is_of_kernel) {
    shares_.read(event.time);
    if (gains.all) count_in_intervals(counter, *gains.all);
  }
  const auto& gain = gains.computation;
  if (!gain) return;
  const auto add = [&](auto& amounts) {
    switch (counter) {
      case CounterReadings::instructions:
        amounts.instructions += gain->amount;
        break;
      case CounterReadings::cycles:
        amounts.cycles += gain->amount;
        break;
      case CounterReadings::cpu_time:
        amounts.core += {.read = gain->duration, .ran = std::min(gain->amount, gain->duration), .count = 1};
        break;
      case CounterReadings::run_queue:
        amounts.core.queued += std::min(gain->amount, gain->duration);
        break;
      case CounterReadings::kernel_time:
        amounts.core.in_kernel += gain->amount;
        break;
      case CounterReadings::page_faults:
        amounts.core.page_faults += gain->amount;
        break;
      case CounterReadings::voluntary_switches:
        amounts.core.voluntary += gain->amount;
        break;
      case CounterReadings::involuntary_switches:
        amounts.core.involuntary += gain->amount;
        break;
      case CounterReadings::others:
        break;
    }
  };
  if (computing_node_ != no_id) {
    add(tree_.amounts(computing_node_));
  } else {
    add(stack_[computing_depth_].pending);
  }
}

std::uint32_t Matcher::flags_of(const Event& event) const {
  return (event.bytes != 0 ? half_has_bytes : 0U) | (stack_.back().is_no_call ? half_is_outside : 0U);
}

// A record outside of a point-to-point call has its half all the same, so that the numbers of the others on its channel
// are right; it is counted as a message and as damage, and waits for nobody.
void Matcher::on_send(const Event& event) {
  const std::uint32_t call = current_call();
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_sent;
  amounts.bytes_sent += static_cast<std::int64_t>(event.bytes);
  if (!stack_.back().is_no_call) complete_in(call);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  halves_.sends.push_back(SendHalf{channel(event, halves_.send_channels), call, call, flags_of(event)});
}

void Matcher::on_send_request(const Event& event) {
  const std::uint32_t call = current_call();
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_sent;
  amounts.bytes_sent += static_cast<std::int64_t>(event.bytes);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  overlap_.drop(open_.set(event.request, overlap_.start(static_cast<std::uint32_t>(halves_.sends.size()) * 2)));
  halves_.sends.push_back(SendHalf{channel(event, halves_.send_channels), call, no_id, flags_of(event)});
}

void Matcher::on_send_complete(const Event& event) {
  const std::uint32_t call = current_call();
  const std::uint32_t slot = end_message_request(event.request);
  if (slot == trace::RequestMap::none || (slot & 1) != 0) {
    ++unknown_request_;
    return;
  }
  if (stack_.back().is_no_call) return;
  complete_in(call);
  halves_.sends[slot / 2].complete = call;
}

void Matcher::on_receive(const Event& event) {
  const std::uint32_t call = current_call();
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_received;
  amounts.bytes_received += static_cast<std::int64_t>(event.bytes);
  if (!stack_.back().is_no_call) complete_in(call);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  halves_.receives.push_back(ReceiveHalf{channel(event, halves_.receive_channels), call, call, flags_of(event)});
  if (!probed_.waits.empty()) take_probed(call);
}

void Matcher::on_receive_request(const Event& event) {
  const std::uint32_t call = current_call();
  overlap_.drop(open_.set(event.request, overlap_.start(static_cast<std::uint32_t>(halves_.receives.size()) * 2 + 1)));
  halves_.receives.push_back(ReceiveHalf{no_id, call, no_id, stack_.back().is_no_call ? half_is_outside : 0U});
  if (!probed_.waits.empty()) take_probed(call);
}

/// Gives the half that was made at the posting its channel; a receive that was never seen posted gets a half now, in
/// this place of the order.
void Matcher::on_receive_complete(const Event& event) {
  const std::uint32_t call = current_call();
  NodeAmounts& amounts = tree_.amounts(stack_.back().node);
  ++amounts.messages_received;
  amounts.bytes_received += static_cast<std::int64_t>(event.bytes);
  if (!stack_.back().is_no_call) complete_in(call);
  const std::uint32_t slot = end_message_request(event.request);
  if (event.peer == no_id) {
    ++unknown_partner_;
    return;
  }
  if (slot == trace::RequestMap::none || (slot & 1) == 0) {
    ++unposted_;
    halves_.receives.push_back(
        ReceiveHalf{channel(event, halves_.receive_channels), call, call, flags_of(event) | half_post_unknown});
    return;
  }
  ReceiveHalf& half = halves_.receives[slot / 2];
  half.channel = channel(event, halves_.receive_channels);
  half.complete = call;
  half.flags |= event.bytes != 0 ? half_has_bytes : 0U;
}

void Matcher::on_cancelled(const Event& event) {
  const std::uint32_t request = open_.take(event.request);
  const std::uint32_t slot = request == trace::RequestMap::none ? trace::RequestMap::none : overlap_.tag(request);
  overlap_.drop(request);
  if (slot == trace::RequestMap::none) {
    ++unknown_request_;
  } else if ((slot & 1) != 0) {
    halves_.receives[slot / 2].flags |= half_cancelled;
  } else {
    SendHalf& half = halves_.sends[slot / 2];
    half.flags |= half_cancelled;
    halves_.send_channels.sides[half.channel].has_cancelled = true;
  }
}

// ---- collectives ---------------------------------------------------------------------------------------

void Matcher::add_collective(const Frame& frame, SequenceKind kind, std::uint32_t id, std::uint8_t operation,
                             const Event& event) {
  CollectiveHalf half;
  half.begin = frame.begin;
  half.end = event.time;
  half.node = frame.node;
  half.root = kind == SequenceKind::collective && has_partners(event.collective) ? event.vector : event.root;
  const bool is_of_all = kind == SequenceKind::init || kind == SequenceKind::finalize;
  const SequenceKey key{kind, id, no_id, no_id, 0, is_of_all ? 0 : gaps_.stretch()};
  if (last_sequence_ == no_id || !(halves_.sequences[last_sequence_] == key)) {
    const auto [place, is_new] =
        halves_.sequence_ids.try_emplace(key, static_cast<std::uint32_t>(halves_.sequences.size()));
    if (is_new) halves_.sequences.push_back(key);
    last_sequence_ = place->second;
  }
  half.sequence = last_sequence_;
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
  auto operation = static_cast<std::uint8_t>(event.collective);
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
      if (!is_inside(Account::barrier)) operation = trace::no_operation;
      break;
    default:
      if (!is_inside(Account::collective)) {
        operation = trace::no_operation;
        break;
      }
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
  add_collective(top, SequenceKind::collective, event.comm, operation, event);
}

void Matcher::on_window_collective_end(const Event& event) {
  using trace::RmaOperation;
  const std::uint32_t region = stack_.back().region;
  if (region < regions_.size() && is_shmem(regions_[region].account)) {  // its waiting: patterns/shmem/
    if (regions_[region].account != Account::shmem_collective) return;
    NodeAmounts& amounts = tree_.amounts(stack_.back().node);
    amounts.bytes_sent += static_cast<std::int64_t>(event.bytes);
    amounts.bytes_received += static_cast<std::int64_t>(event.received);
    return;
  }
  const bool is_fence = event.rma_operation == RmaOperation::fence;
  const bool is_in_call = is_inside(is_fence ? Account::fence : Account::window_handling);
  if (event.window == no_id) {
    ++unknown_partner_;
    return;
  }
  const trace::CommId comm = definitions_.windows[event.window].comm;
  if (comm != no_id && definitions_.communicators[comm].self) return;
  add_collective(stack_.back(), SequenceKind::window, event.window,
                 is_in_call ? static_cast<std::uint8_t>(event.rma_operation) : trace::no_operation, event);
}

}  // namespace mora::analysis
