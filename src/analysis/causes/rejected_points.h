/// Synchronisation points of one location at which its causes turned out to be behind (causes.h). Whether one was is
/// the same for every later wait: each point is asked about once, and a search jumps over all that follow each other.
/// Cost: amortised O(log n) for n points, whatever the number of waits. Memory: 72 bytes for each of these points, in
/// the order in which they were found, and 8 to 16 of a table, all in the storage (../storage/storage.h): there may be
/// one for each wait. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/core/sync_points.h"
#include "analysis/storage/chunked.h"

namespace mora::analysis {

class RejectedPoints {
 public:
  void add(cube::LocationId cause, const LastSyncPoint& point) {
    if (2 * (steps_.size() + 1) > table_.size()) grow();
    const Key key = key_of(cause, point);
    std::uint32_t& number = place(key);
    if (number != 0) return;
    steps_.push_back({key, {}, false, false});
    number = static_cast<std::uint32_t>(steps_.size());
  }

  /// The point itself or, if it was rejected, the next one that was not. `next(point)`: the one to be tried after it.
  template <class Next>
  std::optional<LastSyncPoint> skip(cube::LocationId cause, std::optional<LastSyncPoint> point, const Next& next) {
    passed_.clear();
    while (point && !steps_.empty()) {
      const std::uint32_t number = place(key_of(cause, *point));
      if (number == 0) break;
      Step& step = steps_[number - 1];
      if (!step.is_known) step.lead_to(next(*point));
      passed_.push_back(number);
      point = step.has_to ? std::optional(step.to) : std::nullopt;
    }
    for (const std::uint32_t number : passed_) steps_[number - 1].lead_to(point);
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
    std::size_t hash() const {
      constexpr std::size_t odd = 0x9E3779B97F4A7C15;
      std::size_t sum = cause * std::size_t{2} + (is_group ? 1 : 0);
      for (const Nanoseconds each : {time, partner_time}) sum = (sum ^ static_cast<std::size_t>(each)) * odd;
      return sum ^ sum >> 32;
    }
  };
  struct Step {
    Key key;
    LastSyncPoint to;
    bool has_to = false;  ///< no: there is none before it
    bool is_known = false;
    void lead_to(const std::optional<LastSyncPoint>& point) {
      is_known = true;
      has_to = point.has_value();
      if (point) to = *point;
    }
  };
  static Key key_of(cube::LocationId cause, const LastSyncPoint& point) {
    return {cause, point.is_group, point.time, point.partner_time};
  }
  /// Where the step's number, from 1, stands, or may be put.
  std::uint32_t& place(const Key& key) {
    const std::size_t last = table_.size() - 1;
    std::size_t at = key.hash() & last;
    while (table_[at] != 0 && !(steps_[table_[at] - 1].key == key)) at = (at + 1) & last;
    return table_[at];
  }
  void grow() {
    table_.assign(table_.empty() ? 64 : 2 * table_.size(), 0);
    StoragePace pace;
    for (std::uint32_t number = 1; number <= steps_.size(); ++number) {
      place(steps_[number - 1].key) = number;
      pace.step();
    }
  }

  Chunked<Step> steps_;
  SpillVector<std::uint32_t> table_;  ///< numbers of steps, 0: free; its size is a power of two
  std::vector<std::uint32_t> passed_;
};

}  // namespace mora::analysis
