/// POP metrics of an interval (spec/wait-states.md 1.11): parallel efficiency and its factors, in the multiplicative and the additive
/// form, with the three published definitions of serialisation. Doubles are made last, from integers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/efficiency/interval_table.h"

namespace mora::analysis {

/// Which definition of the run time on an ideal network (T_ideal), and of serialisation.
enum class IdealTime : std::uint8_t {
  replay_useful,    ///< basicanalysis: Ser = max(u_ideal) / T_ideal, T_ideal from the replay (u_ideal = u: computation is kept)
  replay_outside,   ///< PyPOP: Ser = max(time outside MPI) / T_ideal
  advisor,          ///< Cube Advisor: T_ideal = max(execution - transfer), transfer = MPI - waiting - file I/O; RMA waits are waiting
  advisor_no_rma,   ///< the same as published: RMA waiting counts as transfer
};
inline constexpr std::size_t ideal_times = 4;

struct Serialisation {
  IdealTime definition;
  std::string_view name, source;      ///< "basicanalysis", …
  std::optional<std::int64_t> ideal_time;  ///< ns; nullopt: cannot be computed, `why_not` says why
  std::string why_not;
  double serialisation = 0, transfer = 0;                    ///< multiplicative: communication efficiency = their product
  double additive_serialisation = 0, additive_transfer = 0;
};

struct PopMetrics {
  std::uint32_t processes = 0;
  std::int64_t run_time = 0;     ///< T = max over processes, ns
  std::int64_t useful_sum = 0, useful_max = 0;
  double parallel_efficiency = 0, load_balance = 0, communication_efficiency = 0;
  double additive_load_balance = 0, additive_communication_efficiency = 0;
  std::vector<Serialisation> serialisations;  ///< all four, in order of IdealTime; the first that is known is the headline
  std::int64_t instructions = 0, cycles = 0;  ///< sums; 0 = not recorded
  std::int64_t rma_waiting = 0;               ///< ns
};

/// `cube` gives the waits. A zero-length interval: all efficiencies 1.
PopMetrics pop_metrics(const cube::Cube& cube, const IntervalTable& table, std::size_t interval);

/// Against a reference run, for scaling tables: weak scaling multiplies the reference's work by the ratio of processes.
enum class Scaling : std::uint8_t { strong, weak };
struct ComputationScaling {
  double computation = 1, global_efficiency = 1;      ///< parallel efficiency x computation scaling
  std::optional<double> instructions, ipc, frequency;  ///< where counters exist in both
};
ComputationScaling scaling_against(const PopMetrics& reference, const PopMetrics& run, Scaling scaling);

}  // namespace mora::analysis
