/// A time is added to the metric of its account and to all ancestors of that metric; counts are metrics of their own.
#include "analysis/engine/plain_times.h"

#include <algorithm>
#include <cmath>

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

struct NotRunning {
  Nanoseconds all = 0, queued = 0;
};

/// Of `time` of computation, at the rates of stretches that were read.
NotRunning not_running(Nanoseconds time, const CoreReadings& core) {
  if (time <= 0 || core.read <= 0) return {};
  const auto part = [&](Nanoseconds of) {
    return std::llround(static_cast<double>(time) * (static_cast<double>(of) / static_cast<double>(core.read)));
  };
  const Nanoseconds all = part(core.read - core.ran);
  return {all, std::min<Nanoseconds>(all, part(core.queued))};
}

}  // namespace

void add_plain_times(const LocalCallTree& tree, cube::LocationId location, const std::vector<RegionTraits>& regions,
                     const std::vector<std::uint32_t>& global, Scores& scores) {
  static const std::vector<std::vector<cube::MetricId>> lineages = [] {
    std::vector<std::vector<cube::MetricId>> all;
    for (int a = 0; a <= static_cast<int>(last_account); ++a)
      all.push_back(lineage(metric_of(static_cast<Account>(a))));
    return all;
  }();
  static const std::vector<cube::MetricId> overhead = lineage("overhead");
  static const std::vector<cube::MetricId> unrecorded = lineage("unrecorded");
  static const cube::MetricId polling = metric_index("polling");
  static const cube::MetricId polling_calls = metric_index("polling-calls");
  static const cube::MetricId visits = metric_index("visits");
  static const cube::MetricId messages_sent = metric_index("messages-sent");
  static const cube::MetricId messages_received = metric_index("messages-received");
  static const cube::MetricId bytes_sent = metric_index("bytes-sent");
  static const cube::MetricId bytes_received = metric_index("bytes-received");
  static const cube::MetricId overlap = metric_index("overlap");
  static const cube::MetricId request_overlap = metric_index("request-overlap");
  static const cube::MetricId first_execution = metric_index("first-execution");
  static const cube::MetricId instructions = metric_index("instructions");
  static const cube::MetricId cycles = metric_index("cycles");
  static const cube::MetricId run_queue = metric_index("run-queue-wait"), readings = metric_index("core-readings");
  static const cube::MetricId samples = metric_index("samples");
  static const cube::MetricId idle = metric_index("not-running"), queued = metric_index("computation-without-core");
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
    scores.count(polling, path, location, amounts.polling);
    scores.count(polling_calls, path, location, amounts.polling_calls);
    scores.count(visits, path, location, amounts.visits);
    scores.count(messages_sent, path, location, amounts.messages_sent);
    scores.count(messages_received, path, location, amounts.messages_received);
    scores.count(bytes_sent, path, location, amounts.bytes_sent);
    scores.count(bytes_received, path, location, amounts.bytes_received);
    scores.count(overlap, path, location, amounts.overlap);
    scores.count(request_overlap, path, location, amounts.request_overlap);
    scores.count(first_execution, path, location, amounts.first_execution);
    scores.count(instructions, path, location, amounts.instructions);
    scores.count(cycles, path, location, amounts.cycles);
    scores.count(run_queue, path, location, amounts.run_queue);
    scores.count(readings, path, location, amounts.core.count);
    scores.count(samples, path, location, amounts.samples);
    if (all_read.read > 0 && account == Account::computation) {
      const NotRunning without = not_running(amounts.own, amounts.core.read > 0 ? amounts.core : all_read);
      scores.count(idle, path, location, without.all);
      scores.count(queued, path, location, without.queued);
    }
    if (const TrendShape shape = shape_of(amounts.trend); shape.kind != TrendKind::steady)
      scores.add({path, location, shape});
  }
}

}  // namespace mora::analysis
