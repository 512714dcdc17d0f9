/// All metrics in display order: plain times with the wait states below them, roots of other families, counts. Made
/// once, on first use; safe from any thread afterwards and during it.
#include "analysis/metrics/registry.h"

#include <cassert>
#include <unordered_map>

#include "analysis/metrics/derived.h"
#include "analysis/metrics/families.h"
#include "analysis/metrics/sampled.h"

namespace mora::analysis {

namespace {

/// All families, in display order.
const MetricList& families() {
  static const MetricList list = [] {
    MetricList all;
    for (const MetricList& family :
         {collective_metrics(), nonblocking_metrics(), active_target_metrics(), passive_target_metrics(),
          point_to_point_metrics(), io_metrics(), thread_metrics(), shmem_metrics()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return list;
}

void add_with_children(const MetricInfo& info, std::vector<MetricInfo>& all) {
  all.push_back(info);
  for (const MetricInfo* child : families()) {
    if (child->parent == info.id) add_with_children(*child, all);
  }
}

const std::unordered_map<std::string_view, cube::MetricId>& ids() {
  static const auto map = [] {
    std::unordered_map<std::string_view, cube::MetricId> m;
    for (const MetricInfo& info : all_metrics()) m.emplace(info.id, static_cast<cube::MetricId>(m.size()));
    return m;
  }();
  return map;
}

}  // namespace

const std::vector<MetricInfo>& all_metrics() {
  static const std::vector<MetricInfo> metrics = [] {
    std::vector<MetricInfo> all;
    for (const MetricInfo& plain : time_metrics()) add_with_children(plain, all);
    for (const MetricInfo* root : families()) {
      if (root->parent.empty()) add_with_children(*root, all);
    }
    all.insert(all.end(), derived_metrics().begin(), derived_metrics().end());
    for (const MetricInfo* info : efficiency_metrics()) all.push_back(*info);
    for (const MetricInfo* cause : cause_metrics()) all.push_back(*cause);
    all.insert(all.end(), sampled_metrics().begin(), sampled_metrics().end());
    all.insert(all.end(), count_metrics().begin(), count_metrics().end());
    return all;
  }();
  return metrics;
}

cube::MetricId metric_index(std::string_view id) {
  const auto found = ids().find(id);
  assert(found != ids().end());
  return found->second;
}

CauseDid cause_did(std::string_view metric) {
  const MetricInfo* info = find_metric_info(metric);
  return info == nullptr ? CauseDid::entered_late : info->cause;
}

const MetricInfo* find_metric_info(std::string_view id) {
  const auto found = ids().find(id);
  return found == ids().end() ? nullptr : &all_metrics()[found->second];
}

const SharedList<cube::Metric>& metrics_of_cubes() {
  static const SharedList<cube::Metric> metrics = [] {
    std::vector<cube::Metric> all;
    for (const MetricInfo& info : all_metrics()) {
      cube::Metric metric;
      metric.id = info.id;
      metric.name = info.name;
      metric.unique_name = info.unique_name;
      metric.parent = info.parent.empty() ? cube::no_id : metric_index(info.parent);
      metric.unit = info.unit;
      metric.description = info.summary;
      all.push_back(std::move(metric));
    }
    return all;
  }();
  return metrics;
}

}  // namespace mora::analysis
