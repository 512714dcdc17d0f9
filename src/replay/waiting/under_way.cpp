/// Arrivals, and which waiting locations each of them wakes.
#include "replay/waiting/under_way.h"

#include <algorithm>

namespace mora::replay {

// ---- InFlight

void InFlight::give(std::uint32_t sequence, std::uint32_t serial, Nanoseconds time, bool sender_waits, Woken& woken) {
  Message& message = messages_.at(sequence, serial);
  message.handed_over = time;
  message.sender_waits = sender_waits;
  if (message.receiver != no_id) woken.push_back(message.receiver);
  message.receiver = no_id;
}

std::optional<Nanoseconds> InFlight::look(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location) {
  Message& message = messages_.at(sequence, serial);
  if (message.handed_over != never) return message.handed_over;
  message.receiver = location;
  return {};
}

std::optional<Nanoseconds> InFlight::take(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location) {
  Message& message = messages_.at(sequence, serial);
  if (message.handed_over == never) {
    message.receiver = location;
    return {};
  }
  const Nanoseconds time = message.handed_over;
  if (message.sender_waits)
    message.is_taken = true;
  else
    messages_.erase(sequence, serial);
  return time;
}

void InFlight::post(std::uint32_t sequence, std::uint32_t serial, Nanoseconds time, Woken& woken) {
  Message& message = messages_.at(sequence, serial);
  message.posted = time;
  if (message.sender != no_id) woken.push_back(message.sender);
  message.sender = no_id;
}

std::optional<Nanoseconds> InFlight::posted(std::uint32_t sequence, std::uint32_t serial) {
  const Message* const message = messages_.find(sequence, serial);
  return message == nullptr || message->posted == never ? std::nullopt : std::optional(message->posted);
}

std::optional<InFlight::Met> InFlight::meet(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location) {
  Message& message = messages_.at(sequence, serial);
  if (message.posted == never) {
    message.sender = location;
    return {};
  }
  const Met met{message.handed_over, message.posted};
  message.sender_waits = false;
  if (message.is_taken) messages_.erase(sequence, serial);
  return met;
}

// ---- CollectiveUnderWay

CollectiveUnderWay::CollectiveUnderWay(std::uint32_t members, bool by_position) : members_(members) {
  if (by_position) by_position_ = std::make_unique<ByPosition>(members);
}

void CollectiveUnderWay::arrive(const Arrival& a, Woken& woken) {
  const auto wake = [&](std::vector<trace::LocationId>& waiting) {
    woken.insert(woken.end(), waiting.begin(), waiting.end());
    waiting.clear();
  };
  ++arrived_;
  all_ = std::max(all_, a.time);
  if (a.sends) senders_ = std::max(senders_, a.time);
  recorded_ = std::max(recorded_, a.recorded);
  if (a.is_root) {
    roots_.emplace_back(a.rank, a.time);
    wake(waiting_for_root_);
  }
  if (is_complete()) {
    wake(waiting_for_root_);
    wake(waiting_for_all_);
  }
  if (by_position_ == nullptr) return;
  ByPosition& p = *by_position_;
  p.times[a.position] = a.time;
  p.sends[a.position] = a.sends;
  for (; p.known < members_ && p.times[p.known] != never; ++p.known) {
    p.below[p.known + 1] = p.sends[p.known] ? std::max(p.below[p.known], p.times[p.known]) : p.below[p.known];
    if (p.waiting_below[p.known + 1] != no_id) woken.push_back(p.waiting_below[p.known + 1]);
  }
  if (const auto at = p.waiting_for.find(a.position); at != p.waiting_for.end()) {
    wake(at->second);
    p.waiting_for.erase(at);
  }
}

std::optional<Nanoseconds> CollectiveUnderWay::value(Need need, std::uint32_t position,
                                                     std::span<const std::uint32_t> needed,
                                                     trace::LocationId location) {
  switch (need) {
    case Need::nobody:
      return never;
    case Need::root:
      for (const auto& [rank, time] : roots_) {
        if (!needed.empty() && rank == needed[0]) return time;
      }
      if (is_complete()) return senders_;  // it does not say that it is the root
      waiting_for_root_.push_back(location);
      return {};
    case Need::lower:
      if (by_position_->known >= position) return by_position_->below[position];
      by_position_->waiting_below[position] = location;
      return {};
    case Need::partners: {
      Nanoseconds latest = never;
      for (const std::uint32_t partner : needed) {
        if (by_position_->times[partner] == never) {
          by_position_->waiting_for[partner].push_back(location);
          return {};
        }
        latest = std::max(latest, by_position_->times[partner]);
      }
      return latest;
    }
    case Need::all:
    case Need::senders:
      break;
  }
  if (is_complete()) return need == Need::all ? all_ : senders_;
  waiting_for_all_.push_back(location);
  return {};
}

}  // namespace mora::replay
