/// The matcher's time and stack; records of messages and collectives: matcher_halves.cpp. Idea, cost and limits:
/// matcher.h.
#include "analysis/match/matcher.h"

#include <algorithm>
#include <utility>

#include "trace/intervals/interval_source.h"

namespace mora::analysis {

using trace::Event;
using trace::EventKind;

Matcher::Matcher(const trace::Definitions& definitions, const std::vector<RegionTraits>& regions,
                 cube::LocationId location, RankHalves& halves, DataQuality& quality)
    : definitions_(definitions),
      has_callers_(!definitions.callers.empty()),
      regions_(regions),
      halves_(halves),
      quality_(quality),
      tree_(halves.trees.emplace_back()),
      where_(definitions.locations[location].name),
      thread_(static_cast<std::uint16_t>(halves.locations.size())),
      overlap_(tree_),
      intervals_(definitions),
      counters_(definitions),
      has_kernel_counters_(counters_.has_any_of_kernel()),
      counted_(definitions) {
  halves_.locations.push_back(location);
  stack_.reserve(64);
  stack_.emplace_back();  // the program
}

void Matcher::add_collector(std::unique_ptr<Collector> collector, std::uint64_t kinds, bool all_leaves) {
  if (all_leaves) all_leaves_ |= std::uint32_t{1} << listeners_.size();
  heard_kinds_ |= kinds;
  listeners_.push_back(Listener{std::move(collector), kinds});
}

OpenCall Matcher::open_call(const Frame& frame) const {
  OpenCall call;
  call.node = frame.node;
  call.region = frame.region;
  call.enter = frame.enter;
  call.begin = frame.begin;
  call.number = frame.number;
  call.argument = frame.argument;
  if (frame.region < regions_.size()) call.traits = regions_[frame.region];
  call.is_broken = frame.is_broken;
  call.completes = frame.completes;
  call.own = frame.pending.own;
  call.depth = static_cast<std::uint32_t>(&frame - stack_.data());
  if (call.depth > 1) {
    const std::uint32_t around = stack_[call.depth - 1].region;
    if (around < regions_.size()) call.around = regions_[around].account;
  }
  return call;
}

/// Gives the record to the collectors that asked for its kind, and remembers them: they get the leave of this region,
/// too.
void Matcher::hand_out(const Event& event) {
  Frame& top = stack_.back();
  const OpenCall call = open_call(top);
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if ((listeners_[i].kinds & kind_bit(event.kind)) == 0) continue;
    top.touched |= std::uint32_t{1} << i;
    listeners_[i].collector->on_event(event, call);
  }
}

namespace {

/// Records of a test or probe that found something.
constexpr std::uint64_t finding_kinds = kind_bit(EventKind::send_complete) | kind_bit(EventKind::receive_request) |
                                        kind_bit(EventKind::receive_complete) | kind_bit(EventKind::cancelled) |
                                        kind_bit(EventKind::collective_complete) | kind_bit(EventKind::rma_complete) |
                                        kind_bit(EventKind::io_end);

/// Records whose bytes are added up.
constexpr std::uint64_t sized_kinds = kind_bit(EventKind::send) | kind_bit(EventKind::receive) |
                                      kind_bit(EventKind::send_request) | kind_bit(EventKind::receive_complete) |
                                      kind_bit(EventKind::collective_end) | kind_bit(EventKind::collective_request) |
                                      kind_bit(EventKind::collective_complete) | kind_bit(EventKind::put) |
                                      kind_bit(EventKind::get) | kind_bit(EventKind::atomic);

/// 16 TiB: no operation of one process moves more, and sums of half a million such stay in 63 bits.
constexpr std::uint64_t largest_size = std::uint64_t{1} << 44;

}  // namespace

/// Impossible sizes are cut first, so that no sum can overflow; the first event starts the location.
void Matcher::on_event(const Event& event) {
  if (std::max(event.bytes, event.received) > largest_size && (sized_kinds & kind_bit(event.kind)) != 0) {
    Event possible = event;
    possible.bytes = std::min(event.bytes, largest_size);
    possible.received = std::min(event.received, largest_size);
    ++impossible_sizes_;
    on_event(possible);
    return;
  }
  if (!started_) {
    started_ = true;
    for (const Listener& listener : listeners_) listener.collector->on_first(event.time);
    stack_.front().enter = stack_.front().resume = event.time;
    tree_.amounts(LocalCallTree::root).visits = 1;
    halves_.measured.add(event.time);
    mark(event.time);
  }
  if (has_mark_ && event.time != marked_) begin_segment();
  last_ = event.time;
  ++halves_.events;
  if ((heard_kinds_ & kind_bit(event.kind)) != 0) hand_out(event);
  if ((finding_kinds & kind_bit(event.kind)) != 0) stack_.back().found = true;
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
      stack_.back().found = true;
      on_collective_end(event);
      break;
    case EventKind::rma_collective_end:
      stack_.back().found = true;
      on_window_collective_end(event);
      break;
    case EventKind::recording_off:
      gaps_.off();
      begin_interruption(event.time, Interruption::unrecorded);
      break;
    case EventKind::recording_on:
      gaps_.on();
      counted_.forget();
      end_interruption(event.time);
      break;
    case EventKind::overhead_begin:
      begin_interruption(event.time, Interruption::overhead);
      break;
    case EventKind::overhead_end:
      end_interruption(event.time);
      break;
    case EventKind::collective_complete:
      tree_.amounts(stack_.back().node).bytes_sent += static_cast<std::int64_t>(event.bytes);
      tree_.amounts(stack_.back().node).bytes_received += static_cast<std::int64_t>(event.received);
      stack_.back().completes |= completes_collective;
      end_request(open_collectives_, event.request);
      break;
    case EventKind::rma_complete:
      stack_.back().completes |= completes_transfer;
      end_request(open_transfers_, event.request);
      break;
    case EventKind::io_end:
      stack_.back().completes |= completes_io;
      end_request(open_io_, event.request);
      break;
    case EventKind::collective_request:
      begin_request(open_collectives_, event.request);
      break;
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
      halves_.measured.add(event);
      if (stack_.back().is_mpi && regions_[stack_.back().region].is_request_transfer) {
        begin_request(open_transfers_, event.request);
      }
      break;
    case EventKind::io_begin:
      begin_request(open_io_, event.request);
      break;
    case EventKind::sample:
      on_sample(event);
      break;
    case EventKind::metric:
      on_metric(event);
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
  switch (interruption_) {
    case Interruption::none:
      top.pending.own += amount;
      if (mpi_depth_ == 0 && !top.keeps_own) {
        overlap_.compute(amount, stack_.size() - 1);
        if (amount != 0) computes(stack_.size() - 1);
      }
      break;
    case Interruption::overhead:
      top.pending.overhead += amount;
      break;
    case Interruption::unrecorded:
      top.pending.unrecorded += amount;
      break;
  }
  top.resume = time;
}

/// The time of a wait or test belongs to what it completed.
void Matcher::account_wait(Frame& frame) {
  if (!frame.is_mpi || frame.completes == 0 || regions_[frame.region].account != Account::point_to_point) return;
  own_for(first_kind(frame.completes), tree_.amounts(frame.node)) += std::exchange(frame.pending.own, 0);
}

Nanoseconds& Matcher::own_for(CompletionKind kind, NodeAmounts& amounts) {
  switch (kind) {
    case completes_collective:
      return amounts.own_for_collective;
    case completes_transfer:
      return amounts.own_for_transfer;
    case completes_io:
      return amounts.own_for_io;
    default:
      return amounts.own;
  }
}

/// The stretch of computation that has just ended belongs to `node`: its time, counters, overlap and timeline follow.
void Matcher::add_pending(std::uint32_t node, Frame& frame) {
  NodeAmounts& amounts = tree_.amounts(node);
  amounts.own += frame.pending.own;
  if (tree_.key(node).is_compute()) amounts.trend.add(frame.pending.own);
  amounts.overhead += frame.pending.overhead;
  amounts.unrecorded += frame.pending.unrecorded;
  amounts.instructions += frame.pending.instructions;
  amounts.cycles += frame.pending.cycles;
  amounts.core += frame.pending.core;
  const auto depth = static_cast<std::size_t>(&frame - stack_.data());
  if (frame.pending.has_counted) counted_.resolve(depth, node, tree_);
  frame.pending = Pending{};
  overlap_.resolve(depth, node);
  if (!samples_.empty()) add_samples(node, depth);
  if (computing_depth_ == depth && computing_node_ == no_id) computing_node_ = node;
}

void Matcher::add_samples(std::uint32_t node, std::size_t depth) {
  for (; !samples_.empty() && samples_.back().first >= depth; samples_.pop_back())
    ++tree_.amounts(tree_.sampled_function(node, samples_.back().second, definitions_)).samples;
}

/// Opens a region. If it is an MPI call outside of MPI, or one of OpenSHMEM outside of any region (whose time would
/// have no place else), the computation of what is around it since its last such call ends here and becomes a node
/// "compute FROM -> TO", in the innermost function that both were called through, where call paths were recorded.
void Matcher::on_enter(const Event& event) {
  const std::uint32_t region = event.interval == 0 ? event.region : no_id;  // where it was marked is no call
  if (polls_.is_open() && !joins_poll_loop(region, event.time)) end_poll_loop();
  account(event.time);
  Frame& top = stack_.back();
  const bool is_mpi = region < regions_.size() && regions_[region].is_mpi;
  if (top.is_mpi && !top.is_broken) {
    // How much of the call's waiting passed in what ran inside it is not known; it could exceed the call's own time.
    top.is_broken = true;
    ++calls_around_others_;
  }
  const bool is_of_shmem = region < regions_.size() && is_shmem(regions_[region].account);
  if (is_of_shmem && regions_[region].account == Account::shmem_init_finalize)
    counters_.forget_kernel();  // not of the focus, as MPI_Init is not
  if ((is_mpi && !top.is_mpi && !top.keeps_own) || (is_of_shmem && top.region == no_id)) {
    if (top.pending.has_time()) {
      const std::uint32_t node = tree_.compute(function_between(top, event.region), top.from, event.region);
      ++tree_.amounts(node).visits;
      add_pending(node, top);
      if (timeline_ != nullptr) timeline_->resolve(top.chain, node);
    }
    if (timeline_ != nullptr) timeline_->resolve(top.chain, top.node);  // without length
    top.had_mpi = true;
    top.from = event.region;
  }
  const std::uint32_t parent = top.is_mpi ? top.node : caller_node(parent_of(region), region);
  const std::uint32_t node = tree_.child(parent, event.region, event.interval);
  const std::uint64_t number_around = top.number;
  const std::uint32_t interval_around = top.interval, node_around = top.node;
  Frame& frame = stack_.emplace_back();  // `top` may have moved
  if (is_mpi && regions_[region].is_poll) frame.polls = trace::polls_of(event);
  tree_.amounts(node).visits += frame.polls;
  tree_.amounts(node).recorded_polls += is_mpi && regions_[region].is_poll;
  frame.number =
      event.interval == 0 ? visits_++ : number_around;  // an interval is no call: what it encloses stays one sequence
  frame.node = node;
  frame.region = region;
  frame.argument = event.tag;
  frame.enter = frame.resume = frame.begin = event.time;
  frame.is_mpi = is_mpi;
  frame.keeps_own = region < regions_.size() && regions_[region].keeps_own();
  frame.is_broken = interruption_ == Interruption::unrecorded;
  frame.interval = interval_around;
  if (event.interval != 0) {
    const IntervalVisits::Visit visit = intervals_.enter(node, interval_around, event.region, event.interval);
    frame.interval = visit.interval;
    frame.is_first_visit = visit.is_first;
    const bool is_found = (event.interval & trace::found_phase) != 0;
    if (is_found) frame.next = event.region;
    if (has_kernel_counters_) shares_.begin(node, event.time, !is_found);
  }
  last_silent_.reset();
  if (is_mpi) {
    ++mpi_depth_;
    if (regions_[region].is_poll && !polls_.is_open()) polls_.begin(region, node_around);
  }
  mark(event.time);
}

void Matcher::on_leave(const Event& event) {
  if (stack_.size() == 1) {
    ++stray_leaves_;
    return;
  }
  account(event.time);
  close_frame(event.time);
  stack_.back().resume = event.time;
  mark(event.time);
}

/// A call that may wait for others and left no record of what it did: none of its process's, or it did not return.
bool Matcher::is_silent(const Frame& frame) const {
  if (!frame.is_mpi || mpi_depth_ != 1 || frame.is_broken || frame.found) return false;
  if (frame.call != no_id || frame.completes != 0 || frame.touched != 0) return false;
  if (regions_[frame.region].is_test || regions_[frame.region].is_look) return false;
  switch (regions_[frame.region].account) {
    case Account::barrier:
    case Account::collective:
    case Account::communicator:
    case Account::fence:
    case Account::io_collective:
    case Account::locks:
    case Account::point_to_point:
    case Account::post_start_complete_wait:
    case Account::window_handling:
      return true;
    default:
      return false;
  }
}

/// Ends the innermost region: collectors first, since they look at what is still open; then its time, its call of
/// messages, and MPI_Init or MPI_Finalize as a collective of all ranks.
void Matcher::close_frame(Nanoseconds time) {
  Frame& frame = stack_.back();
  const bool looks = frame.is_mpi && regions_[frame.region].is_look;
  if (looks) close_poll(frame, time);
  if (const std::uint32_t listening = frame.touched | (frame.region == no_id ? 0 : all_leaves_); listening != 0) {
    OpenCall call = open_call(frame);
    if (looks && frame.found && regions_[frame.region].is_poll && !polls_.is_open()) call.polled = &polls_.finish();
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if ((listening >> i & 1) != 0) listeners_[i].collector->on_leave(call, time);
    }
  }
  account_wait(frame);
  if (frame.is_mpi || !frame.had_mpi) {
    add_pending(frame.node, frame);
  } else if (frame.pending.has_time()) {
    const std::uint32_t node = tree_.compute(function_between(frame, frame.next), frame.from, outside);
    ++tree_.amounts(node).visits;
    add_pending(node, frame);
    if (timeline_ != nullptr) timeline_->resolve(frame.chain, node);
  } else if (frame.pending.has_counts()) {
    add_pending(frame.node, frame);
  }
  if (frame.is_first_visit) tree_.amounts(frame.node).first_execution = time - frame.enter;
  if (has_kernel_counters_ && frame.region == no_id && stack_.size() > 1) {  // an interval
    const bool is_found = frame.next != no_id;
    shares_.end(time, !is_found);
  }
  if (timeline_ != nullptr) timeline_->resolve(frame.chain, frame.node);
  if (frame.call != no_id) {
    Call& call = halves_.calls[frame.call];
    call.leave = time;
    if (frame.is_broken) call.flags |= call_is_broken;
    if (frame.completes > completes_message) call.flags |= call_is_mixed;
  }
  if (looks || !probed_.waits.empty()) close_probe(frame, time);
  if (frame.is_mpi && frame.region < regions_.size()) {
    const RegionTraits& traits = regions_[frame.region];
    if (traits.is_init || traits.is_finalize) {
      Event whole;
      whole.time = time;
      frame.begin = frame.enter;
      add_collective(frame, traits.is_init ? SequenceKind::init : SequenceKind::finalize, 0, 0, whole);
    }
  }
  if (is_silent(frame)) last_silent_ = Call{frame.enter, time, frame.node, thread_, 0, 0};
  if (frame.is_mpi) --mpi_depth_;
  const bool was_mpi = frame.is_mpi;
  stack_.pop_back();
  const bool has_gone = computing_node_ == no_id && computing_depth_ >= stack_.size();
  if ((was_mpi || has_gone) && !stack_.empty()) computes(stack_.size() - 1);
}

void Matcher::begin_interruption(Nanoseconds time, Interruption kind) {
  // A flush inside an MPI call belongs to the call: its waiting cannot be separated from it.
  if (kind == Interruption::overhead && stack_.back().is_mpi) {
    quality_.add("flush-inside-call", Severity::warning, where_, 1,
                 "the recorder wrote its buffer during an MPI call; that time looks like MPI time",
                 "give the recorder a larger buffer");
    return;
  }
  if (interruption_ == Interruption::unrecorded) return;
  account(time);
  interruption_ = kind;
  mark(time);
  if (kind == Interruption::unrecorded) {
    polls_.forget();
    probed_.waits.clear();
    for (Frame& frame : stack_) frame.is_broken = true;
  }
}

void Matcher::end_interruption(Nanoseconds time) {
  account(time);
  interruption_ = Interruption::none;
  mark(time);
}

void Matcher::finish() {
  const bool is_unknown = started_ && last_ > stack_.front().enter && tree_.size() == 1;  // the program's node only
  if (has_mark_) begin_segment();
  while (!stack_.empty()) {
    account(last_);
    close_frame(last_);
    if (!stack_.empty()) stack_.back().resume = last_;
  }
  if (started_) {
    halves_.measured.add(last_);
    halves_.last = std::max(halves_.last, last_);
  }
  if (last_silent_ && last_silent_->leave == last_) halves_.unfinished.push_back(*last_silent_);
  if (timeline_ != nullptr) timeline_->finish(last_);
  for (const Listener& listener : listeners_) listener.collector->finish(last_);
  const auto count = quality_.at(where_);
  count("no-regions", Severity::loss, is_unknown ? 1 : 0,
        "no call, function or state of a process or thread is in the trace: what it did is not known",
        "record calls, functions or states, too; without them no time of it is waiting or productive");
  count("impossible-size", Severity::warning, impossible_sizes_,
        "operations claim to have moved more than 16 TiB at once; they count as 16 TiB",
        "the trace is damaged: copy it again");
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
  count("nested-in-call", Severity::warning, calls_around_others_,
        "other regions ran inside an MPI call (a user's reduction, MPI within MPI); no waiting is claimed for the call",
        "record without the inner regions");
  count("stray-leave", Severity::warning, stray_leaves_, "a region was left that had not been entered",
        "the trace lost records of this location; record again");
}

}  // namespace mora::analysis
