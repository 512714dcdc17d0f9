/// Synchronisation points of one rank's locations with others: the operations in which both took part (messages,
/// epochs, locks, collectives). A wait is explained by what both sides did since the last one (../causes/causes.h;
/// Böhme 2016).
///
/// Points of pairs (messages, epochs, locks) are kept as runs per partner, in the order in which they are found: nearly
/// sorted by time. Points of groups (collectives) are the members' begins, by sequence. Cost: 8 bytes per message and
/// side (PackedTimes), 8 per collective call; questions in order amortised O(1). Filled by one thread; seal() before
/// asking; asking moves cursors, so one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/core/waits.h"
#include "analysis/storage/gallop.h"
#include "analysis/storage/packed_times.h"
#include "analysis/storage/storage.h"
#include "trace/links/sequence.h"

namespace mora::analysis {

/// A sequence of collective operations (trace::SequenceKey), as questions carry it.
struct GroupSequence {
  trace::SequenceKind kind = trace::SequenceKind::collective;
  std::uint32_t id = trace::no_id;  ///< communicator or window
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
    const std::uint64_t who = pair(location, partner);
    Recent& recent = recent_[partner % recent_.size()];
    if (recent.run == nullptr || recent.who != who) [[unlikely]]
      recent = {who, run_to_add(who)};
    recent.run->add({time, partner_time});
  }
  /// The begins of the rank's calls of one sequence, in order; `members`: bit per world rank.
  void add_group(const GroupSequence& sequence, std::vector<Nanoseconds> begins, std::vector<bool> members);

  /// Sorts. After the last add(), once.
  void seal();
  /// Frees everything: no questions any more.
  void forget() { *this = SyncPoints(); }
  /// The latest synchronisation point of the two locations with own time < `before` at which the partner may have been
  /// level: pairwise ones whose partner time is later than `level(own time)` do not count. Ties: pairwise first, then
  /// the larger partner time. With `tried`: the next one after that in this order; a collective point ends all of its
  /// time. Questions of one location should come in increasing order of `before`: then the cost is amortised O(1), plus
  /// one step for each point that does not count, once: `level` must always say the same of one time.
  template <class Level>
  std::optional<LastSyncPoint> last(cube::LocationId location, cube::LocationId partner, std::uint32_t partner_rank,
                                    Nanoseconds before, const LastSyncPoint* tried, const Level& level);
  /// Begins of all the rank's collective calls, ascending. Before seal(), too. O(calls x log calls).
  std::vector<Nanoseconds> group_begins() const;
  /// Begin of the rank's n-th call of a sequence.
  std::optional<Nanoseconds> begin_of(const GroupSequence& sequence, std::uint32_t instance) const;

 private:
  struct Group;
  struct GroupCall {
    Nanoseconds begin = INT64_MIN;
    std::uint32_t group = 0;
    std::uint32_t instance = 0;
  };
  /// The latest collective point of the location and a location of `partner_rank` with begin < `before`; INT64_MIN:
  /// there is none.
  GroupCall last_group(std::uint32_t partner_rank, Nanoseconds before);
  std::optional<LastSyncPoint> point(const GroupCall& call) const;
  /// Of the few groups, by their cursors.
  GroupCall latest_group(std::uint32_t partner_rank) const;
  /// The cursors of the few groups: how many of their calls began before that time.
  void move_cursors(Nanoseconds before);

  struct Run {
    std::size_t cursor = 0;
    /// Of the first n points, the last that may count is number counting[n]; empty: all may. A forest with halved
    /// paths.
    SpillVector<std::uint32_t> counting;

    std::size_t size() const { return many_ == nullptr ? few_.size() : many_->own.size(); }
    Times operator[](std::size_t i) const {
      return many_ == nullptr ? few_[i] : Times{many_->own[i], many_->partner[i]};
    }
    void add(const Times& times) {
      constexpr std::size_t most = 64;  // packing pays where there are more
      if (many_ == nullptr && few_.size() < most) {
        few_.push_back(times);
      } else {
        pack();
        many_->add(times);
      }
    }
    void pack();
    void sort();

    std::size_t last_counting(std::size_t n) {
      if (counting.empty()) return n;
      while (counting[n] != n) n = counting[n] = counting[counting[n]];
      return n;
    }
    /// Point number n, from 1, does not count.
    void leave_out(std::size_t n);

   private:
    struct Many {
      PackedTimes own, partner;
      void add(const Times& times) {
        own.push_back(times.own);
        partner.push_back(times.partner);
      }
    };
    SpillVector<Times> few_;      ///< all of them while they are few: there may be a run for each pair of ranks
    std::unique_ptr<Many> many_;  ///< later
  };
  struct Group {
    GroupSequence sequence;
    std::vector<Nanoseconds> begins;
    std::vector<bool> members;
    std::size_t cursor = 0;
    bool has(std::uint32_t rank) const;
  };
  static std::uint64_t pair(cube::LocationId location, cube::LocationId partner) {
    return std::uint64_t{location} << 32 | partner;
  }
  Run* run_to_add(std::uint64_t who);
  /// nullptr: they have no points as a pair.
  Run* run_of(cube::LocationId location, cube::LocationId partner);

  std::unordered_map<std::uint64_t, Run> runs_;
  struct Recent {
    std::uint64_t who = 0;
    Run* run = nullptr;
  };
  std::array<Recent, 16> recent_;  ///< of runs_, by partner: most come again
  std::vector<Group> groups_;
  /// No cursor of the few groups moves for questions about times in (steady_from_, steady_until_].
  Nanoseconds steady_from_ = 0;
  Nanoseconds steady_until_ = 0;
  struct Latest {
    std::uint64_t moves = 0;
    std::uint32_t partner_rank = 0;
    GroupCall call;
  };
  std::array<Latest, 16> latest_;  ///< answers, by partner
  std::uint64_t moves_ = 0;        ///< of the cursors; an answer holds until the next
  std::map<GroupSequence, std::size_t> group_of_;
  SpillVector<GroupCall> calls_;  ///< all by time, when there are many groups
};

template <class Level>
std::optional<LastSyncPoint> SyncPoints::last(cube::LocationId location, cube::LocationId partner,
                                              std::uint32_t partner_rank, Nanoseconds before,
                                              const LastSyncPoint* tried, const Level& level) {
  Times limit{before, INT64_MIN};
  Nanoseconds group_limit = before;
  if (tried != nullptr) {
    limit = {tried->time, tried->is_group ? INT64_MIN : tried->partner_time};
    group_limit = tried->time + (tried->is_group ? 0 : 1);
  }
  const GroupCall group = last_group(partner_rank, group_limit);
  Run* run = run_of(location, partner);
  if (run == nullptr) return point(group);
  std::size_t& cursor = run->cursor;
  cursor = gallop(run->size(), cursor, [&](std::size_t i) {
    const Times at = (*run)[i];
    return at.own < limit.own || (at.own == limit.own && at.partner < limit.partner);
  });
  for (std::size_t i = run->last_counting(cursor); i > 0; i = run->last_counting(i)) {
    const Times met = (*run)[i - 1];
    if (group.begin > met.own) break;
    if (met.partner <= met.own || met.partner <= level(met.own)) {
      return LastSyncPoint{met.own, met.partner, false, {}, 0};
    }
    run->leave_out(i);
  }
  return point(group);
}

}  // namespace mora::analysis
