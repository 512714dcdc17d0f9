/// Synchronisation points of one rank's locations with others: the operations in which both took part (messages,
/// epochs, locks, collectives). A wait is explained by what both sides did since the last one (../causes/causes.h;
/// Böhme 2016).
///
/// Points of pairs (messages, epochs, locks) are kept as runs per partner, in the order in which they are found: nearly
/// sorted by time. Points of groups (collectives) are the members' begins, by sequence. Cost: 16 bytes per message and
/// side, 8 per collective call; questions in order amortised O(1). Filled by one thread; seal() before asking; asking
/// moves cursors, so one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/engine/halves.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

/// A sequence of collective operations (trace::SequenceKey), as questions carry it.
struct GroupSequence {
  SequenceKind kind = SequenceKind::collective;
  std::uint32_t id = no_id;  ///< communicator or window
  std::uint32_t stretch = 0;
  auto operator<=>(const GroupSequence&) const = default;
};

/// The times of both sides at a synchronisation point; `is_group`: the partner's time is its begin of that instance.
struct LastSyncPoint {
  Nanoseconds time = 0;
  Nanoseconds partner_time = 0;
  bool is_group = false;
  GroupSequence sequence;
  std::uint32_t instance = 0;
};

class SyncPoints {
 public:
  struct Times {
    Nanoseconds own = 0;
    Nanoseconds partner = 0;
  };
  /// Appends to the run of (own location, partner location).
  void add(cube::LocationId location, Nanoseconds time, cube::LocationId partner, Nanoseconds partner_time) {
    const std::uint64_t who = std::uint64_t{location} << 32 | partner;
    if (recent_ == nullptr || who != recent_who_) {
      recent_ = &runs_[who];
      recent_who_ = who;
    }
    auto& times = recent_->times;
    if (times.size() == times.capacity()) times.reserve(times.size() + std::max<std::size_t>(1, times.size() / 4));
    times.push_back(Times{time, partner_time});
  }
  /// The begins of the rank's calls of one sequence, in order; `members`: bit per world rank.
  void add_group(const GroupSequence& sequence, std::vector<Nanoseconds> begins, std::vector<bool> members);

  /// Sorts. After the last add(), once.
  void seal();
  /// Frees everything: no questions any more.
  void forget() { *this = SyncPoints(); }
  /// The latest synchronisation point of the two locations with own time < `before`; ties: pairwise first, then the
  /// larger partner time. Pairwise ones with partner time >= `until` do not count: a message that the partner receives
  /// only later has not synchronised them yet. Questions of one location should come in increasing order of `before`:
  /// then the cost is amortised O(1).
  std::optional<LastSyncPoint> last(cube::LocationId location, cube::LocationId partner, std::uint32_t partner_rank,
                                    Nanoseconds before, Nanoseconds until);
  /// Begin of the rank's n-th call of a sequence.
  std::optional<Nanoseconds> begin_of(const GroupSequence& sequence, std::uint32_t instance) const;

 private:
  struct Run {
    SpillVector<Times> times;
    std::size_t cursor = 0;
  };
  struct Group {
    GroupSequence sequence;
    std::vector<Nanoseconds> begins;
    std::vector<bool> members;
    std::size_t cursor = 0;
  };
  std::unordered_map<std::uint64_t, Run> runs_;
  Run* recent_ = nullptr;
  std::uint64_t recent_who_ = 0;
  std::vector<Group> groups_;
  std::map<GroupSequence, std::size_t> group_of_;
  /// All group calls by time, when there are many groups: (begin, group, instance).
  struct GroupCall {
    Nanoseconds begin = 0;
    std::uint32_t group = 0;
    std::uint32_t instance = 0;
  };
  SpillVector<GroupCall> calls_;
};

}  // namespace mora::analysis
