/// POP metrics of an interval (POP metrics; Mora's rule pop-metrics): parallel efficiency and its factors, in the
/// multiplicative and the additive form, with the published definitions of serialisation. Doubles are made last, from
/// integers.
///
/// n processes; per process p: u_p = useful computation (ProcessAmounts::useful), o_p = time outside MPI (computation
/// and threads' libraries), E_p = execution. T = max E_p. Measurement and what was not recorded are in E and T, never
/// in u or o.
///
///   multiplicative: PE = mean(u) / T = LB x CommE; LB = mean(u) / max(u); CommE = max(u) / T = Ser x Trf additive:
///   1 - PE = (1 - LB) + (1 - CommE); LB = 1 - (max(u) - mean(u)) / T; 1 - CommE = (1 - Ser) + (1 - Trf)
///
/// Pure functions; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/efficiency/interval_table.h"

namespace mora::analysis {

/// Which definition of the run time on an ideal network (T_ideal), and of serialisation.
enum class IdealTime : std::uint8_t {
  replay_useful,  ///< basicanalysis: Ser = max(u_ideal) / T_ideal, T_ideal from the replay (u_ideal = u: computation is
                  ///< kept)
  replay_outside,  ///< PyPOP: Ser = max(o) / T_ideal; its communication efficiency is max(o) / T
  advisor,  ///< Cube Advisor: T_ideal = max(execution - transfer), transfer = MPI - waiting - file I/O; RMA waits are
            ///< waiting
  advisor_no_rma,  ///< the same as published: RMA waiting counts as transfer
};
inline constexpr std::size_t ideal_times = 4;

/// Serialisation and transfer by one definition.
struct Serialisation {
  IdealTime definition = IdealTime::replay_useful;
  std::string_view key;                    ///< JSON: "replay", "replay-outside", "advisor", "advisor-no-rma"
  std::string_view name;                   ///< "basicanalysis, replayed"
  std::string_view formula;                ///< of both factors
  std::string_view source;                 ///< where it was published
  std::optional<std::int64_t> ideal_time;  ///< T_ideal, ns; nullopt: cannot be computed, `why_not` says why
  std::string why_not;
  double communication_efficiency = 0;     ///< serialisation x transfer; PopMetrics' but for replay_outside
  double serialisation = 0, transfer = 0;  ///< multiplicative
  double additive_serialisation = 0, additive_transfer = 0;
};

/// Processes and their threads (PyPOP's hybrid sets): U = useful computation of all threads, t = their number, o_p of
/// the process's first thread.
///   PE = (U / t) / T;  process level: mean(o) / T = LB x CommE, LB = mean(o) / max(o), CommE = max(o) / T
///   thread level: multiplicative (U / t) / mean(o), so that PE = process x thread; additive 1 - (mean(o) - U / t) / T
struct HybridMetrics {
  std::uint32_t threads = 0;    ///< t
  std::int64_t useful_sum = 0;  ///< U, ns
  double parallel_efficiency = 0;
  double process_efficiency = 0, load_balance = 0, communication_efficiency = 0;
  double thread_efficiency = 0;
  double additive_load_balance = 0, additive_thread_efficiency = 0;
};

/// The POP metrics of one interval. Efficiencies are ratios, 1 = nothing lost; times in ns.
struct PopMetrics {
  std::uint32_t processes = 0;
  std::int64_t run_time = 0;                      ///< T = max over processes of execution, ns
  std::int64_t useful_sum = 0, useful_max = 0;    ///< u
  std::int64_t outside_sum = 0, outside_max = 0;  ///< o
  double parallel_efficiency = 0, load_balance = 0, communication_efficiency = 0;
  double additive_load_balance = 0, additive_communication_efficiency = 0;
  std::vector<Serialisation> serialisations;  ///< all four, in order of IdealTime
  std::optional<HybridMetrics> hybrid;        ///< where threads are known in this interval
  std::int64_t instructions = 0, cycles = 0;  ///< sums; 0 = not recorded
  std::int64_t waiting = 0;                   ///< in MPI calls, sum over processes, ns
  std::int64_t rma_waiting = 0;               ///< of that, in one-sided communication
  std::int64_t measurement = 0;               ///< recorder's and marks' time, and what was not recorded; sum, ns
  std::int64_t start_and_end = 0;             ///< of the program: outside of its focus, in none of the figures; sum, ns
  std::vector<std::string> notes;             ///< what must be said beside the numbers

  /// The first definition that is known: the replay's where there was one, else Cube Advisor's with one-sided waits.
  /// The other three are never mixed with it. nullptr if none is.
  const Serialisation* headline() const;
  const Serialisation& of(IdealTime definition) const { return serialisations[static_cast<std::size_t>(definition)]; }
};

/// Wait states below MPI that are disjoint in time: of a delay class, and not a refinement of another one. From the
/// registry of metrics.
struct MpiWait {
  cube::MetricId metric = cube::no_id;
  bool is_rma = false;   ///< below synchronization-one-sided or one-sided
  bool is_file = false;  ///< below mpi-io: part of the file I/O, which is no transfer anyway
};
std::vector<MpiWait> mpi_waits(const cube::Cube& cube);

/// `cube` gives the waits; `interval` is an index of `table`, which was made from it. Those of the program (0) are
/// those of its focus (focus.h). A zero-length interval: all efficiencies 1.
PopMetrics pop_metrics(const cube::Cube& cube, const IntervalTable& table, std::size_t interval);

/// Processes and threads of all time of the interval, starting and ending MPI included; nullopt as PopMetrics::hybrid.
std::optional<HybridMetrics> thread_metrics(const cube::Cube& cube, const IntervalTable& table, std::size_t interval);

/// Below this an efficiency "needs attention" (POP's convention).
inline constexpr double attention_threshold = 0.8;

/// Against a reference run, for scaling tables: weak scaling multiplies the reference's work by the ratio of processes.
enum class Scaling : std::uint8_t { strong, weak };
/// Computation scaling and its factors, as ratios to the reference run.
struct ComputationScaling {
  double computation = 1,
         global_efficiency = 1;  ///< parallel efficiency x computation scaling; 1 if either computed nothing
  std::optional<double> instructions, ipc, frequency;  ///< where counters exist in both; their product is `computation`
};
ComputationScaling scaling_against(const PopMetrics& reference, const PopMetrics& run, Scaling scaling);

}  // namespace mora::analysis
