/// The elementary amounts of a call path, as the cells of the cube give them, and which kind of call it is. Source: DVM
/// analyser, 5.3.2 (its elementary characteristics), by Mora's metrics; what counts as what: elementary_times.cpp. ns;
/// read-only, safe from any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cube/cube.h"

namespace mora::analysis {

/// What adds up along the call tree of an interval, per location.
enum class Elementary : std::uint8_t {
  time,
  mpi,
  overhead,
  unrecorded,
  point_to_point,
  collective,
  all_to_all,
  one_sided,
  io,
  waiting,
  potential_p2p,
  potential_collective,
  start_delay,
  variation,
  lifetime,
  overlap,
  request_overlap,
  unhidden,
  start_time,
  useful,
  ideal,
  instructions,
  cycles,
  device,
  cpu_time,
  run_queue,
  page_faults,
  voluntary_switches,
  involuntary_switches,
};
inline constexpr std::size_t elementaries = static_cast<std::size_t>(Elementary::involuntary_switches) + 1;
using ElementaryAmounts = std::array<std::int64_t, elementaries>;

/// Reads a cube row by row.
class ElementaryCells {
 public:
  /// `cube` outlives it. O(metrics + call paths).
  explicit ElementaryCells(const cube::Cube& cube);

  /// Calls `take(elementary, row over locations)` for each row of the call path that holds something.
  template <class Take>
  void of(cube::CallPathId call_path, const Take& take) const {
    const auto row_of = [&](cube::MetricId metric, Elementary as) {
      const std::vector<std::int64_t>& row = cube_.row(metric, call_path);
      if (!row.empty()) take(as, row);
    };
    const CallKind kind = kinds_[call_path];
    for (const auto& [metric, as] : cells_) {
      row_of(metric, as == Elementary::collective && kind.is_all_to_all ? Elementary::all_to_all : as);
    }
    for (const cube::MetricId metric : mpi_) {
      if (kind.is_wait) row_of(metric, Elementary::unhidden);
      if (kind.is_start) row_of(metric, Elementary::start_time);
    }
  }
  /// The call path's function is one of MPI's or OpenSHMEM's collectives.
  bool is_collective(cube::CallPathId call_path) const { return kinds_[call_path].is_collective; }

 private:
  struct CallKind {
    bool is_all_to_all = false;
    bool is_wait = false;   ///< MPI_Wait, Waitall, Waitany, Waitsome
    bool is_start = false;  ///< non-blocking: starts, tests, MPI_Iprobe
    bool is_collective = false;
  };
  static CallKind kind_of(const cube::CallPath& path);

  const cube::Cube& cube_;
  std::vector<std::pair<cube::MetricId, Elementary>> cells_;
  std::vector<cube::MetricId> mpi_;  ///< mpi, shmem
  std::vector<CallKind> kinds_;      ///< by call path
};

}  // namespace mora::analysis
