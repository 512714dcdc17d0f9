/// Names, formulas and sources of the characteristics, and the words of the rules (`--rules`).
#include <algorithm>

#include "analysis/efficiency/interval_table.h"
#include "analysis/metrics/aliases.h"

namespace mora::analysis {

const std::array<CharacteristicInfo, characteristics>& characteristic_infos() {
  using enum Characteristic;
  static const std::array<CharacteristicInfo, characteristics> infos = {{
      {efficiency, "efficiency", "Parallelization Efficiency", "productive_time / total_time", "DVM analyser, 4.1",
       false},
      {execution_time, "execution_time", "Execution Time", "max over processes of time", "DVM analyser, 4.1", false},
      {processors, "processors", "Processors", "number of processes that executed the interval", "DVM analyser, 5.2",
       false},
      {total_time, "total_time", "Total Time", "execution_time x processors", "DVM analyser, 4.1", false},
      {productive_time, "productive_time", "Productive Time",
       "time_outside_mpi - user_insufficient_parallelism + useful_mpi",
       "DVM analyser, 4.1; Mora's rule efficiency-defaults", true},
      {lost_time, "lost_time", "Lost Time",
       "user_insufficient_parallelism + system_insufficient_parallelism + communication + device_time + idle_time + "
       "measurement - useful_mpi = total_time - productive_time",
       "DVM analyser, 4.1; Mora's rule efficiency-defaults", true},
      {user_insufficient_parallelism, "user_insufficient_parallelism", "User Insufficient Parallelism",
       "time_outside_mpi in intervals that r processes repeat x (r - 1) / r; sequential: r = their processors",
       "DVM analyser, 4.1; Mora's rule replication", true},
      {system_insufficient_parallelism, "system_insufficient_parallelism", "Sys Insufficient Parallelism",
       "mpi_time - communication: MPI calls that do not communicate (start-up and shutdown without waiting, "
       "communicators, datatypes, other local calls)",
       "DVM analyser, 5.2; Mora's rule efficiency-defaults", true},
      {communication, "communication", "Communication Time",
       "point_to_point + collective + all_to_all + one_sided + io, waiting included",
       "DVM analyser, 4.1; Mora's rule efficiency-defaults", true},
      {point_to_point, "point_to_point", "SendRecv Time",
       "point-to-point (time in such calls); definition send-receive=lifetime: message_lifetime",
       "DVM analyser, 5.3.2; Mora's rule efficiency-defaults", true},
      {collective, "collective", "CollectiveAll Time",
       "collective + barrier + waiting in MPI_Init and MPI_Finalize, without all_to_all", "DVM analyser, 5.3.2", true},
      {all_to_all, "all_to_all", "AllToAll Time", "collective in MPI_Alltoall, Alltoallv, Alltoallw and their I forms",
       "DVM analyser, 5.3.2", true},
      {one_sided, "one_sided", "OneSided Time", "one-sided + synchronization-one-sided + OpenSHMEM's counterparts",
       "MPI-3.1, 11", true},
      {io, "io", "I/O Time", "mpi-io + mpi-file", "DVM analyser, 4.3", true},
      {idle_time, "idle_time", "Idle Time", "execution_time - the process's own time", "DVM analyser, 4.1", true},
      {measurement, "measurement", "Measurement", "overhead + unrecorded", "DVM analyser, 3.1", true},
      {useful_mpi, "useful_mpi", "Productive MPI Time", "mpi_time of the process with the least, if productive=one-mpi",
       "DVM analyser, 5.3.2; Mora's rule efficiency-defaults", true},
      {time_outside_mpi, "time_outside_mpi", "Time outside MPI", "time - mpi_time - device_time - measurement",
       "DVM analyser, 5.3.2", true},
      {mpi_time, "mpi_time", "MPI Time", "mpi + shmem", "DVM analyser, 5.3.2", true},
      {potential_synchronization, "potential_synchronization", "Potential Sync.",
       "potential-synchronization; definition synchronization=lateness: start-delay instead of its collective part",
       "DVM analyser, 4.1; Mora's rule potential-synchronisation", true},
      {real_synchronization, "real_synchronization", "Real Sync.", "sum of the wait states in MPI calls",
       "DVM analyser, 5.2", true},
      {time_variation, "time_variation", "Time Variation", "time-variation", "DVM analyser, 4.1", true},
      {load_imbalance, "load_imbalance", "Load Imbalance",
       "max over processes of time_outside_mpi - time_outside_mpi; definition load=execution: of time_outside_mpi + "
       "mpi_time",
       "DVM analyser, 4.1; Mora's rule efficiency-defaults", true},
      {overlap, "overlap", "Overlap", "overlap: computation while a request is pending",
       "DVM analyser, 4.1; Mora's rule overlap", true},
      {unhidden, "unhidden", "Not Overlapped", "mpi_time in MPI_Wait, Waitall, Waitany, Waitsome",
       "DVM analyser, 4.1; Mora's rule overlap", true},
      {start_time, "start_time", "Time of Start", "mpi_time in non-blocking calls: starts, tests, MPI_Iprobe",
       "DVM analyser, 5.3.2", true},
      {start_delay, "start_delay", "Start Delay", "start-delay",
       "DVM analyser, 5.3.2; Mora's rule potential-synchronisation", true},
      {message_lifetime, "message_lifetime", "Message Lifetime", "message-lifetime",
       "DVM analyser, 5.3.2; Mora's rule synchronisation-of-messages", true},
      {first_execution, "first_execution", "First Execution", "first-execution", "DVM analyser, 4.3", true},
      {device_time, "device_time", "Device Time",
       "device: calls of an accelerator's library, waiting for it included; a part of lost_time", "Mora's rule devices",
       true},
      {cpu_time, "cpu_time", "CPU Time", "cpu-time: the thread ran, inside MPI, too", "Mora's rule counts-of-intervals",
       true},
      {run_queue_wait, "run_queue_wait", "Waiting for a Core", "run-queue-wait, inside MPI, too",
       "Mora's rule counts-of-intervals", true},
      {page_faults, "page_faults", "All Page Faults", "all-page-faults, inside MPI, too",
       "Mora's rule counts-of-intervals", true, true},
      {voluntary_switches, "voluntary_switches", "All Voluntary Switches", "all-voluntary-switches, inside MPI, too",
       "Mora's rule counts-of-intervals", true, true},
      {involuntary_switches, "involuntary_switches", "All Involuntary Switches",
       "all-involuntary-switches, inside MPI, too", "Mora's rule counts-of-intervals", true, true},
  }};
  return infos;
}

const CharacteristicInfo& info_of(Characteristic characteristic) {
  return characteristic_infos()[static_cast<std::size_t>(characteristic)];
}

std::vector<CharacteristicInfo> characteristics_of(const IntervalTable& table) {
  const auto& infos = characteristic_infos();
  std::vector<CharacteristicInfo> found(infos.begin(), infos.end());
  const auto is_zero = [&](Characteristic c) { return table.intervals.empty() || table.intervals[0].value(c) == 0; };
  const bool no_device = is_zero(Characteristic::device_time), no_kernel = is_zero(Characteristic::cpu_time);
  std::erase_if(found, [&](const CharacteristicInfo& info) {
    return (no_device && info.id == Characteristic::device_time) || (no_kernel && info.id >= Characteristic::cpu_time);
  });
  return found;
}

std::string_view other_names(Characteristic characteristic) {
  switch (characteristic) {
    case Characteristic::system_insufficient_parallelism:
      return "MPI without communication; system insufficient parallelism (DVM analyser); other MPI; other MPI time";
    case Characteristic::user_insufficient_parallelism:
      return "repeated computation";
    case Characteristic::potential_synchronization:
      return "synchronization (DVM analyser)";
    default:
      return {};
  }
}

const CharacteristicInfo* find_characteristic_by_any_name(std::string_view name) {
  const std::string form = name_to_compare(name);
  for (const CharacteristicInfo& info : characteristic_infos()) {
    if (name_to_compare(info.key) == form || name_to_compare(info.name) == form) return &info;
  }
  for (const CharacteristicInfo& info : characteristic_infos()) {
    for (std::string_view names = other_names(info.id); !names.empty();) {
      const std::size_t end = std::min(names.find("; "), names.size());
      const std::string_view other = names.substr(0, end);
      names.remove_prefix(std::min(end + 2, names.size()));
      if (name_to_compare(other.substr(0, other.find(" ("))) == form) return &info;
    }
  }
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> names(const EfficiencyRules& rules) {
  return {
      {"productive", rules.productive == ProductiveRule::cpu ? "cpu: no MPI time is productive"
                                                             : "one-mpi: one process's MPI time is productive"},
      {"synchronization", rules.synchronization == SynchronizationRule::waiting
                              ? "waiting: charged to those that come early"
                              : "lateness: charged to those that come late"},
      {"load", rules.load == LoadRule::computation ? "computation: load is time outside MPI"
                                                   : "execution: load is time outside and in MPI"},
      {"send-receive", rules.send_receive == SendReceiveRule::in_calls ? "in-calls: time in point-to-point calls"
                                                                       : "lifetime: receive's exit - send's entry"}};
}

namespace {

/// One word of parse_rules.
struct RuleWord {
  std::string_view word;
  void (*apply)(EfficiencyRules&);
};
constexpr RuleWord rule_words[] = {
    {"default", [](EfficiencyRules& r) { r = {}; }},
    {"dvm-analyser",
     [](EfficiencyRules& r) {
       r.synchronization = SynchronizationRule::lateness;
       r.load = LoadRule::execution;
       r.send_receive = SendReceiveRule::lifetime;
     }},
    {"productive=cpu", [](EfficiencyRules& r) { r.productive = ProductiveRule::cpu; }},
    {"productive=one-mpi", [](EfficiencyRules& r) { r.productive = ProductiveRule::one_mpi; }},
    {"synchronization=waiting", [](EfficiencyRules& r) { r.synchronization = SynchronizationRule::waiting; }},
    {"synchronization=lateness", [](EfficiencyRules& r) { r.synchronization = SynchronizationRule::lateness; }},
    {"load=computation", [](EfficiencyRules& r) { r.load = LoadRule::computation; }},
    {"load=execution", [](EfficiencyRules& r) { r.load = LoadRule::execution; }},
    {"send-receive=in-calls", [](EfficiencyRules& r) { r.send_receive = SendReceiveRule::in_calls; }},
    {"send-receive=lifetime", [](EfficiencyRules& r) { r.send_receive = SendReceiveRule::lifetime; }},
};

}  // namespace

std::optional<EfficiencyRules> parse_rules(std::string_view text, std::string* why) {
  EfficiencyRules rules;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view given = text.substr(0, comma);
    const std::string_view word = given == "thesis" ? "dvm-analyser" : given;  // its name before version 0.2
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto* const found =
        std::find_if(std::begin(rule_words), std::end(rule_words), [&](const RuleWord& r) { return r.word == word; });
    if (found == std::end(rule_words)) {
      if (why != nullptr) {
        *why = "'" + std::string(word) + "' is no rule; there are";
        for (const RuleWord& r : rule_words) *why += (r.word == "default" ? " " : ", ") + std::string(r.word);
      }
      return std::nullopt;
    }
    found->apply(rules);
  }
  return rules;
}

}  // namespace mora::analysis
