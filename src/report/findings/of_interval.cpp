#include "report/findings/of_interval.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "analysis/efficiency/interval_tree.h"
#include "cube/algebra.h"
#include "cube/labels.h"
#include "report/findings/findings.h"
#include "report/losses/losses.h"

namespace mora::report {
namespace {

using cube::CallPathId;

Nanoseconds in_proportion(Nanoseconds amount, Nanoseconds part, Nanoseconds whole) {
  return whole == 0 ? 0 : static_cast<Nanoseconds>(static_cast<__int128>(amount) * part / whole);
}

/// What of the finding is in the interval: none of it, or severity, instances, ranks and causes. `new_path`: call paths
/// of the interval by their labels in the program.
std::optional<Finding> part_of(const Finding& finding, const std::map<std::string, CallPathId>& new_path,
                               const IntervalResults& to, cube::MetricId metric) {
  std::vector<FindingPart> parts = finding.parts;
  if (parts.empty()) parts.push_back({finding.call_path, finding.severity, finding.instances});
  Finding inside = finding;
  inside.parts.clear();
  inside.severity = 0;
  inside.instances = 0;
  inside.by_rank.assign(finding.by_rank.size(), 0);
  for (const FindingPart& part : parts) {
    const auto place = new_path.find(joined(part.call_path));
    if (place == new_path.end()) continue;
    inside.severity += part.severity;
    inside.instances += part.instances;
    const auto by_rank = fold_threads(to.cube, to.cube.row(metric, place->second), to.data.run.ranks);
    for (std::size_t r = 0; r < std::min(by_rank.size(), inside.by_rank.size()); ++r) inside.by_rank[r] += by_rank[r];
    inside.parts.push_back({labels_of(to.cube, place->second), part.severity, part.instances});
  }
  if (inside.parts.empty()) return std::nullopt;
  inside.call_path = inside.parts.front().call_path;
  if (inside.parts.size() == 1) inside.parts.clear();
  inside.worst_rank = static_cast<std::uint32_t>(std::max_element(inside.by_rank.begin(), inside.by_rank.end()) -
                                                 inside.by_rank.begin());
  for (Cause& cause : inside.causes) cause.severity = in_proportion(cause.severity, inside.severity, finding.severity);
  for (CauseCall& cause : inside.cause_calls) {
    cause.severity = in_proportion(cause.severity, inside.severity, finding.severity);
    const auto place = new_path.find(joined(cause.call_path));
    if (place != new_path.end()) cause.call_path = labels_of(to.cube, place->second);
  }
  return inside;
}

}  // namespace

IntervalResults of_interval(const ReportData& data, const cube::Cube& cube, const analysis::IntervalTable& table,
                            std::size_t interval) {
  IntervalResults to;
  std::vector<bool> kept(cube.call_paths.size());
  for (const CallPathId c : analysis::call_paths_of(cube, table.intervals[interval], false)) kept[c] = true;
  to.cube = cube::subset(cube, kept);
  std::map<std::string, CallPathId> new_path;
  CallPathId next = 0;
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    if (kept[c]) new_path.emplace(joined(labels_of(cube, c)), next++);
  }
  for (cube::CallPath& path : to.cube.call_paths) {
    if (path.parent != cube::no_id) continue;
    path.name = cube::label(path);
    path.kind = cube::CallPathKind::program;
  }
  to.data.creator = data.creator;
  to.data.run = data.run;
  to.data.run.program = fmt::format("{} (interval {}) of {}", to.cube.call_paths.front().name, table.number(interval),
                                    data.run.program.empty() ? "the program" : data.run.program);
  to.data.quality = data.quality;
  to.data.metrics = metric_rows(to.cube, data.run.ranks);
  const Nanoseconds total = to.data.total_time();
  for (const Finding& finding : data.findings) {
    const cube::MetricId metric = to.cube.find_metric(finding.metric);
    if (metric == cube::no_id) continue;
    auto inside = part_of(finding, new_path, to, metric);
    if (!inside) continue;
    inside->percent_of_time =
        total == 0 ? 0 : 100.0 * static_cast<double>(inside->severity) / static_cast<double>(total);
    to.data.findings.push_back(std::move(*inside));
  }
  std::stable_sort(to.data.findings.begin(), to.data.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  find_losses(to.cube, to.data);
  return to;
}

}  // namespace mora::report
