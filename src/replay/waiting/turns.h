/// Whose turn it is: locations that can go on, earliest first, and those that are blocked. O(log locations) per turn.
#pragma once

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "replay/waiting/under_way.h"

namespace mora::replay {

class Turns {
 public:
  /// `shuffle`: not 0: turns and slices are drawn from it.
  Turns(std::size_t locations, std::uint64_t shuffle)
      : shuffles_(shuffle != 0), random_(shuffle), blocked_since_(locations), is_blocked_(locations) {}

  /// There is one more location.
  void add() {
    blocked_since_.push_back(0);
    is_blocked_.push_back(false);
  }
  /// The location can go on.
  void wake(trace::LocationId l, Nanoseconds now) {
    if (is_blocked(l) && keeps_blocked_) blocked_.erase({blocked_since_[l], l});
    is_blocked_[l] = false;
    ready_.push({shuffles_ ? static_cast<std::int64_t>(draw() >> 1) : now, l});
  }
  /// It cannot. The blocked locations are kept in order of time only once that is needed: sound traces never need it.
  void block(trace::LocationId l, Nanoseconds now) {
    blocked_since_[l] = now;
    is_blocked_[l] = true;
    if (keeps_blocked_) blocked_.emplace(now, l);
  }
  bool is_blocked(trace::LocationId l) const { return is_blocked_[l]; }

  /// Whose turn it is; no_id: nobody's.
  trace::LocationId next() {
    if (ready_.empty()) return no_id;
    const trace::LocationId l = ready_.top().location;
    ready_.pop();
    return l;
  }
  /// No location can go on.
  bool is_nobodys() const { return ready_.empty(); }
  /// No location that can go on does anything before; INT64_MIN: it is not known. Precondition: one can.
  Nanoseconds earliest() const { return shuffles_ ? INT64_MIN : ready_.top().key; }
  std::uint64_t slice() { return shuffles_ ? 1 + draw() % 4 : 1024; }

  /// The earliest blocked location before `end`; no_id: none is.
  trace::LocationId earliest_blocked(trace::LocationId end) {
    if (!keeps_blocked_) {
      keeps_blocked_ = true;
      for (trace::LocationId l = 0; l < is_blocked_.size(); ++l) {
        if (is_blocked(l)) blocked_.emplace(blocked_since_[l], l);
      }
    }
    const auto at = std::find_if(blocked_.begin(), blocked_.end(), [&](const auto& one) { return one.second < end; });
    return at == blocked_.end() ? no_id : at->second;
  }

 private:
  struct Turn {
    std::int64_t key;
    trace::LocationId location;
    bool operator>(const Turn& other) const { return std::tie(key, location) > std::tie(other.key, other.location); }
  };
  std::uint64_t draw() {
    std::uint64_t z = (random_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    return z ^ (z >> 31);
  }
  const bool shuffles_;
  std::uint64_t random_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> ready_;
  std::vector<Nanoseconds> blocked_since_;
  std::vector<bool> is_blocked_;
  std::set<std::pair<Nanoseconds, trace::LocationId>> blocked_;
  bool keeps_blocked_ = false;
};

}  // namespace mora::replay
