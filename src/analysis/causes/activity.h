/// Activity: how long a location was in which call path between two times, waiting left out. Before its first record
/// a location is in the program's root.
///
/// Idea: sums over blocks of 32 segments of its timeline, over blocks of 16 such blocks, and so on; an interval is a
/// few blocks and two ragged ends. Questions that come in order overlap: a window that moves from one interval to the
/// next adds what enters and takes away what leaves, where that is less. Cost: O(32 + call paths x log(length)) per
/// question, whatever the length, and no more than the segments that enter and leave; memory: at most one entry of 16
/// bytes per segment and level, usually a tenth. Immutable once made, so several threads may ask; each needs a Tally or
/// ActivityWindow of its own. Times in ns.
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
    for (const std::uint32_t node : touched_) cells_[node] = {};
    touched_.clear();
    if (cells_.size() < nodes) cells_.resize(nodes);
  }
  /// `amount` may be negative.
  void add(std::uint32_t node, Nanoseconds amount) {
    Cell& cell = cells_[node];
    if (!cell.is_touched && amount != 0) {
      cell.is_touched = true;
      touched_.push_back(node);
    }
    cell.amount += amount;
  }
  Nanoseconds operator[](std::uint32_t node) const { return cells_[node].amount; }
  /// In order of first touch.
  const std::vector<std::uint32_t>& touched() const { return touched_; }
  /// Forgets nodes whose amounts have come to 0.
  void drop_zeros() {
    std::erase_if(touched_, [&](std::uint32_t node) {
      Cell& cell = cells_[node];
      cell.is_touched = cell.amount != 0;
      return !cell.is_touched;
    });
  }

 private:
  struct Cell {
    Nanoseconds amount = 0;
    bool is_touched = false;
  };
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> touched_;
};

/// The sums over blocks of one location. Built in O(segments).
class Activity {
 public:
  /// Both outlive this object.
  Activity(const Timeline& timeline, const WaitList& waits, std::size_t nodes);

  /// A time, the first segment and the first wait that end after it.
  struct Place {
    Nanoseconds time = 0;
    std::size_t segment = 0;
    std::size_t wait = 0;
  };
  /// Adds the activity in [from, to) to `tally`, which was reset with at least `nodes` nodes. `near` becomes the place
  /// of `from`; the nearer it was, the faster.
  void add_interval(Nanoseconds from, Nanoseconds to, Tally& tally, Place& near) const;

 private:
  friend class ActivityWindow;
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
  /// The nearer `guess`, the faster.
  Place place(Nanoseconds time, const Place& guess) const;
  /// Adds `sign` times the activity from one place to a later one.
  void add(const Place& from, const Place& to, int sign, Tally& tally) const;
  /// Segment by segment, cut to [from, to). `wait`: the first wait that ends after the later of `from` and their begin.
  void add_segments(std::size_t first, std::size_t last, Nanoseconds from, Nanoseconds to, int sign, std::size_t wait,
                    Tally& tally) const;
  void add_block(const Level& level, std::size_t block, int sign, Tally& tally) const;

  const Timeline& timeline_;
  const WaitList& waits_;
  std::size_t nodes_;
  std::vector<Level> levels_;
};

/// The activity in an interval that moves. Not thread-safe.
class ActivityWindow {
 public:
  /// Of `activity` in [from, to): each node once, no amount is 0. Valid until the next call. The nearer the waits are
  /// to the first that end after these times, the faster.
  const Tally& move(const Activity& activity, Nanoseconds from, Nanoseconds to, std::size_t from_wait,
                    std::size_t to_wait);

 private:
  const Activity* activity_ = nullptr;
  Activity::Place from_;
  Activity::Place to_;
  Tally tally_;
};

}  // namespace mora::analysis
