/// Predicted against measured one-process time: lost time and efficiency rest on a prediction, the productive time; a
/// run of the same program with one process tells how good it is, and how much the efficiency changes. Source: DVM
/// analyser, 4.3; Mora's rule extrapolation.
///
///   predicted = productive time of the interval: the sum of computation, marked sequential parts once. measured =
///   productive time of the one-process run by the same rules: its computation; its MPI calls only count where the
///   rules count one process's MPI time as productive, else they are given beside it. Both tables are to be made with
///   the same rules.
///
/// Pure functions; safe from any thread. Times in ns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/efficiency/interval_table.h"

namespace mora::report {

enum class OneProcessCause : std::uint8_t {
  agrees,          ///< within the tolerance
  compensated,     ///< differences of nested intervals, or theirs and the rest, cancel in part
  negligible,      ///< too small a part of the program to be explained
  missing,         ///< a nested interval that only one of the runs has
  not_comparable,  ///< other numbers of executions: not the same work
  cache,           ///< measured > predicted: more data per process; without counters, or same instructions and more
                   ///< cycles
  frequency,       ///< the same instructions and cycles in another time
  more_work,       ///< measured > predicted: more instructions with one process
  mpi_calls,       ///< measured > predicted: more time in MPI calls with one process, where the rules count it
  contention,      ///< measured < predicted: the same instructions took more cycles side by side: memory, caches shared
  unmarked_duplication,  ///< measured < predicted: what N processes computed alike and is not marked as sequential
  unexplained,           ///< neither the times nor the counters say why
  unaccounted_overhead,  ///< measured < predicted: overheads of parallel execution in the computation
};

/// One explanation. `certain`: counters or the times themselves say so; else it is likely (DVM analyser, 4.3).
struct OneProcessFinding {
  OneProcessCause cause = OneProcessCause::agrees;
  std::int64_t amount = 0;  ///< ns of the difference that it explains, 0 = not known; signed: `missing`, `compensated`
  bool is_certain = false;
  std::string text;                ///< a sentence with its numbers
  std::size_t missing = SIZE_MAX;  ///< the interval; amount < 0: of the parallel run, else of the one-process run
};

/// One interval that both runs have. Ratios are 1 where both sides are 0.
struct OneProcessRow {
  std::size_t interval = 0, measured_interval = 0;  ///< in the two tables
  std::int64_t predicted = 0, measured = 0;         ///< ns
  std::int64_t difference = 0;                      ///< measured - predicted
  std::int64_t own_difference = 0;                  ///< without that of nested intervals
  std::int64_t missing_difference = 0;              ///< of nested intervals that only one run has, all levels
  std::int64_t measured_mpi = 0;                    ///< all MPI calls of the one-process run
  std::int64_t counted_mpi = 0;                     ///< of `measured`
  std::int64_t counted_once = 0;   ///< copies of marked sequential or replicated parts, left out of predicted
  double ratio = 1;                ///< measured / predicted; 1 if both are 0, 0 if only predicted is
  double efficiency = 1;           ///< predicted / (N x T)
  double efficiency_measured = 1;  ///< measured / (N x T)
  bool is_nested = false;          ///< the difference lies in nested intervals: their rows and `missing` explain it
  std::vector<OneProcessFinding> findings;  ///< never empty
};

/// The whole comparison; `why_not` not empty: the rest is empty.
struct OneProcessComparison {
  std::uint32_t processes = 0;      ///< N of the program
  std::vector<OneProcessRow> rows;  ///< in order of the first table
  std::vector<std::size_t> unmatched, unmatched_measured;
  std::string why_not;  ///< not empty: the second run is not one of one process
  double tolerance = 0;
};

/// Differences smaller than this part of the program's productive time are not explained.
inline constexpr double negligible_share = 0.001;
/// Findings of cause `missing` of one row; the smaller ones come as one.
inline constexpr std::size_t most_missing = 5;

/// Not empty: these are results of different programs, and what differs. Their names differ, and no source file of
/// a call site and no function is in both. What lacks both kinds of names is never called different.
std::string different_programs(const cube::Cube& first, const cube::Cube& second);

/// Intervals of equal path: name, file, line and id of them and of all above; the programs (index 0) always match.
std::vector<std::pair<std::size_t, std::size_t>> same_paths(const analysis::IntervalTable& first,
                                                            const analysis::IntervalTable& second);

/// `matches`: pairs (interval of `run`, interval of `one`), parents before children. `tolerance`: relative differences
/// up to it agree; give the run-to-run spread if it is known.
OneProcessComparison one_process_comparison(const analysis::IntervalTable& run, const analysis::IntervalTable& one,
                                            const std::vector<std::pair<std::size_t, std::size_t>>& matches,
                                            double tolerance = 0.05);

}  // namespace mora::report
