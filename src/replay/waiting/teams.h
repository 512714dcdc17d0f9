/// Threads of a process: they start when their team forks, and the master goes on when all have come to the join. O(1)
/// per event. Times in ns. Not thread-safe.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "replay/waiting/under_way.h"

namespace mora::replay {

class Teams {
 public:
  /// `masters`: per location the first thread of its rank, which must outlive this.
  Teams(const std::vector<LocationActions>& locations, const std::vector<trace::LocationId>& masters)
      : masters_(masters), teams_(locations.size()) {
    for (trace::LocationId l = 0; l < teams_.size(); ++l) {
      if (masters_[l] != l) continue;
      teams_[l].forks.resize(locations[l].forks.size());
      teams_[l].joins.resize(locations[l].joins.size());
    }
    for (trace::LocationId l = 0; l < teams_.size(); ++l) {
      const auto& signals = locations[l].join_signals;
      std::vector<Join>& joins = teams_[masters_[l]].joins;
      for (std::size_t j = 0; j < std::min(signals.size(), joins.size()); ++j) joins[j].pending += signals[j];
    }
  }

  /// The master forks; `woken` gets the threads that wait for it.
  void fork(trace::LocationId master, std::uint32_t number, Nanoseconds now, Woken& woken) {
    Fork& fork = teams_[master].forks[number];
    fork.time = now;
    woken.insert(woken.end(), fork.waiting.begin(), fork.waiting.end());
    fork.waiting.clear();
  }
  /// `never`: not yet.
  Nanoseconds forked(trace::LocationId thread, std::uint32_t number) const {
    return teams_[masters_[thread]].forks[number].time;
  }
  void wait_for_fork(trace::LocationId thread, std::uint32_t number) {
    teams_[masters_[thread]].forks[number].waiting.push_back(thread);
  }

  /// A thread has come to the join; `woken` gets the master if it waits for this one.
  void arrive(trace::LocationId thread, std::uint32_t number, Nanoseconds now, Woken& woken) {
    Join& join = teams_[masters_[thread]].joins[number];
    join.time = std::max(join.time, now);
    if (--join.pending == 0 && join.waiter != no_id) woken.push_back(join.waiter);
  }
  /// When the last thread had come; nothing: the master is woken when it has.
  std::optional<Nanoseconds> joined(trace::LocationId master, std::uint32_t number) {
    Join& join = teams_[master].joins[number];
    if (join.pending == 0) return join.time;
    join.waiter = master;
    return std::nullopt;
  }

 private:
  struct Fork {
    Nanoseconds time = never;
    std::vector<trace::LocationId> waiting;
  };
  struct Join {
    Nanoseconds time = never;
    std::uint32_t pending = 0;
    trace::LocationId waiter = no_id;
  };
  struct Team {
    std::vector<Fork> forks;
    std::vector<Join> joins;
  };
  const std::vector<trace::LocationId>& masters_;
  std::vector<Team> teams_;
};

}  // namespace mora::replay
