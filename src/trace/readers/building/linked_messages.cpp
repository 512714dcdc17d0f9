#include "trace/readers/building/linked_messages.h"

#include <xxhash.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <tuple>

namespace mora::trace {
namespace {

auto channel_of(const LinkedMessages::Half& send, std::span<const LinkedMessages::Place> places) {
  return std::tuple(places[send.place].rank, send.peer, send.comm, send.tag);
}

/// Where the half stands among all halves of its rank.
auto position_of(const LinkedMessages::Half& half, std::uint32_t number,
                 std::span<const LinkedMessages::Place> places) {
  return std::pair(places[half.place].thread, number);
}

}  // namespace

std::uint32_t LinkedMessages::add(std::string_view key, Half half) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  half.key[0] = hash.high64;
  half.key[1] = hash.low64;
  halves_.push_back(half);
  return size() - 1;
}

void LinkedMessages::link(std::span<const Place> places, CommId otherwise) {
  pair_by_key();
  for (Half& half : halves_) {
    if (half.comm == no_id) half.comm = otherwise;
    if (half.partner != no_id) half.peer = places[halves_[half.partner].place].rank;
  }
  give_tags(places);
}

void LinkedMessages::pair_by_key() {
  std::vector<std::uint32_t> sorted(halves_.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Half& x = halves_[a];
    const Half& y = halves_[b];
    return std::tuple(x.key[0], x.key[1], !x.is_send, x.order, a) <
           std::tuple(y.key[0], y.key[1], !y.is_send, y.order, b);
  });
  const auto same_key = [&](std::size_t a, std::size_t b) {
    return halves_[sorted[a]].key[0] == halves_[sorted[b]].key[0] &&
           halves_[sorted[a]].key[1] == halves_[sorted[b]].key[1];
  };
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t middle = first;
    while (middle < sorted.size() && same_key(first, middle) && halves_[sorted[middle]].is_send) ++middle;
    std::size_t last = middle;
    while (last < sorted.size() && same_key(first, last)) ++last;
    for (std::size_t s = first, r = middle; s < middle && r < last; ++s, ++r) {
      Half& send = halves_[sorted[s]];
      Half& receive = halves_[sorted[r]];
      send.partner = sorted[r];
      receive.partner = sorted[s];
      if (!send.has_tag) std::tie(send.tag, send.has_tag) = std::tuple(receive.tag, receive.has_tag);
      std::tie(receive.tag, receive.has_tag) = std::tuple(send.tag, send.has_tag);
      if (send.comm == no_id) send.comm = receive.comm;
      receive.comm = send.comm;
      if (!send.has_bytes) send.bytes = receive.bytes;
      if (!receive.has_bytes) receive.bytes = send.bytes;
    }
    first = last;
  }
}

/// Gives tags with which MPI's rule finds the pairs again. The sends of one channel are taken in their order: within
/// one tag their receives must ascend. Each pair goes to the first sequence whose last receive stands before its own
/// (the last receives of the sequences descend, so binary search finds it); sequence 0 keeps the channel's tag.
void LinkedMessages::give_tags(std::span<const Place> places) {
  std::vector<std::uint32_t> sends;
  for (std::uint32_t i = 0; i < halves_.size(); ++i) {
    if (halves_[i].is_send && halves_[i].partner != no_id) sends.push_back(i);
  }
  std::sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(channel_of(halves_[a], places), position_of(halves_[a], a, places)) <
           std::tuple(channel_of(halves_[b], places), position_of(halves_[b], b, places));
  });
  // Tags of the format's own are left alone: where there are any, new ones come from the lower end of the numbers.
  const bool tagged = std::any_of(halves_.begin(), halves_.end(), [](const Half& half) { return half.has_tag; });
  const auto pair_of = [&](std::uint32_t send) {
    return std::tuple(places[halves_[send].place].rank, halves_[send].peer, halves_[send].comm);
  };
  std::int64_t new_tags = tagged ? INT32_MIN : 0;
  // Per channel: the position of the last receive of each sequence so far, decreasing.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tails;
  for (std::size_t i = 0; i < sends.size();) {
    const auto channel = channel_of(halves_[sends[i]], places);
    tails.clear();
    if (i > 0 && pair_of(sends[i]) != pair_of(sends[i - 1])) new_tags = tagged ? INT32_MIN : 0;
    for (; i < sends.size() && channel_of(halves_[sends[i]], places) == channel; ++i) {
      Half& send = halves_[sends[i]];
      Half& receive = halves_[send.partner];
      const auto at = position_of(receive, send.partner, places);
      const auto sequence = std::lower_bound(tails.begin(), tails.end(), at,
                                             [](const auto& tail, const auto& value) { return tail > value; }) -
                            tails.begin();
      if (static_cast<std::size_t>(sequence) == tails.size()) {
        tails.push_back(at);
      } else {
        tails[static_cast<std::size_t>(sequence)] = at;
      }
      if (sequence == 0) continue;
      if (send.has_tag) ++overtaking_;
      receive.tag = static_cast<std::int32_t>(new_tags + sequence);
    }
    new_tags += static_cast<std::int64_t>(tails.size()) - 1;
  }
  for (Half& half : halves_) {
    if (half.is_send && half.partner != no_id) half.tag = halves_[half.partner].tag;
  }
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
