#include "experiment/journals/common_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "base/worker_pool.h"
#include "experiment/journals/process_records.h"
#include "mpi/function.h"

namespace mora::experiment {
namespace {

constexpr std::uint32_t world = 0;  ///< its number in every journal

struct Found {
  std::uint64_t calls = 0;
  std::uint64_t records = 0;  ///< that were read
  std::uint64_t end = 0;      ///< ticks, of the last of these calls
  unsigned function = 0;
};

/// The calls on MPI_COMM_WORLD that wait for all, but no more than `most`.
Found synchronisations(const ProcessJournals& process, std::uint64_t most) {
  Found found;
  ProcessRecords records(process.journals);
  journal::Record r;
  for (std::size_t which = 0; found.calls < most && records.next(which, r);) {
    ++found.records;
    if (r.shape != MORA_SHAPE_COLLECTIVE || r.object != world || (r.flags & MORA_FLAG_FAILED) ||
        !waits_for_all(mpi::function(r.function)))
      continue;
    found = {found.calls + 1, found.records, r.end(), r.function};
  }
  return found;
}

}  // namespace

bool waits_for_all(const mpi::Function& f) {
  return f.form == mpi::Form::blocking &&
         (f.shape == mpi::CollectiveShape::barrier || f.shape == mpi::CollectiveShape::all_to_all);
}

std::uint64_t on_common(const ProcessJournals& process, std::uint64_t stamp) {
  return process.offsets.empty() ? stamp : on_common_clock(stamp, process.offsets);
}

CommonEnd common_end(const std::vector<ProcessJournals>& processes, unsigned workers) {
  CommonEnd result;
  std::uint64_t reached = UINT64_MAX;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const ProcessJournals& process = processes[i];
    for (const journal::Journal* journal : process.journals) {
      if (journal->budget_end() == 0) continue;
      const auto stamp = on_common(process, process.clock->stamp(journal->budget_end()));
      if (stamp < reached) reached = stamp, result.first = i;
    }
  }
  if (reached == UINT64_MAX) return result;

  std::vector<Found> found(processes.size());
  const auto find = [&](std::uint64_t most) {
    run_tasks(processes.size(), workers, [&](std::size_t i) {
      if (!processes[i].journals.empty()) found[i] = synchronisations(processes[i], most);
    });
  };
  find(UINT64_MAX);
  const auto recorded = found[result.first].records;
  std::uint64_t common = UINT64_MAX;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (!processes[i].journals.empty()) common = std::min(common, found[i].calls);
  find(common);
  result.stamps.assign(processes.size(), UINT64_MAX);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].journals.empty() || common == 0) continue;
    result.stamps[i] = processes[i].clock->stamp(found[i].end);
    result.stamp = std::max(result.stamp, on_common(processes[i], result.stamps[i]));
  }
  if (common != 0 && found[result.first].records >= recorded / 2) {
    result.collective = common;
    result.function = found[result.first].function;
    return result;
  }
  result.stamp = reached;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (!processes[i].journals.empty()) result.stamps[i] = reached - (on_common(processes[i], reached) - reached);
  return result;
}

QualityRow row_of(const CommonEnd& end, std::uint64_t begin, std::uint64_t lost) {
  const auto where = end.collective == 0
                         ? std::string("between two calls of each process")
                         : fmt::format("where {} returns, call {} of MPI_COMM_WORLD that waits for all its processes",
                                       mpi::function(end.function).name, end.collective);
  return {
      "budget-reached",
      Severity::warning,
      fmt::format("rank {}", end.first),
      std::max<std::uint64_t>(lost, 1),
      fmt::format("the journals of this process had reached their share of --budget: the recording of all processes "
                  "ends after {}, {}; calls behind that are counted only",
                  time_for_people(static_cast<Nanoseconds>(end.stamp - std::min(begin, end.stamp))), where),
      "record with a larger --budget, without some groups of calls (--mpi-functions), or sums only (--stats)"};
}

}  // namespace mora::experiment
