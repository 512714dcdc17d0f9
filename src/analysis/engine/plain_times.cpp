/// A time is added to the metric of its account and to all ancestors of that metric; counts are metrics of their own.
#include "analysis/engine/plain_times.h"

#include <algorithm>
#include <cmath>

#include "analysis/metrics/counted.h"
#include "analysis/metrics/registry.h"

namespace mora::analysis {

namespace {

/// The metric and its ancestors.
std::vector<cube::MetricId> lineage(std::string_view id) {
  std::vector<cube::MetricId> line;
  for (const MetricInfo* info = find_metric_info(id); info != nullptr; info = find_metric_info(info->parent)) {
    line.push_back(metric_index(info->id));
  }
  return line;
}

/// What was counted in stretches that were read: in `time` of computation at the same rates.
CoreReadings at_rates_of(const CoreReadings& core, Nanoseconds time) {
  if (time <= 0 || core.read <= 0) return {};
  const auto part = [&](std::int64_t of) -> std::int64_t {
    return std::llround(static_cast<double>(time) * (static_cast<double>(of) / static_cast<double>(core.read)));
  };
  const Nanoseconds idle = part(core.read - core.ran);
  CoreReadings all;
  all.read = time;
  all.ran = time - idle;
  all.queued = std::min<Nanoseconds>(idle, part(core.queued));
  all.in_kernel = std::min<Nanoseconds>(all.ran, part(core.in_kernel));
  return all;
}

}  // namespace

void set_dimensions(AnalysisResult& result, const trace::Definitions& definitions, const GlobalCallTree& tree) {
  result.cube.metrics = metrics_of_cubes();
  append_counted_metrics(definitions, result.cube.metrics);
  result.cube.call_paths = describe(tree, definitions);
  for (const trace::Location& l : definitions.locations) {
    result.cube.locations.push_back(cube::Location{
        l.name, l.rank, l.thread, l.node < definitions.nodes.size() ? definitions.nodes[l.node].name : ""});
  }
  for (const auto& [comm, grid] : definitions.grids) result.cube.grids.push_back(grid);
  result.run.program = definitions.program;
  result.run.ranks = definitions.world_size;
  result.run.locations = static_cast<std::uint32_t>(definitions.locations.size());
  result.cube.attributes["program"] = definitions.program;
}

void add_plain_times(const LocalCallTree& tree, cube::LocationId location, const std::vector<RegionTraits>& regions,
                     const std::vector<std::uint32_t>& global, std::uint32_t counters, Scores& scores) {
  static const std::vector<std::vector<cube::MetricId>> lineages = [] {
    std::vector<std::vector<cube::MetricId>> all;
    for (int a = 0; a <= static_cast<int>(last_account); ++a)
      all.push_back(lineage(metric_of(static_cast<Account>(a))));
    return all;
  }();
  static const std::vector<cube::MetricId> overhead = lineage("overhead");
  static const std::vector<cube::MetricId> unrecorded = lineage("unrecorded");
  static const std::vector<std::pair<cube::MetricId, std::int64_t NodeAmounts::*>> plain = {
      {metric_index("polling"), &NodeAmounts::polling},
      {metric_index("polling-calls"), &NodeAmounts::polling_calls},
      {metric_index("recorded-polls"), &NodeAmounts::recorded_polls},
      {metric_index("recorded-readings"), &NodeAmounts::recorded_readings},
      {metric_index("visits"), &NodeAmounts::visits},
      {metric_index("messages-sent"), &NodeAmounts::messages_sent},
      {metric_index("messages-received"), &NodeAmounts::messages_received},
      {metric_index("bytes-sent"), &NodeAmounts::bytes_sent},
      {metric_index("bytes-received"), &NodeAmounts::bytes_received},
      {metric_index("overlap"), &NodeAmounts::overlap},
      {metric_index("request-overlap"), &NodeAmounts::request_overlap},
      {metric_index("first-execution"), &NodeAmounts::first_execution},
      {metric_index("instructions"), &NodeAmounts::instructions},
      {metric_index("cycles"), &NodeAmounts::cycles},
      {metric_index("samples"), &NodeAmounts::samples},
  };
  static const cube::MetricId readings = metric_index("core-readings");
  static const cube::MetricId idle = metric_index("not-running"), queued = metric_index("computation-without-core");
  static const cube::MetricId in_kernel = metric_index("computation-in-kernel");
  // These come in bursts and are no rate for stretches that were not read: first touches of memory, above all.
  static const std::vector<std::pair<cube::MetricId, std::int64_t CoreReadings::*>> counted = {
      {metric_index("page-faults"), &CoreReadings::page_faults},
      {metric_index("voluntary-switches"), &CoreReadings::voluntary},
      {metric_index("involuntary-switches"), &CoreReadings::involuntary},
  };
  static const std::vector<std::pair<cube::MetricId, std::int64_t ThreadCounts::*>> of_threads = {
      {metric_index("cpu-time"), &ThreadCounts::cpu_time},
      {metric_index("run-queue-wait"), &ThreadCounts::run_queue},
      {metric_index("all-page-faults"), &ThreadCounts::page_faults},
      {metric_index("all-voluntary-switches"), &ThreadCounts::voluntary},
      {metric_index("all-involuntary-switches"), &ThreadCounts::involuntary},
  };
  CoreReadings all_read;
  for (std::uint32_t node = 0; node < tree.size(); ++node) all_read += tree.amounts(node).core;
  for (std::uint32_t node = 0; node < tree.size(); ++node) {
    const NodeKey& key = tree.key(node);
    const NodeAmounts& amounts = tree.amounts(node);
    const cube::CallPathId path = global[node];
    const Account account = key.is_compute() || key.from == sampled || key.interval != 0 || key.region >= regions.size()
                                ? Account::computation
                                : regions[key.region].account;
    const auto add = [&](const std::vector<cube::MetricId>& line, Nanoseconds amount) {
      for (const cube::MetricId metric : line) scores.count(metric, path, location, amount);
    };
    const auto add_as = [&](Account as, Nanoseconds amount) { add(lineages[static_cast<std::size_t>(as)], amount); };
    add_as(account, amounts.own);
    add_as(Account::collective, amounts.own_for_collective);
    add_as(Account::one_sided, amounts.own_for_transfer);
    add_as(Account::io, amounts.own_for_io);
    add(overhead, amounts.overhead);
    add(unrecorded, amounts.unrecorded);
    for (const auto& [metric, member] : plain) scores.count(metric, path, location, amounts.*member);
    for (std::uint32_t c = 0; c < counters; ++c)
      scores.count(static_cast<cube::MetricId>(all_metrics().size() + c), path, location,
                   tree.counted(node, c, counters));
    scores.count(readings, path, location, amounts.core.count);
    for (const auto& [metric, member] : counted) scores.count(metric, path, location, amounts.core.*member);
    for (const auto& [metric, member] : of_threads) scores.count(metric, path, location, amounts.thread.*member);
    // Outside of all that was recorded of it a thread may have nothing to do: patterns/threads/idle_threads.cpp.
    const bool is_idle = node == 0 && amounts.core.read == 0;
    if (all_read.read > 0 && account == Account::computation && !is_idle) {
      const CoreReadings all = at_rates_of(amounts.core.read > 0 ? amounts.core : all_read, amounts.own);
      scores.count(idle, path, location, all.read - all.ran);
      scores.count(queued, path, location, all.queued);
      scores.count(in_kernel, path, location, all.in_kernel);
    }
    if (const TrendShape shape = shape_of(amounts.trend); shape.kind != TrendKind::steady)
      scores.add({path, location, shape});
  }
}

}  // namespace mora::analysis
