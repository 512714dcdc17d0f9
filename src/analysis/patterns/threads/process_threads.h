/// All threads of one process: which visits and barriers belong to one team, and what they wait for. Idea, cost and
/// limits: process_threads.cpp; idle threads: idle_threads.cpp. Not thread-safe; one process at a time.
#pragma once

#include <memory>
#include <vector>

#include "analysis/patterns/threads/thread_log.h"

namespace mora::analysis {

struct ThreadDamage {
  std::uint64_t incomplete = 0;  ///< barriers that lack a thread of the team
  std::uint64_t mismatched = 0;  ///< threads of a team are at different barriers
  std::uint64_t ambiguous = 0;   ///< parallel regions and barriers that no team, or several, may own
  std::uint64_t unreleased = 0;  ///< locks passed on without a release
};

class ProcessThreads {
 public:
  /// Logs of one process, in thread order; all references outlive this object.
  ProcessThreads(std::vector<ThreadLog*> logs, const DomainContext& context)
      : logs_(std::move(logs)), context_(context) {}

  /// Everything: barriers, locks, idle threads, management.
  void score();
  const ThreadDamage& damage() const { return damage_; }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  struct Team {
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    std::uint32_t log = 0;  ///< of the thread that made it
    std::uint32_t node = 0;
    trace::RegionId region = trace::no_id;  ///< what its maker entered; no_id: unknown
    std::int32_t number = 0;                ///< with that; 0: none was given
    std::vector<std::uint32_t> members;     ///< logs, sorted
  };
  struct Place {
    std::uint32_t log = 0;
    std::uint32_t index = 0;  ///< in ThreadLog::parallels or barriers
  };
  struct Barrier {
    std::uint32_t team = 0;
    std::uint32_t log = 0;
    std::uint32_t index = 0;
  };
  /// What ends the waiting in one.
  struct BarrierEnd {
    Nanoseconds come = 0;            ///< the last thread has
    Nanoseconds done = 0;            ///< and the last task in it, if there is one
    WaitShare for_last, for_latest;  ///< who is waited for until then
  };

  void find_teams();
  void assign_own_visits();
  void assign_other_visits();
  void assign_barriers();
  std::uint32_t team_at(Nanoseconds time, std::uint32_t log) const;
  void score_barriers();
  void score_barrier(const Team& team, const std::vector<const ThreadVisit*>& visits,
                     const std::vector<std::uint32_t>& logs);
  Nanoseconds done_at(const ThreadVisit& visit, std::uint32_t log) const;
  void score_visit(const ThreadVisit& visit, std::uint32_t log, cube::MetricId metric, const BarrierEnd& end);
  void score_locks();

  // idle_threads.cpp
  void score_idle_threads();
  bool is_worker(std::uint32_t log) const;
  void score_worker(std::uint32_t log, const std::vector<TimeInterval>& busy);
  enum class Piece { fork, join, idle, limited };
  void add_piece(std::uint32_t log, TimeInterval piece, Piece kind, std::uint32_t team);
  void add_amount(std::uint32_t log, TimeInterval piece, Piece kind, std::uint32_t team, bool in_life);
  void add_idle(std::uint32_t log, TimeInterval piece, Piece kind, std::uint32_t team, bool in_life,
                cube::CallPathId at);

  cube::LocationId location(std::uint32_t log) const { return logs_[log]->location; }
  cube::CallPathId path(std::uint32_t log, std::uint32_t node) const { return context_.path(location(log), node); }

  std::vector<ThreadLog*> logs_;
  const DomainContext& context_;
  Nanoseconds first_ = INT64_MAX;
  Nanoseconds last_ = INT64_MIN;
  std::vector<Team> teams_;                                ///< by begin
  std::vector<std::vector<std::uint32_t>> team_of_visit_;  ///< [log][parallel]
  std::vector<std::vector<std::uint32_t>> teams_of_log_;   ///< made by it, by begin
  std::vector<Barrier> barriers_;
  ThreadDamage damage_;
};

}  // namespace mora::analysis
