/// Avoidable waiting for messages.
///
/// A receive j waits although message i, which is taken later, is there. That is the receiver's own fault only if it
/// could have taken i at once and done something with it: between j and the receive of i it only computes and receives,
/// so that nobody else could see the difference, and it computes after a message before it takes the next. What it
/// computes after i (after the last one before it sends or meets others: at most the mean of the others, since the rest
/// may need them all) could have been done while it waited for j: from the later of the wait's begin and i's send on,
/// one message after the other, earliest sent first, until j was sent.
///
/// Not avoidable is therefore what an exchange of borders waits for (nothing is computed between its receives), or a
/// message for a later step that was sent early (what is between is sent to others, or all meet).
///
/// Source: Mora's rule avoidable-order. Cost: O(receives looked at, at most `most_following`, x log collectives) for
/// each Late Sender; 8 bytes per collective call meanwhile. Limit: what calls without messages or collectives do
/// (files, one-sided operations) counts as computation.
#include "analysis/engine/avoidable.h"

#include <algorithm>

namespace mora::analysis {

namespace {

constexpr std::size_t most_following = 64;

}  // namespace

ReceiveOrder::ReceiveOrder(const RankHalves& halves, const SyncPoints& sync_points,
                           const SpillVector<Received>& received)
    : halves_(halves),
      group_begins_(sync_points.group_begins()),
      received_(received),
      sends_(halves.calls.size()),
      is_used_(received.size()) {
  for (std::size_t i = 0; i < halves.sends.size(); ++i) {
    if (halves.sends[i].start != no_id) sends_[halves.sends[i].start] = true;
  }
}

Nanoseconds ReceiveOrder::next_group_begin(Nanoseconds time) const {
  const auto at = std::lower_bound(group_begins_.begin(), group_begins_.end(), time);
  return at == group_begins_.end() ? INT64_MAX : *at;
}

std::uint32_t ReceiveOrder::next_call(std::uint32_t call) const {
  const std::uint16_t thread = halves_.calls[call].thread;
  for (++call; call < halves_.calls.size(); ++call) {
    if (halves_.calls[call].thread == thread && (halves_.calls[call].flags & call_is_none) == 0) return call;
  }
  return no_id;
}

Nanoseconds ReceiveOrder::gap_after(std::uint32_t call) const {
  const Nanoseconds leave = halves_.calls[call].leave;
  const std::uint32_t next = next_call(call);
  const Nanoseconds end = next == no_id ? halves_.last : halves_.calls[next].enter;
  return std::max<Nanoseconds>(0, std::min(end, next_group_begin(leave)) - leave);
}

void ReceiveOrder::collect(std::uint32_t call) {
  following_.clear();
  if (const std::uint32_t next = next_call(call); next == no_id || sends_[next]) return;
  const Nanoseconds group_begin = next_group_begin(halves_.calls[call].leave);
  auto at = static_cast<std::size_t>(std::upper_bound(received_.begin(), received_.end(), call,
                                                      [](std::uint32_t c, const Received& r) { return c < r.call; }) -
                                     received_.begin());
  Nanoseconds work = 0;
  std::uint32_t calls = 1;
  for (std::uint32_t next = next_call(call); next != no_id && following_.size() < most_following;
       next = next_call(next)) {
    if (sends_[next] || halves_.calls[next].enter >= group_begin) break;
    while (at < received_.size() && received_[at].call < next) ++at;
    if (at == received_.size()) break;
    if (received_[at].call != next) continue;  // posts, probes
    const Nanoseconds gap = gap_after(next);
    following_.push_back({at, gap});
    work += gap;
    ++calls;
  }
  if (following_.empty()) return;
  work += gap_after(call);
  Taken& last = following_.back();
  last.work = std::min(last.work, (work - last.work) / (calls - 1));
}

Nanoseconds ReceiveOrder::avoidable(std::uint32_t call, Nanoseconds sent, Nanoseconds amount) {
  collect(call);
  if (following_.empty()) return 0;
  std::erase_if(following_, [&](const Taken& t) {
    return t.work == 0 || received_[t.message].sent >= sent || is_used_[t.message];
  });
  std::stable_sort(following_.begin(), following_.end(), [&](const Taken& a, const Taken& b) {
    return received_[a.message].sent < received_[b.message].sent;
  });
  const Nanoseconds begin = halves_.calls[call].enter, end = begin + amount;
  Nanoseconds at = begin, sum = 0;
  for (const Taken& t : following_) {
    at = std::max(at, received_[t.message].sent);
    if (at >= end) break;
    const Nanoseconds done = std::min(t.work, end - at);
    is_used_[t.message] = true;
    at += done;
    sum += done;
  }
  return sum;
}

}  // namespace mora::analysis
