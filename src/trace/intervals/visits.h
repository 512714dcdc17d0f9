/// The visits of one location outside of MPI calls, as a tree in order of their enters. Enters and leaves of intervals
/// do not count as visits, nor do tasks of OpenMP and what is inside of them: which thread executes them, and in which
/// wait, is chance; polls in a row (MPI_Test, MPI_Iprobe …) are one. Memory: 32 bytes per visit, at most 64 MB.
#pragma once

#include <algorithm>
#include <vector>

#include "trace/mpi_function.h"
#include "trace/paradigm.h"
#include "trace/source.h"

namespace mora::trace {

/// One visit of a region, from enter to leave; ns.
struct Visit {
  Nanoseconds enter = 0, leave = 0;
  RegionId region = no_id;
  std::uint32_t end = 0;      ///< index behind the visits inside this one
  std::uint32_t number = 0;   ///< how often its region was visited before; of polls in a row: before the last
  std::uint32_t amounts = 0;  ///< of a call that sends: hash of the bytes of its messages, collectives and transfers
};

class VisitCollector : public EventSink {
 public:
  /// So many are kept by default: 64 MB. Those that follow are only counted.
  static constexpr std::size_t most_kept = std::size_t{1} << 21;

  /// `expected`: number of events, 0 = unknown.
  VisitCollector(const std::vector<Region>& regions, std::uint64_t expected, std::size_t limit = most_kept)
      : regions_(regions),
        limit_(limit),
        counts_(regions.size()),
        open_count_(regions.size()),
        recursive_(regions.size()) {
    for (const Region& region : regions) is_task_.push_back(is_task(region));
    visits_.reserve(std::min<std::uint64_t>(expected / 3, limit));  // most calls have a record between enter and leave
  }

  void on_event(const Event& event) override;
  std::uint64_t kinds() const override;

  bool is_damaged() const { return is_damaged_; }  ///< a region is not defined
  bool is_cut() const { return is_cut_; }          ///< there are more visits than visits()
  const std::vector<Visit>& visits() const { return visits_; }
  /// Those that are not kept, too.
  std::uint32_t visits_of(RegionId region) const { return counts_[region]; }
  /// Whether the region was entered inside itself: its leaves are in another order than its enters.
  bool is_recursive(RegionId region) const { return recursive_[region]; }
  /// MPI_Init and MPI_Finalize: most of the time of short runs.
  bool is_start_or_end(RegionId region) const {
    const CallClass c = call_class(regions_[region]);
    return c == CallClass::init || c == CallClass::finalize;
  }

  /// MPI_Test, MPI_Iprobe …: repeated until something is there, which makes no iteration.
  bool is_poll(RegionId region) const { return mpi::polls_messages(function_of(regions_[region])); }

 private:
  void cut(Nanoseconds time);

  const std::vector<Region>& regions_;
  const std::size_t limit_;
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> open_;  ///< indices of visits
  std::size_t closed_ = 0;           ///< 1 + index of the visit that was left last
  std::vector<std::uint32_t> counts_, open_count_;
  std::vector<bool> recursive_;
  std::vector<bool> is_task_;
  std::uint32_t inside_call_ = 0;  ///< open regions in an MPI call, with it
  std::uint32_t inside_task_ = 0;  ///< likewise
  bool is_damaged_ = false, is_cut_ = false;
};

}  // namespace mora::trace
