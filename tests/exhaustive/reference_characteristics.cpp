/// The characteristics of intervals (DVM analyser) from the naive amounts.
#include <algorithm>

#include "reference_efficiency.h"

namespace mora::exhaustive {

using analysis::EfficiencyRules;

namespace {

using ByRank = std::map<std::uint32_t, std::int64_t>;

class IntervalReference {
 public:
  IntervalReference(const EfficiencyReference& reference, const std::string& identity, const EfficiencyRules& rules)
      : reference_(reference), identity_(identity), rules_(rules) {
    for (const auto& [rank, execution] : reference.intervals.at(identity)) ranks_.push_back(rank);
  }

  std::map<std::string, ByRank> values() {
    using analysis::LoadRule;
    using analysis::ProductiveRule;
    using analysis::SendReceiveRule;
    using analysis::SynchronizationRule;
    std::map<std::string, ByRank> all;
    const ByRank time = sum("time"), mpi = sum("mpi"), measurement = sum("overhead");
    const ByRank own_point_to_point = sum("point-to-point"), lifetime = sum("message-lifetime");
    const bool lives = rules_.send_receive == SendReceiveRule::lifetime;
    const ByRank insufficient = repeated();
    std::int64_t longest = 0, largest_load = 0, least_mpi = INT64_MAX;
    ByRank load;
    for (const std::uint32_t r : ranks_) {
      const std::int64_t cpu = at(time, r) - at(mpi, r) - at(measurement, r);
      load[r] = rules_.load == LoadRule::computation ? cpu : cpu + at(mpi, r);
      longest = std::max(longest, at(time, r));
      largest_load = std::max(largest_load, load[r]);
      least_mpi = std::min(least_mpi, at(mpi, r));
    }
    bool one_is_productive = rules_.productive == ProductiveRule::one_mpi;
    for (const std::uint32_t r : ranks_) {
      const auto set = [&](const char* key, std::int64_t value) { return all[key][r] = value; };
      set("execution_time", at(time, r));
      set("mpi_time", at(mpi, r));
      set("measurement", at(measurement, r));
      const std::int64_t cpu = set("time_outside_mpi", at(time, r) - at(mpi, r) - at(measurement, r));
      const std::int64_t user = set("user_insufficient_parallelism", at(insufficient, r));
      const std::int64_t p2p = set("point_to_point", lives ? at(lifetime, r) : at(own_point_to_point, r));
      const std::int64_t all_to_all =
          set("all_to_all", at(sum("collective", "MPI_Alltoall"), r) + at(sum("collective", "MPI_Ialltoall"), r));
      const std::int64_t collective = set("collective", at(sum("barrier"), r) + at(sum("collective"), r) - all_to_all);
      const std::int64_t one_sided =
          set("one_sided", at(sum("one-sided"), r) + at(sum("fence"), r) + at(sum("window-handling"), r));
      const std::int64_t io = set("io", at(sum("mpi-io"), r));
      const std::int64_t communication = set("communication", p2p + collective + all_to_all + one_sided + io);
      const std::int64_t system = set("system_insufficient_parallelism", at(mpi, r) - communication);
      const std::int64_t idle = set("idle_time", longest - at(time, r));
      const bool is_it = one_is_productive && at(mpi, r) == least_mpi;
      const std::int64_t useful_mpi = set("useful_mpi", is_it ? at(mpi, r) : 0);
      if (is_it) one_is_productive = false;  // the lowest rank of those
      set("lost_time", user + system + communication + idle + at(measurement, r) - useful_mpi);
      set("productive_time", cpu - user + useful_mpi);
      set("total_time", longest);
      set("load_imbalance", largest_load - load[r]);
      set("potential_synchronization",
          at(sum("potential-synchronization-point-to-point"), r) +
              at(sum(rules_.synchronization == SynchronizationRule::waiting ? "potential-synchronization-collective"
                                                                            : "start-delay"),
                 r));
      set("time_variation", at(sum("time-variation"), r));
      set("overlap", at(sum("overlap"), r));
      set("start_delay", at(sum("start-delay"), r));
      set("message_lifetime", at(lifetime, r));
      std::int64_t first = 0, unhidden = 0, starts = 0;
      for (const Amount& a : reference_.amounts) {
        if (a.rank != r || !contains(a)) continue;
        if (a.metric == "first-execution" && a.intervals.back() == identity_) first += a.amount;
        if (a.metric != "mpi") continue;
        unhidden += a.function == "MPI_Wait" || a.function == "MPI_Waitall" ? a.amount : 0;
        for (const char* start : {"MPI_Isend", "MPI_Irecv", "MPI_Test", "MPI_Ibarrier", "MPI_Iallreduce",
                                  "MPI_Ialltoall", "MPI_Rput", "MPI_File_iwrite"}) {
          starts += a.function == start ? a.amount : 0;
        }
      }
      set("first_execution", first);
      for (const char* key :
           {"device_time", "cpu_time", "run_queue_wait", "page_faults", "voluntary_switches", "involuntary_switches"})
        set(key, 0);  // the programs have no devices, and counters are not read
      set("unhidden", unhidden);
      set("start_time", starts);
    }
    for (auto& [key, by_rank] : all) {
      std::int64_t whole = 0;
      for (const auto& [r, amount] : by_rank) whole += amount;
      by_rank[no_rank] = key == "execution_time" ? longest : whole;
    }
    return all;
  }

 private:
  static std::int64_t at(const ByRank& amounts, std::uint32_t rank) {
    const auto found = amounts.find(rank);
    return found == amounts.end() ? 0 : found->second;
  }
  bool contains(const Amount& a) const {
    return std::find(a.intervals.begin(), a.intervals.end(), identity_) != a.intervals.end();
  }
  ByRank sum(const std::string& metric, const std::string& function = "") const {
    ByRank by_rank;
    for (const Amount& a : reference_.amounts) {
      if (a.metric != metric || !contains(a)) continue;
      if (function.empty() || a.function == function) by_rank[a.rank] += a.amount;
    }
    return by_rank;
  }

  /// Computation that others do too: of each interval's own, the share that its replication says.
  ByRank repeated() const {
    ByRank by_rank;
    for (const auto& [identity, executions] : reference_.intervals) {
      ByRank own;
      for (const Amount& a : reference_.amounts) {
        if (a.metric == "computation" && a.intervals.back() == identity && contains(a)) own[a.rank] += a.amount;
      }
      std::int64_t processes = 1;
      for (std::string around = identity;; around = reference_.parent.at(around)) {
        const auto& of = reference_.intervals.at(around);
        for (const auto& [rank, execution] : of) {
          const bool all = execution.replication == trace::no_id;
          // Never more copies than processes that execute it (rule `replication`).
          const auto executing = static_cast<std::int64_t>(of.size());
          processes = std::max<std::int64_t>(
              processes, all ? executing : std::min<std::int64_t>(execution.replication, executing));
        }
        if (around.empty()) break;
      }
      for (const auto& [rank, computed] : own) by_rank[rank] += computed * (processes - 1) / processes;
    }
    return by_rank;
  }

  const EfficiencyReference& reference_;
  std::string identity_;
  EfficiencyRules rules_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace

CharacteristicValues characteristics_naively(const EfficiencyReference& reference, const EfficiencyRules& rules) {
  CharacteristicValues values;
  for (const auto& [identity, executions] : reference.intervals) {
    values[identity] = IntervalReference(reference, identity, rules).values();
  }
  return values;
}

}  // namespace mora::exhaustive
