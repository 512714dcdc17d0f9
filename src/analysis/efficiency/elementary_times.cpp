/// Which metric is which elementary amount: one table. Metrics that a cube lacks (others' cubes) count as zero.
/// Disjoint by construction: no metric of the table is an ancestor of another one with the same amount.
#include "analysis/efficiency/elementary_times.h"

#include <algorithm>

#include "analysis/efficiency/interval_table.h"
#include "analysis/metric_info.h"
#include "mpi/function.h"

namespace mora::analysis {

namespace {

using mpi::CallClass;

/// Metric ids and what they are elementary of. A metric that a cube lacks counts as zero.
constexpr std::pair<std::string_view, Elementary> table[] = {
    {"time", Elementary::time},
    {"mpi", Elementary::mpi},
    {"shmem", Elementary::mpi},
    {"overhead", Elementary::overhead},
    {"unrecorded", Elementary::unrecorded},
    {"point-to-point", Elementary::point_to_point},
    {"collective", Elementary::collective},
    {"synchronization-collective", Elementary::collective},
    {"shmem-collective", Elementary::collective},
    {"shmem-barrier", Elementary::collective},
    {"wait-at-init", Elementary::collective},  // what a process waits for the others there; the rest is start-up
    {"wait-at-finalize", Elementary::collective},
    {"one-sided", Elementary::one_sided},
    {"synchronization-one-sided", Elementary::one_sided},
    {"shmem-rma", Elementary::one_sided},
    {"shmem-atomics", Elementary::one_sided},
    {"shmem-wait-until", Elementary::one_sided},
    {"shmem-fence", Elementary::one_sided},
    {"shmem-locks", Elementary::one_sided},
    {"mpi-io", Elementary::io},
    {"mpi-file", Elementary::io},
    {"potential-synchronization-point-to-point", Elementary::potential_p2p},
    {"potential-synchronization-collective", Elementary::potential_collective},
    {"start-delay", Elementary::start_delay},
    {"time-variation", Elementary::variation},
    {"message-lifetime", Elementary::lifetime},
    {"overlap", Elementary::overlap},
    {"request-overlap", Elementary::request_overlap},
    {"computation", Elementary::useful},
    {"ideal-network-time", Elementary::ideal},
    {"instructions", Elementary::instructions},
    {"cycles", Elementary::cycles},
    {"device", Elementary::device},
    {"cpu-time", Elementary::cpu_time},
    {"run-queue-wait", Elementary::run_queue},
    {"all-page-faults", Elementary::page_faults},
    {"all-voluntary-switches", Elementary::voluntary_switches},
    {"all-involuntary-switches", Elementary::involuntary_switches},
};

bool is_below(const cube::Cube& cube, cube::MetricId metric, cube::MetricId ancestor) {
  for (; metric != cube::no_id; metric = cube.metrics[metric].parent) {
    if (metric == ancestor) return true;
  }
  return false;
}

}  // namespace

std::vector<cube::MetricId> waiting_metrics(const cube::Cube& cube, bool with_one_sided) {
  std::vector<cube::MetricId> found;
  const auto is_waiting = [](std::string_view id) {
    const MetricInfo* info = find_metric_info(id);
    return info != nullptr && info->delay != DelayClass::none;
  };
  const cube::MetricId mpi = cube.find_metric("mpi"), shmem = cube.find_metric("shmem");
  for (cube::MetricId metric = 0; metric < cube.metrics.size(); ++metric) {
    if (!is_waiting(cube.metrics[metric].id)) continue;
    if (!(mpi != cube::no_id && is_below(cube, metric, mpi)) &&
        !(shmem != cube::no_id && is_below(cube, metric, shmem))) {
      continue;
    }
    bool is_refinement = false;
    bool is_one_sided = false;
    for (cube::MetricId m = cube.metrics[metric].parent; m != cube::no_id; m = cube.metrics[m].parent) {
      is_refinement = is_refinement || is_waiting(cube.metrics[m].id);
      is_one_sided =
          is_one_sided || cube.metrics[m].id == "one-sided" || cube.metrics[m].id == "synchronization-one-sided";
    }
    if (!is_refinement && (with_one_sided || !is_one_sided)) found.push_back(metric);
  }
  return found;
}

ElementaryCells::ElementaryCells(const cube::Cube& cube) : cube_(cube) {
  for (const auto& [id, as] : table) {
    const cube::MetricId metric = cube.find_metric(std::string(id));
    if (metric == cube::no_id) continue;
    cells_.emplace_back(metric, as);
    if (as == Elementary::mpi) mpi_.push_back(metric);
  }
  for (const cube::MetricId metric : waiting_metrics(cube)) cells_.emplace_back(metric, Elementary::waiting);
  kinds_.reserve(cube.call_paths.size());
  for (const cube::CallPath& path : cube.call_paths) kinds_.push_back(kind_of(path));
}

ElementaryCells::CallKind ElementaryCells::kind_of(const cube::CallPath& path) {
  CallKind kind;
  if (path.kind != cube::CallPathKind::mpi) return kind;
  const mpi::Function& f = mpi::function(mpi::find(path.name));
  using enum CallClass;
  kind.is_all_to_all = f.form != mpi::Form::sets_up &&
                       (f.collective == mpi::Collective::alltoall || f.collective == mpi::Collective::alltoallv ||
                        f.collective == mpi::Collective::alltoallw);
  kind.is_collective = f.call == collective || f.call == collective_start || f.call == fence;
  kind.is_wait = f.call == wait_single || f.call == wait_multiple;
  kind.is_start = mpi::starts_requests(f) || mpi::polls_messages(f);
  return kind;
}

}  // namespace mora::analysis
