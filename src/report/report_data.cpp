/// Queries that all outputs share. Waiting is counted once: of nested wait states only the topmost that has findings.
#include "report/report_data.h"

#include <algorithm>

#include "cube/algebra.h"

namespace mora::report {

const MetricRow* ReportData::find_metric(const std::string& id) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricRow& m) { return m.id == id; });
  return found == metrics.end() ? nullptr : &*found;
}

Nanoseconds ReportData::total_time() const {
  const MetricRow* time = find_metric("time");
  return time == nullptr ? 0 : time->inclusive;
}

Nanoseconds ReportData::mpi_time() const {
  const MetricRow* mpi = find_metric("mpi");
  return mpi == nullptr ? 0 : mpi->inclusive;
}

std::vector<std::string> ReportData::top_wait_metrics() const {
  const auto has_finding = [&](const std::string& id) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.metric == id; });
  };
  std::vector<std::string> top;
  for (const MetricRow& metric : metrics) {
    if (!has_finding(metric.id)) continue;
    bool covered = false;
    std::size_t steps = 0;  // a damaged findings.json may name parents in a circle
    for (const MetricRow* up = find_metric(metric.parent); up != nullptr && !covered && steps < metrics.size();
         up = find_metric(up->parent), ++steps) {
      covered = has_finding(up->id);
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

std::vector<Nanoseconds> ReportData::waiting_by_rank() const {
  std::vector<Nanoseconds> sums(run.ranks);
  for (const std::string& id : top_wait_metrics()) {
    const auto& by_rank = find_metric(id)->by_rank;
    for (std::size_t r = 0; r < std::min(sums.size(), by_rank.size()); ++r) sums[r] += by_rank[r];
  }
  return sums;
}

std::vector<std::string> labels_of(const cube::Cube& cube, cube::CallPathId call_path) {
  std::vector<std::string> labels;
  for (cube::CallPathId c = call_path; c < cube.call_paths.size(); c = cube.call_paths[c].parent) {
    labels.push_back(label(cube.call_paths[c]));
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

std::string joined(const std::vector<std::string>& labels) {
  std::string out;
  for (const std::string& text : labels) out += (out.empty() ? "" : " > ") + text;
  return out;
}

bool ends_with_release(const std::string& metric) {
  return metric.find("contention") != std::string::npos || metric.find("late-unlock") != std::string::npos;
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
