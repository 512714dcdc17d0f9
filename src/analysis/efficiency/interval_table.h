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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cube/cube.h"

namespace mora::analysis {

/// What is productive. `cpu`: the sum of computation (the DVM analyser's sample). `one_mpi`: one process's MPI time
/// counts as useful too (its text, 5.3.2).
enum class ProductiveRule : std::uint8_t { cpu, one_mpi };
/// Potential synchronisation of collectives. `waiting`: max E - E_p, charged to the members that come early (DVM
/// analyser, 4.1). `lateness`: E_p - min E, charged to those that come late (5.3.2 and the sample).
enum class SynchronizationRule : std::uint8_t { waiting, lateness };
/// What load imbalance compares. `computation` (DVM analyser, 4.1), or `execution`: CPU + MPI (5.2).
enum class LoadRule : std::uint8_t { computation, execution };
/// Time of messages. `in_calls`: time in point-to-point calls, waiting included (DVM analyser, 4.1). `lifetime`:
/// receive's exit - send's entry (5.3.2); the rest of the point-to-point calls' time is then MPI without communication.
enum class SendReceiveRule : std::uint8_t { in_calls, lifetime };

/// The definitions in force (`--rules`); the defaults are those of Mora's rule efficiency-defaults.
struct EfficiencyRules {
  ProductiveRule productive = ProductiveRule::cpu;
  SynchronizationRule synchronization = SynchronizationRule::waiting;
  LoadRule load = LoadRule::computation;
  SendReceiveRule send_receive = SendReceiveRule::in_calls;
};

/// What is known of each interval and process. additive(): the interval's value is the sum over its processes.
enum class Characteristic : std::uint8_t {
  efficiency,      ///< productive / total; no amount
  execution_time,  ///< not additive: the maximum
  processors,      ///< no amount: how many processes executed it
  total_time,      ///< execution x processors
  productive_time,
  lost_time,
  user_insufficient_parallelism,
  system_insufficient_parallelism,  ///< MPI without communication; named by the DVM analyser's term, as the JSON key is
  communication,
  point_to_point,  ///< SendRecv
  collective,      ///< CollectiveAll: without all-to-all
  all_to_all,
  one_sided,
  io,
  idle_time,
  measurement,
  useful_mpi,        ///< MPI time that counts as productive (ProductiveRule::one_mpi)
  time_outside_mpi,  ///< computation
  mpi_time,
  potential_synchronization,
  real_synchronization,
  time_variation,
  load_imbalance,
  overlap,
  unhidden,    ///< time in calls that complete non-blocking operations: what overlap could still hide
  start_time,  ///< in non-blocking calls
  start_delay,
  message_lifetime,
  first_execution,
  device_time,           ///< in calls of an accelerator's library
  cpu_time,              ///< the thread ran; this and the next: counted by the kernel
  run_queue_wait,        ///< it could have run, and had no core
  page_faults,           ///< no time
  voluntary_switches,    ///< no time
  involuntary_switches,  ///< no time
};
inline constexpr std::size_t characteristics = static_cast<std::size_t>(Characteristic::involuntary_switches) + 1;

/// The text side of a characteristic.
struct CharacteristicInfo {
  Characteristic id;
  std::string_view key;      ///< JSON, CSV, --why: "lost_time"
  std::string_view name;     ///< text report: "Lost Time"
  std::string_view formula;  ///< in terms of other keys and metrics
  std::string_view source;   ///< as MetricInfo::source
  bool is_additive;
  bool is_count = false;  ///< no seconds
};
/// In the order of Characteristic, which is that of the JSON and CSV output.
const std::array<CharacteristicInfo, characteristics>& characteristic_infos();
const CharacteristicInfo& info_of(Characteristic characteristic);
/// Those that say something of this table: all but device_time where no process calls an accelerator's library, and but
/// what the kernel counts where it was not read.
std::vector<CharacteristicInfo> characteristics_of(const struct IntervalTable& table);
/// By key, name or other name, in any case, with blanks, '-' or '_' between the words. nullptr if there is none.
const CharacteristicInfo* find_characteristic_by_any_name(std::string_view name);
/// Names that the characteristic has elsewhere, separated by "; ": of Scalasca, of older versions. May be empty.
std::string_view other_names(Characteristic characteristic);

/// ns, or what CharacteristicInfo::is_count counts; efficiency and processors hold 0.
using Amounts = std::array<std::int64_t, characteristics>;

/// One row per MPI function of non-zero time that communicates, in order of name.
struct KindAmounts {
  std::int64_t count = 0;  ///< calls
  std::int64_t communication = 0, real_synchronization = 0, potential_synchronization = 0, time_variation = 0,
               overlap = 0;
};
/// What one MPI function cost in an interval: the row of a table by function.
struct KindRow {
  std::string name;  ///< "MPI_Allreduce"
  bool is_collective = false;
  KindAmounts sum;
  std::vector<KindAmounts> by_process;  ///< as Interval::processes
};

/// One process in one interval.
struct ProcessAmounts {
  std::uint32_t rank = 0;
  cube::LocationId location = 0;
  std::int64_t executions = 0;  ///< EXE_Count of this process
  Amounts amounts{};
  std::int64_t ideal_time = 0;                ///< on the ideal network; 0 if it was not replayed
  std::int64_t useful = 0;                    ///< computation outside MPI, OpenMP and other libraries
  std::int64_t instructions = 0, cycles = 0;  ///< 0 = not recorded
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
  std::vector<cube::CallPathId> roots;    ///< its nodes in the call tree
  std::vector<ProcessAmounts> processes;  ///< that executed it, by rank
  Amounts sum{};                          ///< interval values: sums; execution_time the maximum; total_time
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

/// O(call paths x locations x metrics). Never fails: what a cube lacks counts as zero.
IntervalTable interval_table(const cube::Cube& cube, const EfficiencyRules& rules = {});

/// The rules in force, as every output names them: {"productive", "cpu: sum of computation"} …
std::vector<std::pair<std::string, std::string>> names(const EfficiencyRules& rules);
/// "productive=one-mpi,synchronization=lateness,load=execution,send-receive=lifetime"; "dvm-analyser": all four as
/// in the sample report of the DVM analyser ("thesis", its older name, is accepted). nullopt: a word is unknown; `why`
/// says which, and which words there are.
std::optional<EfficiencyRules> parse_rules(std::string_view text, std::string* why);

/// The interval's call paths: its roots and all below them; with `own`, not those of nested intervals.
std::vector<cube::CallPathId> call_paths_of(const cube::Cube& cube, const Interval& interval, bool own = false);

}  // namespace mora::analysis
