/// Activity: how long a location was in which call path between two times, waiting left out. Before its first record
/// a location is in the program's root.
///
/// Idea: sums over blocks of 32 segments of its timeline, over blocks of 16 such blocks, and so on; an interval is a
/// few blocks and two ragged ends. Cost: O(32 + call paths x log(length)) per question, whatever the length; memory: at
/// most one entry of 16 bytes per segment and level, usually a tenth. Immutable once made, so several threads may ask;
/// each needs a Tally of its own. Times in ns.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/causes/wait_list.h"
#include "analysis/core/timeline.h"

namespace mora::analysis {

/// Amounts (ns) by local call-tree node, sparse; reused from question to question. Not thread-safe.
class Tally {
 public:
  void reset(std::size_t nodes) {
    for (const std::uint32_t node : touched_) amounts_[node] = 0;
    touched_.clear();
    if (amounts_.size() < nodes) amounts_.resize(nodes);
  }
  void add(std::uint32_t node, Nanoseconds amount) {
    if (amount == 0) return;
    if (amounts_[node] == 0) touched_.push_back(node);
    amounts_[node] += amount;
  }
  Nanoseconds operator[](std::uint32_t node) const { return node < amounts_.size() ? amounts_[node] : 0; }
  /// In order of first touch.
  const std::vector<std::uint32_t>& touched() const { return touched_; }

  /// Where the last question ended: guesses for the next one.
  std::size_t segment = 0;
  std::size_t wait = 0;

 private:
  std::vector<Nanoseconds> amounts_;
  std::vector<std::uint32_t> touched_;
};

/// The sums over blocks of one location. Built in O(segments).
class Activity {
 public:
  /// Both outlive this object.
  Activity(const Timeline& timeline, const WaitList& waits, std::size_t nodes);

  /// Adds the activity in [from, to) to `tally`, which was reset with at least `nodes` nodes.
  void add_interval(Nanoseconds from, Nanoseconds to, Tally& tally) const;

 private:
  static constexpr std::size_t leaf = 32;
  static constexpr std::size_t fan = 16;
  struct Entry {
    std::uint32_t node = 0;
    Nanoseconds amount = 0;
  };
  struct Level {
    SpillVector<std::size_t> first;  ///< per block; one more at the end
    SpillVector<Entry> entries;
  };
  /// Segment by segment, cut to [from, to).
  void add_segments(std::size_t first, std::size_t last, Nanoseconds from, Nanoseconds to, Tally& tally) const;
  void add_block(const Level& level, std::size_t block, Tally& tally) const;

  const Timeline& timeline_;
  const WaitList& waits_;
  std::vector<Level> levels_;
};

}  // namespace mora::analysis
