/// Rows are dense over the locations and made when their first cell is written, so a metric costs memory only at call
/// paths that have a value. All sums are of integers and do not depend on order.
#include "cube/cube.h"

#include <algorithm>
#include <cassert>

#include "base/names.h"

namespace mora::cube {

const char* unit_key(Unit unit) {
  static constexpr const char* names[] = {"s", "occ", "bytes"};
  return name_in(names, unit);
}

const char* unit_word(Unit unit) {
  static constexpr const char* names[] = {"seconds", "occurrences", "bytes"};
  return name_in(names, unit);
}

const char* to_string(CallPathKind kind) {
  static constexpr const char* names[] = {"program", "user", "mpi", "compute", "interval", "sampled"};
  return name_in(names, kind);
}

const char* to_string(Fold fold) {
  static constexpr const char* names[] = {"sum", "least", "most"};
  return name_in(names, fold);
}

std::int64_t folded(Fold fold, std::int64_t a, std::int64_t b) {
  if (fold == Fold::sum) return a + b;
  if (a == 0 || b == 0) return a + b;
  return fold == Fold::least ? std::min(a, b) : std::max(a, b);
}

std::int64_t folded(Fold fold, const std::vector<std::int64_t>& values) {
  std::int64_t result = 0;
  for (const std::int64_t value : values) result = folded(fold, result, value);
  return result;
}

void Cube::add(MetricId metric, CallPathId call_path, LocationId location, std::int64_t amount) {
  assert(metric < metrics.size() && call_path < call_paths.size() && location < locations.size());
  if (amount == 0) return;
  if (rows_.size() <= metric) rows_.resize(metrics.size());
  auto& row = rows_[metric][call_path];
  if (row.size() < locations.size()) row.resize(locations.size());
  row[location] = folded(metrics[metric].fold, row[location], amount);
}

const std::map<CallPathId, std::vector<std::int64_t>>& Cube::rows(MetricId metric) const {
  static const std::map<CallPathId, std::vector<std::int64_t>> none;
  return metric < rows_.size() ? rows_[metric] : none;
}

const std::vector<std::int64_t>& Cube::row(MetricId metric, CallPathId call_path) const {
  static const std::vector<std::int64_t> all_zero;
  const auto found = rows(metric).find(call_path);
  return found == rows(metric).end() ? all_zero : found->second;
}

std::int64_t Cube::get(MetricId metric, CallPathId call_path, LocationId location) const {
  const auto& cells = row(metric, call_path);
  return location < cells.size() ? cells[location] : 0;
}

std::int64_t Cube::total(MetricId metric) const {
  const Fold fold = metrics[metric].fold;
  std::int64_t all = 0;
  for (const auto& [call_path, cells] : rows(metric)) all = folded(fold, all, folded(fold, cells));
  return all;
}

std::int64_t Cube::exclusive_total(MetricId metric) const {
  std::int64_t own = total(metric);
  if (metrics[metric].fold != Fold::sum) return own;
  for (const MetricId child : children_of(metric)) {
    if (metrics[child].fold == Fold::sum) own -= total(child);
  }
  return own;
}

std::vector<std::int64_t> Cube::by_location(MetricId metric) const {
  std::vector<std::int64_t> sums(locations.size());
  for (const auto& [call_path, cells] : rows(metric)) {
    for (std::size_t i = 0; i < cells.size(); ++i) sums[i] = folded(metrics[metric].fold, sums[i], cells[i]);
  }
  return sums;
}

std::int64_t Cube::call_path_total(MetricId metric, CallPathId call_path) const {
  return folded(metrics[metric].fold, row(metric, call_path));
}

MetricId Cube::find_metric(const std::string& id) const {
  for (MetricId m = 0; m < metrics.size(); ++m) {
    if (metrics[m].id == id) return m;
  }
  return no_id;
}

std::vector<MetricId> Cube::children_of(MetricId metric) const {
  std::vector<MetricId> children;
  for (MetricId m = 0; m < metrics.size(); ++m) {
    if (metrics[m].parent == metric) children.push_back(m);
  }
  return children;
}

}  // namespace mora::cube
