/// The assignment that delays.h describes. Waits and costs are grouped by class of delay and rank; assignment goes
/// through the places in order and within a place from the largest cost to the smallest, with ties in the order of call
/// paths, so the result does not depend on anything but the cube.
#include "report/advice/delays.h"

#include <algorithm>
#include <map>

#include "analysis/causes/cause_metrics.h"
#include "analysis/efficiency/pop/pop.h"
#include "analysis/metric_info.h"

namespace mora::report::advice {
namespace {

using analysis::DelayClass;

cube::MetricId in_cube(const Ledger& ledger, cube::MetricId registered) {
  return ledger.cube().find_metric(std::string(analysis::all_metrics()[registered].id));
}

bool is_asked(const Ledger& ledger, Ids metrics, const std::string& metric) {
  if (metrics.size() > 0) return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  const cube::MetricId id = ledger.cube().find_metric(metric);
  for (const analysis::MpiWait& wait : analysis::mpi_waits(ledger.cube())) {
    if (wait.metric == id) return true;
  }
  return false;
}

std::vector<Origin> origins_of(const Ledger& ledger, std::size_t interval) {
  std::vector<Origin> found = {{Origin::Where::here, interval, ledger.paths(interval)}};
  for (std::size_t i = interval; i < ledger.table().intervals.size(); i = ledger.interval(i).parent) {
    std::vector<std::size_t> siblings = neighbours(ledger, i);
    std::sort(siblings.rbegin(), siblings.rend());
    // Siblings executed before the interval are nearer than those after it (which precede its next execution).
    std::stable_partition(siblings.begin(), siblings.end(), [&](std::size_t sibling) { return sibling < i; });
    for (const std::size_t sibling : siblings)
      found.push_back({Origin::Where::preceding, sibling, ledger.paths(sibling)});
    const std::size_t around = ledger.interval(i).parent;
    if (around >= ledger.table().intervals.size()) break;
    found.push_back(
        {Origin::Where::outside, around, analysis::call_paths_of(ledger.cube(), ledger.interval(around), true)});
  }
  return found;
}

/// Assigns costs of `metrics` to the waiting that is `left`, place by place, the largest cell of each place first; of
/// each place only what its own waits, `taken`, leave. `location`: costs of this location only; no_id: of all.
void answer(const Ledger& ledger, const std::vector<cube::MetricId>& metrics, cube::LocationId location,
            const std::vector<Nanoseconds>& taken, Nanoseconds& left, Delays& delays) {
  for (std::size_t o = 0; o < delays.origins.size() && left > 0; ++o) {
    std::vector<Share> cells;
    Nanoseconds free = 0;
    for (const cube::CallPathId c : delays.origins[o].paths) {
      for (const auto& process : ledger.interval(0).processes) {
        if (location != cube::no_id && process.location != location) continue;
        Nanoseconds amount = 0;
        for (const cube::MetricId metric : metrics) amount += ledger.cube().get(metric, c, process.location);
        if (amount > 0) cells.push_back({process.rank, c, amount, o});
        free += amount;
      }
    }
    if (o < taken.size()) free -= taken[o];
    std::stable_sort(cells.begin(), cells.end(), [](const Share& x, const Share& y) { return x.amount > y.amount; });
    for (Share& cell : cells) {
      cell.amount = std::min({cell.amount, left, free});
      if (cell.amount <= 0) break;
      left -= cell.amount, free -= cell.amount;
      delays.shares.push_back(cell);
    }
  }
}

/// How much waiting of a class a rank ended, by the place of the waits.
using Ended = std::map<std::pair<DelayClass, std::uint32_t>, std::vector<Nanoseconds>>;

Ended ended_waits(const Ledger& ledger, const Delays& delays, Ids metrics) {
  std::map<cube::CallPathId, std::size_t> origin_of;
  for (std::size_t o = 0; o < delays.origins.size(); ++o) {
    for (const cube::CallPathId c : delays.origins[o].paths) origin_of.emplace(c, o);
  }
  Ended ended;
  for (const Finding& finding : ledger.input().data.findings) {
    const analysis::MetricInfo* info = analysis::find_metric_info(finding.metric);
    if (info == nullptr || info->delay == DelayClass::none) continue;
    const auto origin = origin_of.find(ledger.path_of(finding.call_path));
    if (origin == origin_of.end()) continue;
    if (!is_asked(ledger, origin->second == 0 ? metrics : Ids{}, finding.metric)) continue;
    for (const Cause& cause : finding.causes) {
      auto& by_origin = ended[{info->delay, cause.rank}];
      by_origin.resize(delays.origins.size());
      by_origin[origin->second] += cause.severity;
    }
  }
  return ended;
}

}  // namespace

Nanoseconds Delays::of_origin(std::size_t origin) const {
  Nanoseconds sum = 0;
  for (const Share& share : shares) sum += share.origin == origin ? share.amount : 0;
  return sum;
}

Nanoseconds Delays::of_paths(const std::vector<cube::CallPathId>& paths) const {
  Nanoseconds sum = 0;
  for (const Share& share : shares)
    sum += std::binary_search(paths.begin(), paths.end(), share.call_path) ? share.amount : 0;
  return sum;
}

std::optional<Delayer> Delays::main_delayer(std::size_t origin) const {
  std::map<std::uint32_t, Nanoseconds> by_rank;
  std::map<std::pair<std::uint32_t, cube::CallPathId>, Nanoseconds> by_path;
  Delayer delayer;
  for (const Share& share : shares) {
    if (origin != SIZE_MAX && share.origin != origin) continue;
    by_rank[share.rank] += share.amount, delayer.of += share.amount;
    by_path[{share.rank, share.call_path}] += share.amount;
  }
  for (const auto& [rank, amount] : by_rank) {
    if (amount > delayer.amount) delayer.rank = rank, delayer.amount = amount;
  }
  if (delayer.amount == 0) return std::nullopt;
  for (const auto& [at, amount] : by_path) {
    if (at.first == delayer.rank && amount > delayer.there) delayer.there = amount, delayer.call_path = at.second;
  }
  delayer.key = "delay-costs";
  return delayer;
}

Delays delays_behind(const Ledger& ledger, std::size_t interval, Ids metrics) {
  Delays delays;
  delays.origins = origins_of(ledger, interval);
  Nanoseconds passed_on = 0;
  Ended ended = ended_waits(ledger, delays, metrics);
  for (auto& [key, by_origin] : ended) {
    const DelayClass delay = key.first;
    const std::uint32_t rank = key.second;
    Nanoseconds left = by_origin.front();
    by_origin.front() = 0;  // the waits of the interval itself are what the costs are assigned to
    delays.waited += left;
    const auto& processes = ledger.interval(0).processes;
    const auto process =
        std::find_if(processes.begin(), processes.end(), [&](const auto& p) { return p.rank == rank; });
    const cube::MetricId costs = in_cube(ledger, analysis::cause_ids().short_term(delay));
    if (process != processes.end() && costs != cube::no_id)
      answer(ledger, {costs}, process->location, by_origin, left, delays);
    passed_on += left;
  }
  // Long-term costs are counted in the class of the wait that was passed on, so all classes are searched.
  std::vector<cube::MetricId> long_term;
  for (std::size_t c = 1; c < analysis::delay_classes; ++c) {
    const cube::MetricId costs = in_cube(ledger, analysis::cause_ids().long_term(static_cast<DelayClass>(c)));
    if (costs != cube::no_id) long_term.push_back(costs);
  }
  answer(ledger, long_term, cube::no_id, {}, passed_on, delays);
  return delays;
}

}  // namespace mora::report::advice
