/// Queries that all outputs share. Waiting is what analysis::waiting_metrics says, threads of a process included: time
/// that ends because somebody arrives, each nanosecond once.
#include "report/data/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/efficiency/focus.h"
#include "analysis/metric_info.h"
#include "analysis/profile/profile.h"
#include "base/text/function_name.h"
#include "cube/labels.h"
#include "trace/paradigm.h"

namespace mora::report {

const MetricRow* ReportData::find_metric(const std::string& id) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricRow& m) { return m.id == id; });
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<FindingGroup> ReportData::grouped_findings() const {
  std::map<std::string_view, std::string_view> parent;
  for (const MetricRow& metric : metrics) parent[metric.id] = metric.parent;
  std::map<std::pair<std::string_view, const std::vector<std::string>&>, std::size_t> place;
  for (std::size_t i = 0; i < findings.size(); ++i) place.try_emplace({findings[i].metric, findings[i].call_path}, i);
  std::vector<FindingGroup> groups;
  std::vector<std::size_t> group_of(findings.size());
  std::vector<std::size_t> outermost(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    outermost[i] = i;
    std::string_view metric = findings[i].metric;
    for (std::size_t steps = 0; steps < metrics.size(); ++steps) {  // a damaged file may name parents in a circle
      const auto above = parent.find(metric);
      if (above == parent.end() || above->second.empty()) break;
      metric = above->second;
      const auto found = place.find({metric, findings[i].call_path});
      if (found != place.end()) outermost[i] = found->second;
      if (outermost[i] == i && found != place.end()) break;
    }
    if (outermost[i] != i) continue;
    group_of[i] = groups.size();
    groups.push_back({&findings[i], {}});
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::size_t whole = outermost[i];
    if (whole != i && outermost[whole] == whole) groups[group_of[whole]].parts.push_back(&findings[i]);
  }
  return groups;
}

Nanoseconds ReportData::total_time() const {
  const MetricRow* time = find_metric("time");
  return time == nullptr ? 0 : time->inclusive;
}

Nanoseconds ReportData::mpi_time() const {
  const MetricRow* mpi = find_metric("mpi");
  return mpi == nullptr ? 0 : mpi->inclusive;
}

Nanoseconds ReportData::shmem_time() const {
  const MetricRow* shmem = find_metric("shmem");
  return shmem == nullptr ? 0 : shmem->inclusive;
}

std::vector<std::string> ReportData::top_wait_metrics() const {
  const auto is_waiting = [](const std::string& id) {
    const analysis::MetricInfo* info = analysis::find_metric_info(id);
    return info != nullptr && info->delay != analysis::DelayClass::none;
  };
  std::vector<std::string> top;
  for (const MetricRow& metric : metrics) {
    if (metric.inclusive == 0 || !is_waiting(metric.id)) continue;
    bool covered = false;
    std::size_t steps = 0;  // a damaged findings.json may name parents in a circle
    for (const MetricRow* up = find_metric(metric.parent); up != nullptr && !covered && steps < metrics.size();
         up = find_metric(up->parent), ++steps) {
      covered = is_waiting(up->id);
    }
    if (!covered) top.push_back(metric.id);
  }
  return top;
}

Nanoseconds ReportData::waiting() const {
  Nanoseconds sum = 0;
  for (const std::string& id : top_wait_metrics()) sum += find_metric(id)->inclusive;
  return sum;
}

bool ReportData::is_profile() const { return run.trace_format == analysis::profile_format; }

std::string ReportData::not_computable() const {
  constexpr std::size_t named = 3;
  std::size_t count = 0;
  std::string text, reason;
  for (const MetricRow& metric : metrics) {
    if (metric.reason.empty()) continue;
    reason = metric.reason;
    if (++count <= named) text += (count == 1 ? "" : ", ") + metric.name;
  }
  if (count == 0) return "";
  if (is_profile()) return fmt::format("Wait states cannot be computed: {}", reason);
  if (count > named) text += fmt::format(" and {} more", count - named);
  return fmt::format("{} cannot be computed: {}", text, reason);
}

std::string no_findings(const ReportData& data) {
  const std::string unknown = data.not_computable();
  return unknown.empty() ? "No wait state was found." : unknown + ".";
}

std::vector<Nanoseconds> ReportData::waiting_by_rank() const {
  std::vector<Nanoseconds> sums(run.ranks);
  for (const std::string& id : top_wait_metrics()) {
    const auto& by_rank = find_metric(id)->by_rank;
    for (std::size_t r = 0; r < std::min(sums.size(), by_rank.size()); ++r) sums[r] += by_rank[r];
  }
  return sums;
}

/// The outermost label is the program's; calls and intervals name their place, as do OpenMP's constructs.
std::string functions_around(const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t i = labels.size() < 2 ? 0 : labels.size() - 2, named = 0; i > 0 && named < 2; --i) {
    const std::string& label = labels[i];
    const bool has_place = !cube::parts_of(label).place.empty();
    if (has_place && !trace::openmp_directive(label).empty()) continue;  // the region around a loop or a task
    if (has_place || analysis::called_function(label).call != mpi::CallClass::none) break;
    if (label == "main" || label == "MAIN__" || label.starts_with('(')) break;
    text += (named++ == 0 ? "" : ", called from ") + without_parameters(label);
  }
  return text;
}

std::vector<std::string> LossCause::place() const {
  std::vector<std::string> labels = call_path;
  if (!instances) return labels;
  for (std::string& label : labels) label = cube::without_instance(label);
  return labels;
}

std::vector<std::int64_t> fold_threads(const cube::Cube& cube, const std::vector<std::int64_t>& by_location,
                                       std::uint32_t ranks) {
  std::vector<std::int64_t> by_rank(ranks);
  for (std::size_t l = 0; l < by_location.size(); ++l) {
    const std::uint32_t rank = cube.locations[l].rank;
    if (rank < ranks) by_rank[rank] += by_location[l];
  }
  return by_rank;
}

}  // namespace mora::report
