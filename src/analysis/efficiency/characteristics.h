/// What is known of each interval and process, and the definitions in force (DVM analyser, 4.1, 5.2 and 5.3.2).
/// Formulas: process_amounts.cpp. Pure; safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The rules in force, as every output names them: {"productive", "cpu: sum of computation"} …
std::vector<std::pair<std::string, std::string>> names(const EfficiencyRules& rules);
/// "productive=one-mpi,synchronization=lateness,load=execution,send-receive=lifetime"; "dvm-analyser": all four as
/// in the sample report of the DVM analyser ("thesis", its older name, is accepted). nullopt: a word is unknown; `why`
/// says which, and which words there are.
std::optional<EfficiencyRules> parse_rules(std::string_view text, std::string* why);

}  // namespace mora::analysis
