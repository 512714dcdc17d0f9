/// How sends find their receives, and what both waited.
///
/// Which send belongs to which receive: trace/links/channel.h.
///
///   1. The sender's partition sends, per channel, two columns: enter of the call that sent, its call path. 12 bytes a
///      message.
///   2. The receiver's partition pairs the columns with its receives in posting order, scores Late Sender, and answers
///      with two columns: enter of the call that posted the receive, its call path.
///   3. The sender's partition scores Late Receiver.
///
/// Steps 1 to 3 are done in slices of a bounded number of halves (engine.cpp): a channel may come in several blocks,
/// each of which knows its place in the channel and how long that is. If causes are asked for, both sides note the
/// synchronisation point: the receive's completing call and the send (a third column back). A call that completed
/// several operations is charged once: the maximum over its receives; if that is 0, the maximum over its sends (ties:
/// smallest cause). Probes and loops of polls wait for the message of the call that they are linked to (PriorCall).
///
/// Source: Scalasca 2.6, MPI Late Sender Time and MPI Late Receiver Time; Mora's rule sender-or-receiver-late. Cost:
/// O(messages + channels) time, 12 to 20 bytes a message on its way there and back. Limits: a half without partner
/// is counted and left out.
#include "analysis/engine/messages.h"

#include <algorithm>
#include <tuple>

#include "analysis/efficiency/metrics/metrics.h"
#include "analysis/patterns/pattern.h"
#include "analysis/storage/gallop.h"
#include "trace/links/thread_order.h"

namespace mora::analysis {

namespace {

struct MessageBlockHead {
  std::uint32_t source = 0;
  trace::Channel key;          ///< as the source sees it
  std::uint32_t channel = 0;   ///< index at the source
  std::uint32_t location = 0;  ///< of the source rank
  std::uint32_t offset = 0;    ///< the first half's number in the channel
  std::uint32_t count = 0;
  std::uint32_t of = 0;             ///< halves of the channel
  std::uint32_t has_cancelled = 0;  ///< of the channel
  std::uint64_t bytes = 0;          ///< of the channel
};

struct AnswerHead {
  std::uint32_t source = 0;  ///< who sent the messages
  std::uint32_t channel = 0;
  std::uint32_t location = 0;  ///< of the receiving rank
  std::uint32_t offset = 0;    ///< of the block that is answered
  std::uint32_t count = 0;     ///< messages of it that found their receive
  std::uint32_t in_all = 0;    ///< of the whole channel: a prefix
};

constexpr std::uint32_t path_has_bytes = 0x80000000;
constexpr Nanoseconds unknown_time = INT64_MIN;  ///< of what lies in no call, or has no record of its posting

bool is_live(const SendHalf& half) { return half.channel != no_id && (half.flags & half_cancelled) == 0; }
bool is_live(const ReceiveHalf& half) { return half.channel != no_id && (half.flags & half_cancelled) == 0; }
std::uint32_t order_call(const SendHalf& half) { return half.start; }
std::uint32_t order_call(const ReceiveHalf& half) { return half.post; }

bool may_wait_for_several(const Call& call) { return call.completions > 1 || (call.flags & call_is_prior) != 0; }

auto rank_of(const CallWait& w) { return std::make_tuple(-w.amount, w.cause, w.cause_call_path, !w.has_bytes); }
auto rank_of(const LateSenderCallWait& w) {
  return std::make_tuple(-w.amount, w.cause, w.sent, w.cause_call_path, !w.has_bytes);
}

template <class AWait>
void keep_longest(AWait& longest, const AWait& wait) {
  if (wait.amount > 0 && rank_of(wait) < rank_of(longest)) longest = wait;
}

}  // namespace

RankMessages::RankMessages(RankHalves& halves, const std::vector<std::vector<std::uint32_t>>& global_of_location,
                           Scores& scores, DataQuality& quality)
    : halves_(halves), scores_(scores), quality_(quality), wrong_order_(halves) {
  for (const cube::LocationId l : halves.locations) global_.push_back(&global_of_location[l]);
  send_groups_ = group(halves.sends, halves.send_channels.size());
  receive_groups_ = group(halves.receives, halves.receive_channels.size());
  channel_paired_.resize(halves.receive_channels.size());
  for (std::uint32_t call = 0; call < halves.calls.size(); ++call) {
    if (may_wait_for_several(halves.calls[call])) several_calls_.push_back(call);
  }
  late_sender_waits_.resize(several_calls_.size());
  late_receiver_waits_.resize(several_calls_.size());
}

/// Counting sort by channel, which keeps the order of sending or posting within one.
template <class Halves>
RankMessages::Groups RankMessages::group(const Halves& halves, std::size_t channels) const {
  Groups groups;
  groups.first.assign(channels + 1, 0);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (is_live(halves[i])) ++groups.first[halves[i].channel + 1];
  }
  for (std::size_t c = 0; c < channels; ++c) groups.first[c + 1] += groups.first[c];
  groups.order.resize(groups.first[channels]);
  std::vector<std::uint32_t> next(groups.first.begin(), groups.first.end() - 1);
  for (std::uint32_t i = 0; i < halves.size(); ++i) {
    if (is_live(halves[i])) groups.order[next[halves[i].channel]++] = i;
  }
  if (halves_.locations.size() > 1) {
    const auto call_of = [&](std::uint32_t i) -> const Call& { return halves_.calls[order_call(halves[i])]; };
    for (std::size_t c = 0; c < channels; ++c) {
      trace::order_threads(
          groups.order.begin() + groups.first[c], groups.order.begin() + groups.first[c + 1],
          [&](std::uint32_t i) { return call_of(i).thread; }, [&](std::uint32_t i) { return call_of(i).enter; });
    }
  }
  return groups;
}

cube::CallPathId RankMessages::path(const Call& call) const { return (*global_[call.thread])[call.node]; }

std::size_t RankMessages::several(std::uint32_t call) const {
  return static_cast<std::size_t>(std::lower_bound(several_calls_.begin(), several_calls_.end(), call) -
                                  several_calls_.begin());
}

std::size_t RankMessages::bytes_a_message() const {
  return sizeof(std::uint32_t) + (sync_points_ == nullptr ? 1 : 2) * sizeof(Nanoseconds);
}

void RankMessages::send_block(std::uint32_t channel, std::uint32_t offset, std::uint32_t count, Buffer& buffer) const {
  const trace::ChannelSide& side = halves_.send_channels.sides[channel];
  const std::uint32_t begin = send_groups_.first[channel] + offset;
  BufferWriter out(buffer);
  out.put(MessageBlockHead{halves_.rank, halves_.send_channels.keys[channel], channel, halves_.locations.front(),
                           offset, count, sends_of(channel), side.has_cancelled ? 1U : 0U, side.bytes});
  for (std::uint32_t i = begin; i < begin + count; ++i) {
    const SendHalf& half = halves_.sends[send_groups_.order[i]];
    out.put((half.flags & half_is_outside) != 0 ? unknown_time : halves_.calls[half.start].enter);
  }
  for (std::uint32_t i = begin; i < begin + count; ++i) {
    const SendHalf& half = halves_.sends[send_groups_.order[i]];
    out.put(path(halves_.calls[half.start]) | ((half.flags & half_has_bytes) != 0 ? path_has_bytes : 0U));
  }
  for (std::uint32_t i = begin; i < begin + count && sync_points_ != nullptr; ++i) {
    const SendHalf& half = halves_.sends[send_groups_.order[i]];
    const Call& call = halves_.calls[half.start];
    const bool is_blocking = half.start == half.complete && (call.flags & (call_is_none | call_is_broken)) == 0;
    out.put(is_blocking ? call.leave : unknown_time);
  }
}

void SendQueues::add(RankMessages& rank, const RankPlaces& places) {
  for (std::uint32_t c = 0; c < rank.send_channels(); ++c) {
    const std::uint32_t partition = places.partition(rank.receiver_of(c));
    if (partition == no_id) {
      rank.leave_out(c);
      continue;
    }
    queues_[partition].channels.push_back(Channel{&rank, c});
    queues_[partition].halves += rank.sends_of(c);
  }
}

void SendQueues::fill(std::uint64_t most, std::vector<Buffer>& outgoing) {
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    Queue& queue = queues_[p];
    std::uint64_t left = most;
    const std::uint64_t blocks = std::min<std::uint64_t>(queue.channels.size() - queue.next, most);
    const std::size_t each = blocks == 0 ? 0 : queue.channels[queue.next].rank->bytes_a_message();
    outgoing[p].reserve(blocks * sizeof(MessageBlockHead) + std::min(queue.halves, most) * each);
    while (queue.next < queue.channels.size() && left > 0) {
      const Channel& channel = queue.channels[queue.next];
      const std::uint32_t all = channel.rank->sends_of(channel.channel);
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(all - queue.offset, left));
      channel.rank->send_block(channel.channel, queue.offset, count, outgoing[p]);
      left -= std::max(count, 1U);  // a block without halves says that there are none
      queue.halves -= count;
      queue.offset += count;
      if (queue.offset < all) continue;
      ++queue.next;
      queue.offset = 0;
    }
  }
}

bool SendQueues::is_empty() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.next == q.channels.size(); });
}

void RankMessages::pair_block(std::uint32_t source, BufferReader& in, Buffer& answer) {
  const auto head = in.take<MessageBlockHead>();
  const std::byte* enters = in.skip(head.count * sizeof(Nanoseconds));
  const std::byte* paths = in.skip(head.count * sizeof(std::uint32_t));
  const std::byte* leaves = sync_points_ == nullptr ? nullptr : in.skip(head.count * sizeof(Nanoseconds));
  trace::Channel key = head.key;
  key.peer = source;
  const auto found = halves_.receive_channels.ids.find(key);
  std::uint32_t first = 0;
  std::uint32_t in_all = 0;
  if (found != halves_.receive_channels.ids.end()) {
    channel_paired_[found->second] = true;
    first = receive_groups_.first[found->second] + head.offset;
    const std::uint32_t receives = receive_groups_.first[found->second + 1] - receive_groups_.first[found->second];
    const trace::ChannelSide sent{head.of, head.bytes, head.has_cancelled != 0};
    const trace::ChannelSide received{receives, halves_.receive_channels.sides[found->second].bytes, false};
    in_all = static_cast<std::uint32_t>(trace::paired_messages(key.stretch, sent, received));
    const bool is_torn = trace::is_torn(key.stretch, sent, received);
    if (head.offset == 0) {
      (is_torn ? across_gap_ : unmatched_receives_) += receives - in_all;
      lacks_partner(halves_.receives, receive_groups_, first + in_all, first + receives);
    }
  }
  const std::uint32_t pairs = in_all > head.offset ? std::min(head.count, in_all - head.offset) : 0;
  BufferWriter out(answer);
  out.put(AnswerHead{source, head.channel, halves_.locations.front(), head.offset, pairs, in_all});
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::uint32_t receive = receive_groups_.order[first + i];
    const ReceiveHalf& half = halves_.receives[receive];
    late_sender_of(receive, element<Nanoseconds>(enters, i), element<std::uint32_t>(paths, i) & ~path_has_bytes,
                   head.location);
    out.put((half.flags & (half_post_unknown | half_is_outside)) != 0 ? unknown_time : halves_.calls[half.post].enter);
  }
  for (std::uint32_t i = 0; i < pairs; ++i) {
    out.put(path(halves_.calls[halves_.receives[receive_groups_.order[first + i]].post]));
  }
  if (sync_points_ == nullptr) return;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const Call& call = halves_.calls[halves_.receives[receive_groups_.order[first + i]].complete];
    const auto sent = element<Nanoseconds>(enters, i);
    const bool is_known = sent != unknown_time && (call.flags & call_is_none) == 0;
    const Nanoseconds met = is_known ? met_at(halves_.receives[receive_groups_.order[first + i]], sent) : unknown_time;
    if (is_known) sync_points_->add(location(call), met, head.location, sent);
    out.put(met);
  }
  std::vector<std::pair<std::uint32_t, TimeInterval>> progress;
  for (std::uint32_t i = 0; i < pairs && timeline_ != nullptr; ++i) {
    const ReceiveHalf& half = halves_.receives[receive_groups_.order[first + i]];
    const auto enter = element<Nanoseconds>(enters, i), leave = element<Nanoseconds>(leaves, i);
    if (leave == unknown_time || (half.flags & (half_post_unknown | half_is_outside)) != 0) continue;
    const TimeInterval wait = waited_for_progress(*timeline_, enter, leave, timeline_guess_);
    if (wait.end > wait.begin) progress.emplace_back(i, wait);
  }
  out.put(static_cast<std::uint32_t>(progress.size()));
  for (const auto& [i, wait] : progress) {
    const std::size_t entered = timeline_->find(wait.end, timeline_guess_);
    const bool is_call = entered < timeline_->size() && timeline_->is_mpi(entered);
    out.put(i);
    out.put(wait);
    out.put(is_call ? (*global_.front())[timeline_->node(entered)] : cube::no_id);
  }
}

/// One message at its receiver: clocks, potential synchronisation, wrong order, and the wait, which of calls with
/// several completions is kept until all are known.
void RankMessages::late_sender_of(std::uint32_t receive, Nanoseconds send_enter, cube::CallPathId send_path,
                                  cube::LocationId sender) {
  const ReceiveHalf& half = halves_.receives[receive];
  const Call& call = halves_.calls[half.complete];
  if (send_enter == unknown_time || (call.flags & call_is_none) != 0) return;
  wrong_order_.note_receive(receive, send_enter);
  if (send_enter > call.leave) scores_.clock_violation(location(call));
  if ((call.flags & call_is_broken) != 0) return;
  efficiency_of_message(send_enter, call.enter, call.leave, location(call), path(call), scores_);
  LateSenderCallWait wait{
      {late_sender(send_enter, call.enter, call.leave), sender, send_path, (half.flags & half_has_bytes) != 0},
      send_enter,
      halves_.receive_channels.keys[half.channel].peer};
  if (!halves_.priors.empty()) {
    prior_late_sender_of(half.post, send_enter, wait);
    if (half.complete != half.post) prior_late_sender_of(half.complete, send_enter, wait);
  }
  if ((call.flags & call_is_test) != 0 || wait.amount <= 0) return;
  if (may_wait_for_several(call)) {
    keep_longest(late_sender_waits_[several(half.complete)], wait);
    return;
  }
  charge_late_sender(half.complete, wait);
}

std::pair<std::size_t, std::size_t> RankMessages::priors_of(std::uint32_t call) const {
  if (halves_.priors.empty() || (halves_.calls[call].flags & call_has_prior) == 0) return {0, 0};
  const auto first = gallop(halves_.priors.size(), 0, [&](std::size_t i) { return halves_.priors[i].of < call; });
  auto last = first;
  while (last < halves_.priors.size() && halves_.priors[last].of == call) ++last;
  return {first, last};
}

/// A message that was sent after the last of them ended is not what they found.
void RankMessages::prior_late_sender_of(std::uint32_t call, Nanoseconds send_enter, LateSenderCallWait wait) {
  const auto [first, last] = priors_of(call);
  if (first == last || send_enter > halves_.calls[halves_.priors[last - 1].call].leave) return;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t prior = halves_.priors[i].call;
    wait.amount = late_sender(send_enter, halves_.calls[prior].enter, halves_.calls[prior].leave);
    keep_longest(late_sender_waits_[several(prior)], wait);
  }
}

/// When the receiver took part in a message: at the enter of the call that waited until it was sent.
Nanoseconds RankMessages::met_at(const ReceiveHalf& half, Nanoseconds send_enter) const {
  if (halves_.priors.empty()) return halves_.calls[half.complete].enter;
  for (const std::uint32_t call : {half.post, half.complete}) {
    for (auto [i, last] = priors_of(call); i < last; ++i) {
      const Call& prior = halves_.calls[halves_.priors[i].call];
      if (prior.enter <= send_enter && send_enter <= prior.leave) return prior.enter;
    }
  }
  return halves_.calls[half.complete].enter;
}

void RankMessages::charge_late_sender(std::uint32_t call, const LateSenderCallWait& wait) {
  static const cube::MetricId with_bytes = metric_index("late-sender-communications");
  static const cube::MetricId without = metric_index("late-sender-synchronizations");
  count_instance(with_bytes, without, halves_.calls[call], wait);
  wrong_order_.note_instance(
      LateSenderInstance{call, wait.source, wait.sent, wait.cause, wait.cause_call_path, wait.has_bytes});
}

void RankMessages::charge_late_receiver(const Call& call, const CallWait& wait) {
  static const cube::MetricId metric = metric_index("late-receiver");
  static const cube::MetricId with_bytes = metric_index("late-receiver-communications");
  static const cube::MetricId without = metric_index("late-receiver-synchronizations");
  add_wait(Wait{metric, location(call), path(call), call.enter, wait.amount, wait.cause, wait.cause_call_path}, call,
           scores_);
  count_instance(with_bytes, without, call, wait);
}

/// With bytes or without, and in the sum of both.
void RankMessages::count_instance(cube::MetricId with_bytes, cube::MetricId without_bytes, const Call& call,
                                  const CallWait& wait) {
  const cube::MetricId instances = wait.has_bytes ? with_bytes : without_bytes;
  static const std::vector<cube::MetricId> parents = [] {
    std::vector<cube::MetricId> p;
    for (const MetricInfo& info : all_metrics())
      p.push_back(info.parent.empty() ? cube::no_id : metric_index(info.parent));
    return p;
  }();
  scores_.count(instances, path(call), location(call), 1);
  scores_.count(parents[instances], path(call), location(call), 1);
}

void RankMessages::finish_receives() {
  for (std::size_t c = 0; c < channel_paired_.size(); ++c) {
    if (channel_paired_[c]) continue;
    unmatched_receives_ += receive_groups_.first[c + 1] - receive_groups_.first[c];
    lacks_partner(halves_.receives, receive_groups_, receive_groups_.first[c], receive_groups_.first[c + 1]);
  }
}

void RankMessages::leave_out(std::uint32_t channel) {
  unmatched_sends_ += sends_of(channel);
  lacks_partner(halves_.sends, send_groups_, send_groups_.first[channel], send_groups_.first[channel + 1]);
}

template <class Halves>
void RankMessages::lacks_partner(const Halves& halves, const Groups& groups, std::uint32_t begin, std::uint32_t end) {
  constexpr std::uint8_t never = call_is_test | call_is_broken | call_is_none;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t call = halves[groups.order[i]].complete;
    if (call != no_id && (halves_.calls[call].flags & never) == 0) alone_.push_back(call);
  }
}

void RankMessages::add_unknown_waits() {
  static const cube::MetricId metric = metric_index("unknown-wait");
  std::sort(alone_.begin(), alone_.end());
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    if (i != 0 && alone_[i] == alone_[i - 1]) continue;
    const Call& call = halves_.calls[alone_[i]];
    scores_.count(metric, path(call), location(call), call.leave - call.enter);
  }
  for (const Call& call : halves_.unfinished)
    scores_.count(metric, path(call), location(call), call.leave - call.enter);
}

void RankMessages::take_answer(BufferReader& in) {
  const auto head = in.take<AnswerHead>();
  const std::byte* posts = in.skip(head.count * sizeof(Nanoseconds));
  const std::byte* paths = in.skip(head.count * sizeof(std::uint32_t));
  const std::uint32_t first = send_groups_.first[head.channel] + head.offset;
  if (head.offset == 0) {
    unmatched_sends_ += sends_of(head.channel) - head.in_all;
    lacks_partner(halves_.sends, send_groups_, first + head.in_all, first + sends_of(head.channel));
  }
  for (std::uint32_t i = 0; i < head.count; ++i) {
    late_receiver_of(halves_.sends[send_groups_.order[first + i]], element<Nanoseconds>(posts, i),
                     element<std::uint32_t>(paths, i), head.location);
  }
  if (sync_points_ == nullptr) return;
  const std::byte* completions = in.skip(head.count * sizeof(Nanoseconds));
  for (std::uint32_t i = 0; i < head.count; ++i) {
    const Call& call = halves_.calls[halves_.sends[send_groups_.order[first + i]].start];
    const auto completed = element<Nanoseconds>(completions, i);
    if (completed != unknown_time) sync_points_->add(location(call), call.enter, head.location, completed);
  }
  for (auto left = in.take<std::uint32_t>(); left > 0; --left) {
    const auto i = in.take<std::uint32_t>();
    const auto wait = in.take<TimeInterval>();
    const auto entered = in.take<cube::CallPathId>();
    const std::uint32_t start = halves_.sends[send_groups_.order[first + i]].start;
    const Call& call = halves_.calls[start];
    const auto posted = element<Nanoseconds>(posts, i);
    const bool is_late_receiver = posted > call.enter && posted < call.leave && !may_wait_for_several(call);
    if (!is_late_receiver) progress_waits_.push_back({start, head.location, wait, entered});
  }
}

/// Of a call that waited otherwise, too, what comes after that.
void RankMessages::add_progress_waits() {
  static const cube::MetricId metric = metric_index("send-progress");
  for (const ProgressWait& wait : progress_waits_) {
    const Call& call = halves_.calls[wait.call];
    Nanoseconds begin = wait.interval.begin;
    if (may_wait_for_several(call)) {
      const std::size_t s = several(wait.call);
      const Nanoseconds late_sender = late_sender_waits_[s].amount;
      begin = std::max(begin, call.enter + (late_sender > 0 ? late_sender : late_receiver_waits_[s].amount));
    }
    if (begin >= wait.interval.end) continue;
    add_wait(Wait{metric, location(call), path(call), begin, wait.interval.end - begin, wait.receiver, wait.entered},
             call, scores_);
  }
  progress_waits_.clear();
}

void RankMessages::late_receiver_of(const SendHalf& half, Nanoseconds post_enter, cube::CallPathId post_path,
                                    cube::LocationId receiver) {
  if (half.complete == no_id || post_enter == unknown_time) return;
  const Call& call = halves_.calls[half.complete];
  if ((call.flags & call_is_broken) != 0) return;
  CallWait wait{0, receiver, post_path, (half.flags & half_has_bytes) != 0};
  if (call.leave > post_enter) {
    for (auto [i, last] = priors_of(half.complete); i < last; ++i) {
      const std::uint32_t prior = halves_.priors[i].call;
      wait.amount = std::min(post_enter, halves_.calls[prior].leave) - halves_.calls[prior].enter;
      keep_longest(late_receiver_waits_[several(prior)], wait);
    }
  }
  if ((call.flags & call_is_test) != 0) return;
  wait.amount = late_receiver(call.enter, call.leave, post_enter);
  if (wait.amount <= 0) return;
  if (may_wait_for_several(call)) {
    keep_longest(late_receiver_waits_[several(half.complete)], wait);
    return;
  }
  charge_late_receiver(call, wait);
}

void RankMessages::finish_calls() {
  for (std::size_t i = 0; i < several_calls_.size(); ++i) {
    const Call& call = halves_.calls[several_calls_[i]];
    if (late_sender_waits_[i].amount > 0) {
      charge_late_sender(several_calls_[i], late_sender_waits_[i]);
    } else if (late_receiver_waits_[i].amount > 0) {
      charge_late_receiver(call, late_receiver_waits_[i]);
    }
  }
  add_progress_waits();
  add_unknown_waits();
  send_groups_ = {};  // all pairs are made
  receive_groups_ = {};
  wrong_order_.finish([this](const Call& call) { return path(call); }, scores_);
  const auto count = quality_.at("rank " + std::to_string(halves_.rank));
  count("unmatched-send", Severity::warning, unmatched_sends_,
        "a message was sent that nobody received; it was left out",
        "normal at the end of a killed job; otherwise some rank's records are missing, or the program leaves messages "
        "behind");
  count("unmatched-receive", Severity::warning, unmatched_receives_,
        "a message was received that nobody sent; it was left out", "some rank's records are missing: record again");
  count("message-across-gap", Severity::warning, across_gap_,
        "messages after a stretch without recording could not be paired safely; they were left out",
        "switch recording off and on where no message is under way, on all ranks");
}

void pair_messages(const std::vector<Buffer>& incoming, const std::function<RankMessages*(std::uint32_t)>& rank,
                   std::vector<Buffer>& answers) {
  for (std::size_t from = 0; from < incoming.size(); ++from) {
    // One answer costs no more than its block, so the size is known.
    answers[from].reserve(incoming[from].size());
    BufferReader in(incoming[from]);
    while (!in.empty()) {
      BufferReader peek = in;
      const auto head = peek.take<MessageBlockHead>();
      rank(head.key.peer)->pair_block(head.source, in, answers[from]);
    }
  }
}

void take_answers(const std::vector<Buffer>& incoming, const std::function<RankMessages*(std::uint32_t)>& rank) {
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      BufferReader peek = in;
      rank(peek.take<AnswerHead>().source)->take_answer(in);
    }
  }
}

}  // namespace mora::analysis
