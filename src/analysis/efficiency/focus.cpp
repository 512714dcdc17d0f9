#include "analysis/efficiency/focus.h"

namespace mora::analysis {

bool starts_or_ends_mpi(const cube::CallPath& path) {
  const std::string& name = path.name;
  if (path.kind == cube::CallPathKind::mpi)
    return name.starts_with("MPI_Init") || name.starts_with("MPI_Finalize") || name.starts_with("MPI_Session_");
  return path.kind == cube::CallPathKind::compute &&
         (name.find("-> MPI_Init") != std::string::npos || name.starts_with("compute MPI_Finalize"));
}

std::vector<bool> outside_focus(const cube::Cube& cube) {
  std::vector<bool> outside(cube.call_paths.size(), false);
  const cube::MetricId time = cube.find_metric("time");
  if (time == cube::no_id) return outside;
  std::int64_t all = 0, rest = 0;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    outside[c] = starts_or_ends_mpi(cube.call_paths[c]);
    const std::int64_t amount = cube.call_path_total(time, c);
    all += amount;
    rest += outside[c] ? 0 : amount;
  }
  if (static_cast<double>(rest) < smallest_focus * static_cast<double>(all)) outside.assign(outside.size(), false);
  return outside;
}

}  // namespace mora::analysis
