/// What is kept of one thread until all threads of its process are read: parallel regions, barriers, forks, locks, and
/// what lay outside all regions. Filled by one thread, in time order; times in ns.
#pragma once

#include <map>
#include <vector>

#include "analysis/core/domain.h"
#include "analysis/storage/chunked.h"

namespace mora::analysis {

/// What a thread executed in an OpenMP barrier: a task.
struct ThreadWork {
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  std::uint64_t number = 0;
  std::uint32_t node = 0;
};

/// A visit of a parallel region or an OpenMP barrier.
struct ThreadVisit {
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  Nanoseconds own = 0;  ///< without nested calls
  std::uint64_t number = 0;
  std::uint32_t node = 0;
  trace::RegionId region = 0;
  std::uint32_t depth = 0;
  std::int32_t team = 0;  ///< number of the team, if the trace tells it
  bool broken = false;
  std::size_t first_work = 0;  ///< of a barrier: in ThreadLog::work
  std::size_t end_work = 0;
};

/// A team: from fork to join on the thread that made it.
struct ThreadFork {
  Nanoseconds time = 0;
  Nanoseconds join = INT64_MAX;  ///< INT64_MAX: never seen
  std::uint32_t node = 0;        ///< the call it was made in
  std::uint64_t id = 0;
};

enum class LockFamily : std::uint8_t { omp_critical, omp_api, pthread };
struct LockKey {
  LockFamily family = LockFamily::omp_critical;
  std::uint64_t id = 0;
  auto operator<=>(const LockKey&) const = default;
};
struct ThreadHold {
  LockKey key;
  Nanoseconds enter = 0;
  Nanoseconds acquired = 0;
  Nanoseconds released = INT64_MAX;
  std::uint32_t node = 0;
  std::uint32_t release_node = 0;
  Account account = Account::computation;  ///< of the call that it was acquired in
  bool never_waits = false;                ///< a test or try
  bool shared = false;                     ///< LockHold::shared
  bool broken = false;
  std::uint32_t nested = 0;  ///< acquired again by its holder
};

struct ThreadLog {
  cube::LocationId location = 0;
  std::uint32_t rank = 0;
  bool has_events = false;
  Nanoseconds first = 0;
  Nanoseconds last = 0;
  std::vector<ThreadVisit> parallels;  ///< by leave
  std::vector<ThreadVisit> barriers;   ///< by leave
  Chunked<ThreadWork> work;            ///< in barriers: together by barrier, by time
  std::vector<ThreadFork> forks;       ///< by time
  std::vector<ThreadHold> holds;       ///< by acquisition
  std::vector<ThreadVisit> ends;       ///< calls that start or end MPI, by leave
  /// Of workers, outside all regions: what is no idleness (the recorder's own time, recording off).
  std::vector<TimeInterval> interruptions;
  bool has_other_outermost = false;       ///< outermost regions that are no parallel regions
  std::uint64_t locks_outside_calls = 0;  ///< acquisitions in regions that take no locks
};

class ThreadCollector : public Collector {
 public:
  explicit ThreadCollector(ThreadLog& log) : log_(log) {}
  void on_first(Nanoseconds first) override;
  void on_event(const trace::Event& event, const OpenCall& call) override;
  void on_leave(const OpenCall& call, Nanoseconds leave) override;
  void finish(Nanoseconds last) override;

 private:
  enum class Interruption { none, overhead, unrecorded };
  void add_work(const ThreadWork& work);
  void acquire(const trace::Event& event, const OpenCall& call);
  void release(const trace::Event& event, const OpenCall& call);
  void change_interruption(Nanoseconds time, Interruption kind);

  ThreadLog& log_;
  Chunked<ThreadWork> open_work_;  ///< in barriers that are not left yet: by number
  std::size_t open_works_ = 0;     ///< how many of these are valid
  std::vector<std::size_t> open_forks_;
  std::map<LockKey, std::size_t> held_;  ///< index of ThreadLog::holds
  Interruption interruption_ = Interruption::none;
  Nanoseconds interruption_begin_ = 0;
  std::uint64_t flushed_call_ =
      UINT64_MAX;  ///< the recorder wrote its buffer in this call: its waiting cannot be told apart
};

}  // namespace mora::analysis
