#include "analysis/metrics/counted.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/core_counters.h"

namespace mora::analysis {

namespace {

constexpr std::string_view prefix = "counter-";

}  // namespace

bool is_counted_metric(const cube::Metric& metric) { return metric.id.starts_with(prefix); }

std::vector<std::uint32_t> counted_metrics(const trace::Definitions& definitions) {
  std::vector<std::uint32_t> counted;
  std::set<std::string_view> names;
  for (const CoreCounter& known : core_counters) names.insert(known.name);  // metrics of their own have these
  for (std::uint32_t m = 0; m < definitions.metrics.size(); ++m)
    if (trace::adds_up(definitions.metrics[m]) && names.insert(definitions.metrics[m].name).second)
      counted.push_back(m);
  return counted;
}

void append_counted_metrics(const trace::Definitions& definitions, SharedList<cube::Metric>& metrics) {
  const std::vector<std::uint32_t> counted = counted_metrics(definitions);
  if (counted.empty()) return;
  std::vector<cube::Metric>& all = metrics.change();
  for (const std::uint32_t m : counted) {
    const trace::Metric& counter = definitions.metrics[m];
    cube::Metric metric;
    metric.id = std::string(prefix) + counter.name;
    metric.name = counter.name;
    const bool is_taken = std::any_of(all.begin(), all.end(),
                                      [&](const cube::Metric& other) { return other.unique_name == counter.name; });
    metric.unique_name = is_taken ? metric.id : counter.name;
    metric.unit = counter.unit == "ns"                             ? cube::Unit::seconds
                  : counter.unit == "bytes" || counter.unit == "B" ? cube::Unit::bytes
                                                                   : cube::Unit::occurrences;
    metric.description = "Counter " + counter.name + " of the trace: what each call path itself counted.";
    all.push_back(std::move(metric));
  }
}

}  // namespace mora::analysis
