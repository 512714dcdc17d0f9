#include "trace/readers/building/linked_messages.h"

#include <xxhash.h>

#include <algorithm>
#include <climits>
#include <tuple>
#include <vector>

namespace mora::trace {
namespace {

auto key_of(const LinkedMessages::Half& half) { return std::pair(half.key[0], half.key[1]); }

/// What a temporary file did not give back.
tl::unexpected<Error> lost_halves() {
  return fail(ErrorKind::system, "cannot read intermediate data", "the temporary file of messages", "",
              "check the disk, or name another directory: TMPDIR=/path mora …");
}

template <class Runs>
Result<void> kept(const Runs& runs) {
  if (runs.failure()) return tl::unexpected(*runs.failure());
  return {};
}

}  // namespace

bool LinkedMessages::ByKey::operator()(const Half& a, const Half& b) const {
  return std::tuple(key_of(a), a.order, a.number) < std::tuple(key_of(b), b.order, b.number);
}

/// By channel, then as the sender's events stand.
bool LinkedMessages::ByChannel::operator()(const Pair& a, const Pair& b) const {
  return std::tuple(a.channel(), a.from.thread, a.send.number) < std::tuple(b.channel(), b.from.thread, b.send.number);
}

LinkedMessages::LinkedMessages(std::size_t budget)
    : sends_(budget / 4), receives_(budget / 4), pairs_(budget / 4), linked_(budget / 4) {}

std::uint32_t LinkedMessages::add(std::string_view key, Half half) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  half.key[0] = hash.high64;
  half.key[1] = hash.low64;
  half.number = size_++;
  tagged_ = tagged_ || half.has_tag;
  half.is_send ? sends_.add(half) : receives_.add(half);
  return half.number;
}

Result<void> LinkedMessages::link(std::span<const Place> places, CommId otherwise) {
  MORA_CHECK_OK(pair_by_key(places, otherwise));
  MORA_CHECK_OK(give_tags());
  linked_.sort();
  return kept(linked_);
}

Result<void> LinkedMessages::pair_by_key(std::span<const Place> places, CommId otherwise) {
  sends_.sort();
  receives_.sort();
  MORA_CHECK_OK(kept(sends_));
  MORA_CHECK_OK(kept(receives_));
  {
    auto sends = sends_.cursor();
    auto receives = receives_.cursor();
    const Half* send = sends.next();
    const Half* receive = receives.next();
    const auto alone = [&](const Half& half) {
      Half one = half;
      if (one.comm == no_id) one.comm = otherwise;
      linked_.add(one);
    };
    while (send != nullptr || receive != nullptr) {
      if (receive == nullptr || (send != nullptr && key_of(*send) < key_of(*receive))) {
        alone(*send);
        send = sends.next();
        continue;
      }
      if (send == nullptr || key_of(*receive) < key_of(*send)) {
        alone(*receive);
        receive = receives.next();
        continue;
      }
      Pair pair{*send, *receive, places[send->place], places[receive->place]};
      Half& s = pair.send;
      Half& r = pair.receive;
      if (!s.has_tag) std::tie(s.tag, s.has_tag) = std::tuple(r.tag, r.has_tag);
      r.tag = s.tag;
      if (s.comm == no_id) s.comm = r.comm == no_id ? otherwise : r.comm;
      r.comm = s.comm;
      if (!s.has_bytes) s.bytes = r.bytes;
      if (!r.has_bytes) r.bytes = s.bytes;
      std::tie(s.partner, s.partner_place, s.peer) = std::tuple(r.number, r.place, pair.to.rank);
      std::tie(r.partner, r.partner_place, r.peer) = std::tuple(s.number, s.place, pair.from.rank);
      pairs_.add(pair);
      send = sends.next();
      receive = receives.next();
    }
    if (sends.failed() || receives.failed()) return lost_halves();
  }
  sends_.clear();
  receives_.clear();
  pairs_.sort();
  return kept(pairs_);
}

/// Gives tags with which MPI's rule finds the pairs again. The sends of one channel are taken in their order: within
/// one tag their receives must ascend. Each pair goes to the first sequence whose last receive stands before its own
/// (the last receives of the sequences descend, so binary search finds it); sequence 0 keeps the channel's tag.
Result<void> LinkedMessages::give_tags() {
  // Tags of the format's own are left alone: where there are any, new ones come from the lower end of the numbers.
  const std::int64_t first_tag = tagged_ ? INT32_MIN : 0;
  std::int64_t new_tags = first_tag;
  // Of one channel: the position of the last receive of each sequence so far, decreasing.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tails;
  {
    const auto without_tag = [](const Pair& p) { return std::tuple(p.from.rank, p.to.rank, p.send.comm); };
    auto pairs = pairs_.cursor();
    std::optional<Pair> before;
    while (const Pair* next = pairs.next()) {
      Pair pair = *next;
      if (before && before->channel() != pair.channel()) {
        new_tags += static_cast<std::int64_t>(tails.size()) - 1;
        tails.clear();
        if (without_tag(*before) != without_tag(pair)) new_tags = first_tag;
      }
      before = pair;
      const std::pair at(pair.to.thread, pair.receive.number);
      const auto sequence = std::lower_bound(tails.begin(), tails.end(), at,
                                             [](const auto& tail, const auto& value) { return tail > value; }) -
                            tails.begin();
      if (static_cast<std::size_t>(sequence) == tails.size()) {
        tails.push_back(at);
      } else {
        tails[static_cast<std::size_t>(sequence)] = at;
      }
      if (sequence != 0) {
        if (pair.send.has_tag) ++overtaking_;
        pair.send.tag = pair.receive.tag = static_cast<std::int32_t>(new_tags + sequence);
      }
      linked_.add(pair.send);
      linked_.add(pair.receive);
    }
    if (pairs.failed()) return lost_halves();
  }
  pairs_.clear();
  return {};
}

Event message_event(const LinkedMessages::Half& half, CallClass inside, std::uint64_t& requests) {
  Event event;
  event.peer = half.peer;
  event.tag = half.tag;
  event.bytes = half.bytes;
  event.comm = half.comm;
  if (half.is_send) {
    const bool is_started = inside == CallClass::send_start || inside == CallClass::start;
    event.kind = is_started ? EventKind::send_request : EventKind::send;
  } else {
    event.kind = completes_requests(inside) ? EventKind::receive_complete : EventKind::receive;
  }
  if (event.kind == EventKind::send_request || event.kind == EventKind::receive_complete) event.request = ++requests;
  return event;
}

}  // namespace mora::trace
