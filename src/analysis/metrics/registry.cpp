#include "analysis/metrics/registry.h"

#include <cassert>
#include <unordered_map>

#include "analysis/patterns/pattern.h"

namespace mora::analysis {

namespace {

const std::vector<const MetricInfo*>& wait_states() {
  static const std::vector<const MetricInfo*> list = {
      &wait_at_init_info,       &initialization_completion_info,
      &wait_at_finalize_info,   &wait_at_barrier_info,
      &barrier_completion_info, &wait_at_create_info,
      &wait_at_free_info,       &wait_at_fence_info,
      &asserted_fence_info,     &late_sender_info,
      &late_receiver_info,      &early_reduce_info,
      &early_scan_info,         &late_broadcast_info,
      &wait_at_nxn_info,        &nxn_completion_info,
  };
  return list;
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
    for (const MetricInfo& plain : time_metrics()) {
      all.push_back(plain);
      for (const MetricInfo* wait : wait_states()) {
        if (wait->parent == plain.id) all.push_back(*wait);
      }
    }
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

const MetricInfo* find_metric_info(std::string_view id) {
  const auto found = ids().find(id);
  return found == ids().end() ? nullptr : &all_metrics()[found->second];
}

}  // namespace mora::analysis
