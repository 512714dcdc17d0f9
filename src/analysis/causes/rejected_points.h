/// Synchronisation points of one location at which its causes turned out to be behind (causes.h). Whether one was is
/// the same for every later wait: each point is asked about once, and a search jumps over all that follow each other.
/// Cost: amortised O(log n) for n points, whatever the number of waits; memory: 100 bytes for each of these points.
/// Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/core/sync_points.h"

namespace mora::analysis {

class RejectedPoints {
 public:
  void add(cube::LocationId cause, const LastSyncPoint& point) { next_.try_emplace(key(cause, point)); }

  /// The point itself or, if it was rejected, the next one that was not. `next(point)`: the one to be tried after it.
  template <class Next>
  std::optional<LastSyncPoint> skip(cube::LocationId cause, std::optional<LastSyncPoint> point, const Next& next) {
    passed_.clear();
    while (point && !next_.empty()) {
      const auto found = next_.find(key(cause, *point));
      if (found == next_.end()) break;
      Step& step = found->second;
      if (!step.is_known) step = {next(*point), true};
      passed_.push_back(&step);
      point = step.to;
    }
    for (Step* step : passed_) step->to = point;
    return point;
  }

 private:
  /// A collective point ends all of its time, so that its time says which it is.
  struct Key {
    cube::LocationId cause = 0;
    bool is_group = false;
    Nanoseconds time = 0;
    Nanoseconds partner_time = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      constexpr std::size_t odd = 0x9E3779B97F4A7C15;
      std::size_t sum = k.cause * std::size_t{2} + (k.is_group ? 1 : 0);
      for (const Nanoseconds time : {k.time, k.partner_time}) sum = (sum ^ static_cast<std::size_t>(time)) * odd;
      return sum ^ sum >> 32;
    }
  };
  struct Step {
    std::optional<LastSyncPoint> to;  ///< none: there is none before it
    bool is_known = false;
  };
  static Key key(cube::LocationId cause, const LastSyncPoint& point) {
    return {cause, point.is_group, point.time, point.partner_time};
  }
  std::unordered_map<Key, Step, Hash> next_;
  std::vector<Step*> passed_;
};

}  // namespace mora::analysis
