/// Names are compared in one form (name_to_compare); "MPI" in front and "Time" at the end, which every title of
/// Scalasca's documentation has, are left out if nothing has the whole name.
#include "analysis/metrics/aliases.h"

#include <cctype>

namespace mora::analysis {

const std::vector<MetricAlias>& metric_aliases() {
  static const std::vector<MetricAlias> aliases = {
      {"Late All Complete", "early-wait", "Hermanns 2004"},
      {"PoSaCoWa", "post-start-complete-wait", "Hermanns 2004"},
      {"Wait at Create", "wait-at-create", "Hermanns 2004"},
      {"Wait at Free", "wait-at-free", "Hermanns 2004"},
      {"General Active Target Synchronization", "post-start-complete-wait", "Kühnal 2006"},
      {"Window Management", "window-handling", "Scalasca 2.6"},
      {"One-sided Passive Target Synchronization", "locks", "Scalasca 2.6"},
      {"Late Post Time in Synchronizations", "late-post", "Scalasca 2.6"},
      {"Late Post Time in Communications", "early-transfer", "Scalasca 2.6"},
      {"Lock Contention Time in Synchronizations", "lock-contention", "Scalasca 2.6"},
      {"Lock Contention Time in Communications", "lock-contention-comm", "Scalasca 2.6"},
      {"Wait for Progress Time in Synchronizations", "wait-for-progress", "Scalasca 2.6"},
      {"Wait for Progress Time in Communications", "wait-for-progress-comm", "Scalasca 2.6"},
      {"Wait at MPI Barrier", "wait-at-barrier", "Scalasca 2.6"},
      {"Wait at N x N", "wait-at-nxn", "Scalasca 2.6"},
      {"N x N Completion", "nxn-completion", "Scalasca 2.6"},
      {"Computational Load Imbalance Heuristic", "imbalance", "Scalasca 2.6"},
      {"Critical Path Profile", "critical-path", "Scalasca 2.6"},
      {"Potential Sync.", "potential-synchronization", "DVM analyser"},
      {"Potent_sync", "potential-synchronization", "DVM analyser"},
  };
  return aliases;
}

std::string name_to_compare(std::string_view name) {
  std::string form;
  for (const char c : name) {
    form += c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return form;
}

namespace {

const MetricInfo* find_exactly(std::string_view form) {
  if (const MetricInfo* info = find_metric_info(form)) return info;
  for (const MetricInfo& info : all_metrics()) {
    if (name_to_compare(info.name) == form) return &info;
  }
  for (const MetricAlias& alias : metric_aliases()) {
    if (name_to_compare(alias.name) == form) return find_metric_info(alias.id);
  }
  return nullptr;
}

}  // namespace

const MetricInfo* find_metric_by_any_name(std::string_view name) {
  const std::string form = name_to_compare(name);
  std::string_view rest = form;
  if (const MetricInfo* info = find_exactly(rest)) return info;
  constexpr std::string_view before = "mpi-", after = "-time";
  if (rest.ends_with(after)) rest.remove_suffix(after.size());
  if (const MetricInfo* info = find_exactly(rest)) return info;
  if (rest.starts_with(before)) rest.remove_prefix(before.size());
  return rest.size() == form.size() ? nullptr : find_exactly(rest);
}

std::string other_names(const MetricInfo& info) {
  std::string names;
  for (const MetricAlias& alias : metric_aliases()) {
    if (alias.id != info.id) continue;
    names += (names.empty() ? "" : "; ") + std::string(alias.name) + " (" + std::string(alias.source) + ")";
  }
  return names;
}

}  // namespace mora::analysis
