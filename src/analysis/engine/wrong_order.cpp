/// Late Sender in wrong order.
///
/// A Late Sender instance j is in wrong order if a receive that a *later* call of the same location completed belongs
/// to a message that was sent earlier than j's: that message was there already and could have been received first. The
/// first such receive decides whether the other message had the same source (order of calls; within a call the earliest
/// sent, then the smallest source, since the order of records within a call has no meaning).
///
/// Idea: backwards over the completing calls this is the question for the nearest smaller value: a stack of receives
/// whose send times decrease with the distance, searched by bisection. Source: Scalasca 2.6, MPI Late Sender, Wrong
/// Order Time; Mora's rule late-sender-wrong-order (Scalasca keeps the last 100 instances only). Cost: O(n log n) for n
/// receives; 8 bytes per receive, 24 per instance. Limit: locations (threads) of a rank are apart, since a thread can
/// only choose among its own receives.
#include "analysis/engine/wrong_order.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "analysis/patterns/pattern.h"
#include "analysis/storage/sorted_by.h"

namespace mora::analysis {

namespace {

constexpr Nanoseconds never_paired = INT64_MIN;

struct WrongOrderMetrics {
  cube::MetricId all = metric_index("late-sender-wrong-order");
  cube::MetricId same = metric_index("late-sender-wrong-order-same-source");
  cube::MetricId different = metric_index("late-sender-wrong-order-different-source");
  cube::MetricId with_bytes = metric_index("late-sender-wrong-order-communications");
  cube::MetricId without = metric_index("late-sender-wrong-order-synchronizations");
};

}  // namespace

void WrongOrder::note_receive(std::uint32_t receive, Nanoseconds sent) {
  if (sent_.empty()) sent_.assign(halves_.receives.size(), never_paired);
  sent_[receive] = sent;
}

/// Most receives of a program that waits often are instances: one piece of memory, which is not moved. On the heap what
/// is not used of it takes nothing.
void WrongOrder::note_instance(const LateSenderInstance& instance) {
  if (instances_.empty() && Storage::current() == nullptr) instances_.reserve(halves_.receives.size());
  instances_.push_back(instance);
}

Nanoseconds WrongOrder::amount(const LateSenderInstance& instance) const {
  const Call& call = halves_.calls[instance.call];
  return late_sender(instance.sent, call.enter, call.leave);
}

void WrongOrder::finish(const std::function<cube::CallPathId(const Call&)>& path, Scores& scores) {
  if (instances_.empty()) return;
  static const WrongOrderMetrics metrics;
  SpillVector<Received> received;
  for (std::uint32_t r = 0; r < sent_.size(); ++r) {
    if (sent_[r] == never_paired) continue;
    const ReceiveHalf& half = halves_.receives[r];
    received.push_back(Received{half.complete, halves_.receive_channels.keys[half.channel].peer, sent_[r]});
  }
  SpillVector<Nanoseconds>().swap(sent_);
  const auto earlier = [](const Received& a, const Received& b) {
    return std::tie(a.call, a.sent, a.source) < std::tie(b.call, b.sent, b.source);
  };
  if (!merge_runs(received, earlier)) std::sort(received.begin(), received.end(), earlier);
  // Each channel's are in order; there is one for each call.
  std::reverse(instances_.begin(), instances_.end());
  const auto later_call = [](const LateSenderInstance& a, const LateSenderInstance& b) { return a.call > b.call; };
  if (!merge_runs(instances_, later_call)) std::sort(instances_.begin(), instances_.end(), later_call);
  charge_late_senders(path, received, scores);
  std::vector<Received> later;  // bottom: the farthest and earliest sent
  std::size_t left = received.size();
  std::uint16_t thread = 0;
  for (const LateSenderInstance& instance : instances_) {
    const Call& call = halves_.calls[instance.call];
    if (call.thread != thread) later.clear();
    thread = call.thread;
    for (; left > 0 && received[left - 1].call > instance.call; --left) {
      const Received& next = received[left - 1];
      if (halves_.calls[next.call].thread != thread) continue;
      while (!later.empty() && later.back().sent >= next.sent) later.pop_back();
      later.push_back(next);
    }
    const auto place =
        std::partition_point(later.begin(), later.end(), [&](const Received& r) { return r.sent < instance.sent; });
    if (place == later.begin()) continue;
    const Received& older = *(place - 1);
    const cube::LocationId location = halves_.locations[call.thread];
    Wait wait{
        metrics.all, location, path(call), call.enter, amount(instance), instance.cause, instance.cause_call_path};
    add_wait(wait, call, scores);
    wait.metric = older.source == instance.source ? metrics.same : metrics.different;
    add_wait(wait, call, scores);
    scores.count(instance.has_bytes ? metrics.with_bytes : metrics.without, wait.call_path, location, 1);
  }
  SpillVector<LateSenderInstance>().swap(instances_);
}

/// First come, first served: from the first call on.
void WrongOrder::charge_late_senders(const std::function<cube::CallPathId(const Call&)>& path,
                                     const SpillVector<Received>& received, Scores& scores) const {
  static const cube::MetricId late_sender = metric_index("late-sender");
  static const cube::MetricId avoidable = metric_index("late-sender-avoidable");
  std::optional<ReceiveOrder> order;
  if (sync_points_ != nullptr) order.emplace(halves_, *sync_points_, received);
  for (auto i = instances_.rbegin(); i != instances_.rend(); ++i) {
    const Call& call = halves_.calls[i->call];
    const cube::LocationId location = halves_.locations[call.thread];
    Wait wait{late_sender, location, path(call), call.enter, amount(*i), i->cause, i->cause_call_path};
    if (order) wait.own = order->avoidable(i->call, i->sent, wait.amount);
    if (wait.own > 0) scores.count(avoidable, wait.call_path, location, wait.own);
    add_wait(wait, call, scores);
  }
}

}  // namespace mora::analysis
