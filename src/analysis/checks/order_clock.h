/// Vector clocks: what of each origin's completions is known to have happened.
///
/// Component o of a clock is a number of completions of origin o (Mattern 1989; Fidge 1988); a completion happened
/// before an event if the event's clock knows it. Clocks share their components until one of them changes, so that a
/// barrier costs one copy and not one per member. Cost: O(1) where one clock is the other with one component more, else
/// O(origins) per join. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/definitions.h"

namespace mora::analysis::checks {

class OrderClock {
 public:
  /// `origin`: whose component this clock itself advances; no_id: none. Nothing is known.
  explicit OrderClock(std::size_t origins, std::uint32_t origin = trace::no_id)
      : known_(std::make_shared<std::vector<std::uint32_t>>(origins, 0)), origin_(origin) {}

  std::uint32_t knows(std::uint32_t origin) const { return std::max(origin == origin_ ? own_ : 0, (*known_)[origin]); }
  /// The number of the completion; of an origin's own clock.
  std::uint32_t complete() { return ++own_; }

  void join(const OrderClock& other) {
    if (known_ != other.known_) {
      if (is_below(*other.known_)) {
        known_ = other.known_;
      } else {
        std::vector<std::uint32_t>& mine = change();
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], (*other.known_)[i]);
      }
    }
    if (other.origin_ != trace::no_id && knows(other.origin_) < other.own_) change()[other.origin_] = other.own_;
  }

 private:
  bool is_below(const std::vector<std::uint32_t>& other) const {
    std::uint32_t more = 0;
    for (std::size_t i = 0; i < other.size(); ++i) more |= static_cast<std::uint32_t>((*known_)[i] > other[i]);
    return more == 0;
  }
  std::vector<std::uint32_t>& change() {
    if (known_.use_count() > 1) known_ = std::make_shared<std::vector<std::uint32_t>>(*known_);
    return *known_;
  }
  std::shared_ptr<std::vector<std::uint32_t>> known_;  ///< its own component may be old
  std::uint32_t origin_ = trace::no_id;
  std::uint32_t own_ = 0;
};

}  // namespace mora::analysis::checks
