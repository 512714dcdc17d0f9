/// Cubes filled by hand, for the tests of the efficiency analysis. Times in microseconds.
#pragma once

#include <string>

#include "analysis/metric_info.h"
#include "cube/cube.h"

namespace mora::analysis {

class CubeSample {
 public:
  /// Locations 0 … ranks - 1 are the processes' first threads.
  explicit CubeSample(unsigned ranks) {
    for (const MetricInfo& info : all_metrics()) {
      cube.metrics.push_back({std::string(info.id), std::string(info.name), std::string(info.unique_name),
                              info.parent.empty() ? cube::no_id : metric_index(info.parent), info.unit, ""});
    }
    for (unsigned r = 0; r < ranks; ++r) cube.locations.push_back({"rank " + std::to_string(r), r, 0, "node0"});
    cube.call_paths.push_back({cube::no_id, "app", cube::CallPathKind::program, "", 0});
    for (unsigned r = 0; r < ranks; ++r) add("visits", 0, r, 1);
  }

  cube::LocationId thread(std::uint32_t rank, std::uint32_t number) {
    cube.locations.push_back(
        {"rank " + std::to_string(rank) + " thread " + std::to_string(number), rank, number, "node0"});
    return static_cast<cube::LocationId>(cube.locations.size() - 1);
  }
  cube::CallPathId interval(cube::CallPathId parent, std::uint32_t line, std::uint32_t replication = 1,
                            std::uint32_t id = 0) {
    cube.call_paths.push_back({parent, "interval", cube::CallPathKind::interval, "/src/a.c", line, id, replication});
    return static_cast<cube::CallPathId>(cube.call_paths.size() - 1);
  }
  cube::CallPathId call(cube::CallPathId parent, const char* name) {
    cube.call_paths.push_back({parent, name, cube::CallPathKind::mpi, "/src/a.c", 7});
    return static_cast<cube::CallPathId>(cube.call_paths.size() - 1);
  }
  /// Adds to the metric and all above it: microseconds, or a number.
  void add(std::string_view metric, cube::CallPathId path, cube::LocationId location, std::int64_t value) {
    for (const MetricInfo* info = find_metric_info(metric); info != nullptr; info = find_metric_info(info->parent)) {
      const bool is_time = info->unit == cube::Unit::seconds;
      cube.add(metric_index(info->id), path, location, is_time ? value * 1000 : value);
    }
  }
  /// An execution of the call path that computes so long.
  void compute(cube::CallPathId path, cube::LocationId location, std::int64_t microseconds, std::int64_t visits = 1) {
    if (path != 0) add("visits", path, location, visits);
    add("computation", path, location, microseconds);
  }

  cube::Cube cube;
};

}  // namespace mora::analysis
