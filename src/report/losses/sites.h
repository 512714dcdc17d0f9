/// Which call paths of a cube are one place of the code, for the division of lost time: iterations that were found and
/// numbered instances of marked intervals are not told apart, and all call paths of a call site in a function are one.
/// Cost: O(n log n) for n call paths. Safe from any thread; the cube must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cube/cube.h"
#include "cube/labels.h"
#include "report/losses/joining.h"

namespace mora::report {

class Sites {
 public:
  Sites(const cube::Cube& cube, std::uint32_t ranks);

  /// A call of MPI or of OpenSHMEM.
  bool is_call(cube::CallPathId path) const { return is_call_[path]; }
  /// The call path that stands for its call site in its function, that with most time; of no call itself.
  cube::CallPathId site_of(cube::CallPathId path) const { return site_of_[path]; }
  /// The innermost function (or marked interval) around it: iterations that were found are not told apart, nor from
  /// what stands outside the loop. no_id: none is around it.
  cube::CallPathId function_of(cube::CallPathId path) const;
  /// The innermost marked interval around it that has a number; no_id: none.
  cube::CallPathId instance_of(cube::CallPathId path) const;
  /// Of a stretch of computation, the calls around it.
  std::optional<cube::Stretch> stretch_of(cube::CallPathId path) const;

  /// Amounts of a metric by rank, ns; zeros of one that is not there (no_id).
  ByRank row(cube::MetricId metric, cube::CallPathId path) const;
  /// Of all ranks.
  std::int64_t total(cube::MetricId metric, const std::vector<cube::CallPathId>& paths) const;
  bool has(cube::MetricId metric, cube::CallPathId path) const {
    return metric != cube::no_id && cube_.call_path_total(metric, path) > 0;
  }

  /// Computation between a call that starts a message and one that completes it, ns, by function and label of the
  /// latter.
  std::map<std::pair<cube::CallPathId, std::string>, Nanoseconds> time_before_completion() const;

 private:
  void find_same();
  void find_sites();

  const cube::Cube& cube_;
  const std::uint32_t ranks_;
  const cube::MetricId time_, shmem_;
  std::vector<cube::CallPathId> same_;  ///< of call paths that differ only in iterations and instances, the first
  std::vector<cube::CallPathId> site_of_;
  std::vector<bool> is_call_;
};

}  // namespace mora::report
