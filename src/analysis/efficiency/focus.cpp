#include "analysis/efficiency/focus.h"

#include "cube/labels.h"

namespace mora::analysis {

const mpi::Function& called_function(std::string_view label) {
  return mpi::function(mpi::find(cube::parts_of(label).name));
}

bool starts_or_ends_mpi(const cube::CallPath& path) {
  if (path.kind == cube::CallPathKind::mpi) return called_function(path.name).is_bound;
  const auto stretch = cube::stretch(path.name);
  return path.kind == cube::CallPathKind::compute && stretch &&
         (called_function(stretch->to).call == mpi::CallClass::init ||
          called_function(stretch->from).call == mpi::CallClass::finalize);
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
