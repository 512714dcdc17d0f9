/// Intervals and their characteristics, from the cube alone (DVM analyser, 4.1, 5.2 and 5.3.2).
///
/// The interval tree is the call tree without what is not an interval: an interval's parent is its nearest interval
/// above; identity among siblings is name, file, line and id. Amounts are inclusive sums over its call paths, per
/// process; one thread stands for the process in all intervals, its lowest one that took part in the program (others
/// are noted; Mora's rule threads-in-characteristics). All are integer nanoseconds; the interval's value is the sum
/// over its processes, the mean is truncated. Where the DVM analyser's text and its sample report contradict each
/// other, there is an option (EfficiencyRules; Mora's rule efficiency-defaults), which every output names (names()).
///
/// Per process (i):  execution = computation + mpi + device + measurement; device: in calls of an accelerator's library
///   measurement = the recorder's and the marks' own time, and time that was not recorded mpi = communication +
///   mpi_management communication = p2p + collective + all_to_all + one_sided + io lost = user_insufficient +
///   mpi_management + communication + device + idle + measurement - useful_mpi (mpi_management = the DVM analyser's
///   system insufficient parallelism; useful_mpi is 0 with the default rules) productive = execution + idle - lost =
///   computation - user_insufficient + useful_mpi idle = max over processes of execution - execution
/// Per interval:     execution = max; total = execution x processes; productive + lost = total, exactly.
///
/// With ProductiveRule::one_mpi useful_mpi of the process with the least MPI time is that time. Computation under a
/// replicated interval counts 1/r (r processes do the same; sequential: as many as execute it), the rest is
/// user_insufficient, rounded down per interval and process.
///
/// Pure functions; safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/efficiency/characteristics.h"
#include "analysis/efficiency/process_amounts.h"
#include "cube/cube.h"

namespace mora::analysis {

/// What calls of one MPI function cost.
struct KindAmounts {
  std::int64_t count = 0;  ///< calls
  std::int64_t communication = 0, real_synchronization = 0, potential_synchronization = 0, time_variation = 0,
               overlap = 0;
};
inline constexpr std::int64_t KindAmounts::*kind_members[] = {&KindAmounts::count,
                                                              &KindAmounts::communication,
                                                              &KindAmounts::real_synchronization,
                                                              &KindAmounts::potential_synchronization,
                                                              &KindAmounts::time_variation,
                                                              &KindAmounts::overlap};
/// In the order of kind_members.
using KindColumns = std::array<Column, std::size(kind_members)>;

/// What one MPI function cost in an interval: the row of a table by function. There is one for each that communicates
/// and takes time, in order of name.
struct KindRow {
  std::string name;  ///< "MPI_Allreduce"
  bool is_collective = false;
  KindAmounts sum;
  KindColumns by_process;  ///< as Interval::processes

  KindAmounts of_process(std::size_t process) const;
};

/// Tmin Nproc Tmax Nproc Tmid of the DVM analyser's report: ties go to the lowest rank; the mean is truncated. ns.
struct Comparison {
  std::int64_t minimum = 0, maximum = 0, mean = 0;
  std::uint32_t minimum_rank = 0, maximum_rank = 0;
};

struct Interval {
  std::size_t parent = SIZE_MAX;  ///< index in IntervalTable::intervals
  std::uint32_t level = 0;
  std::string name;  ///< "interval", a region's name, the program's
  std::string file;  ///< may be empty
  std::uint32_t line = 0, id = 0;
  std::uint32_t replication = 1;  ///< cube::all_processes = sequential
  std::int64_t executions = 0;    ///< EXE_Count: the most of any process
  std::int64_t fewest_executions = 0;
  std::vector<cube::CallPathId> roots;  ///< its nodes in the call tree
  ProcessList processes;                ///< that executed it, by rank
  Amounts sum{};                        ///< interval values: sums; execution_time the maximum; total_time
  std::vector<KindRow> kinds;
  /// What must be said beside its numbers: "executed by 2 of 4 processes", "3 to 5 executions", "not recorded: 1.2 s",
  /// …
  std::vector<std::string> notes;

  double efficiency() const;  ///< productive / total; 1 for an interval without length
  std::int64_t value(Characteristic c) const { return sum[static_cast<std::size_t>(c)]; }
  /// Least, most and mean over the interval's processes, and whose.
  Comparison compare(Characteristic c) const;
};

/// All intervals of a result. A value type: no reference to the cube remains.
struct IntervalTable {
  EfficiencyRules rules;
  std::vector<Interval> intervals;  ///< preorder; [0] = the program. Empty only for a cube without call paths
  bool has_threads = false;         ///< processes have more threads than the one that is counted
  bool is_replayed = false;         ///< ideal_time is known
  bool has_regions = false;         ///< calls, functions or states are known; without any, all time is productive

  /// "interval 3" of "solve.c:20": for --why and messages: "0", "0.2.1" (position among siblings), or FILE:LINE[#ID],
  /// or a name. SIZE_MAX if there is none or several; `why` then says which.
  std::size_t find(std::string_view text, std::string* why = nullptr) const;
  /// "0.2.1"
  std::string number(std::size_t interval) const;
};

/// What has to be waited for inside MPI and OpenSHMEM calls: disjoint wait states, so that their sum is the real
/// synchronisation loss (DVM analyser, 5.2). `with_one_sided`: those of one-sided communication too. Ids of metrics
/// that `cube` has.
std::vector<cube::MetricId> waiting_metrics(const cube::Cube& cube, bool with_one_sided = true);

/// O(call paths x locations x metrics). Never fails: what a cube lacks counts as zero. Memory: of each interval as many
/// numbers for a process as there are elementary amounts that are not 0 everywhere.
/// `left_out`: call paths that count as if they had no cells; empty: none.
IntervalTable interval_table(const cube::Cube& cube, const EfficiencyRules& rules = {},
                             const std::vector<bool>& left_out = {});

/// The interval's call paths: its roots and all below them; with `own`, not those of nested intervals.
std::vector<cube::CallPathId> call_paths_of(const cube::Cube& cube, const Interval& interval, bool own = false);

}  // namespace mora::analysis
