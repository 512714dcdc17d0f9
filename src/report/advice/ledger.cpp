/// Sums of cells for the rules (ledger.h). Lists of call paths are made when first asked for and kept sorted, so that
/// membership is a binary search.
#include "report/advice/ledger.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text/rank_words.h"
#include "base/text/source_place.h"
#include "cube/labels.h"

namespace mora::report::advice {

using analysis::Characteristic;
using analysis::Interval;

namespace {

Nanoseconds computation_of(const analysis::ProcessAmounts& process) {
  return process.value(Characteristic::time_outside_mpi);
}

Nanoseconds mean_computation(const Interval& interval) {
  if (interval.processes.empty()) return 0;
  Nanoseconds sum = 0;
  for (const auto& process : interval.processes) sum += computation_of(process);
  return sum / static_cast<Nanoseconds>(interval.processes.size());
}

}  // namespace

Ledger::Ledger(const Input& input)
    : input_(input), children_(input.table.intervals.size()), paths_(input.table.intervals.size()) {
  for (std::size_t i = 0; i < input.table.intervals.size(); ++i) {
    const std::size_t parent = input.table.intervals[i].parent;
    if (parent < children_.size()) children_[parent].push_back(i);
  }
}

Nanoseconds Ledger::loss(std::size_t interval, Loss loss) const {
  switch (loss) {
    case Loss::insufficient_parallelism:
      return value(interval, Characteristic::user_insufficient_parallelism);
    case Loss::system:
      return value(interval, Characteristic::system_insufficient_parallelism);
    case Loss::communication:
      return value(interval, Characteristic::communication);
    case Loss::device:
      return value(interval, Characteristic::device_time);
    case Loss::idle:
      return value(interval, Characteristic::idle_time);
    case Loss::measurement:
      return value(interval, Characteristic::measurement);
    case Loss::figures:
      break;
  }
  return 0;
}

bool Ledger::is_inside(std::size_t interval, std::size_t ancestor) const {
  for (std::size_t i = interval; i < table().intervals.size(); i = table().intervals[i].parent) {
    if (i == ancestor) return true;
  }
  return false;
}

const std::vector<cube::CallPathId>& Ledger::paths(std::size_t interval) const {
  auto& kept = paths_[interval];
  if (!kept) {
    kept = analysis::call_paths_of(cube(), this->interval(interval));
    std::sort(kept->begin(), kept->end());
  }
  return *kept;
}

bool Ledger::holds(std::size_t interval, cube::CallPathId call_path) const {
  const auto& all = paths(interval);
  return std::binary_search(all.begin(), all.end(), call_path);
}

cube::CallPathId Ledger::path_of(const std::vector<std::string>& labels) const {
  if (by_labels_.empty()) {
    for (cube::CallPathId c = 0; c < cube().call_paths.size(); ++c) by_labels_.emplace(joined(labels_of(cube(), c)), c);
  }
  const auto found = by_labels_.find(joined(labels));
  return found == by_labels_.end() ? cube::no_id : found->second;
}

const Finding* Ledger::largest_finding(std::size_t interval) const {
  for (const Finding& finding : input_.data.findings) {  // most severe first
    if (holds(interval, path_of(finding.call_path))) return &finding;
  }
  return nullptr;
}

std::vector<std::string> Ledger::gaps_of_waiting() const {
  static const std::set<std::string_view> of_messages = {"unmatched-send", "unmatched-receive", "message-across-gap"};
  static const std::set<std::string_view> of_all = {
      "truncated-location", "truncated-trace", "unreadable-location", "mismatched-collective", "collective-across-gap",
      "epoch-across-gap",   "unmatched-epoch", "rank-missing",        "journal-gap",           "journal-lost"};
  const std::int64_t messages =
      table().intervals.empty() ? 0 : metric(0, {"messages-sent"}) + metric(0, {"messages-received"});
  std::int64_t collectives = 0;
  for (cube::CallPathId c = 0; c < cube().call_paths.size() && !table().intervals.empty(); ++c) {
    if (metric_at(0, {"collective", "synchronization-collective"}, c) == 0) continue;
    std::int64_t most = 0;
    for (const auto& process : interval(0).processes)
      most = std::max(most, cube().get(cube().find_metric("visits"), c, process.location));
    collectives += most;
  }
  std::map<std::string, std::uint64_t> counts;
  for (const QualityRow& row : input_.data.quality) {
    if (row.severity != Severity::info) counts[row.kind] += row.count;
  }
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts) {
    const std::int64_t all = of_messages.contains(kind) ? messages : kind == "incomplete-collective" ? collectives : 0;
    const bool is_gap = of_messages.contains(kind) || of_all.contains(kind) || kind.rfind("incomplete-", 0) == 0;
    if (is_gap && static_cast<std::int64_t>(count) * 100 >= all) kinds.push_back(kind);
  }
  return kinds;
}

std::vector<cube::MetricId> Ledger::metric_ids(Ids ids) const {
  std::vector<cube::MetricId> found;
  for (const char* id : ids) {
    const cube::MetricId metric = cube().find_metric(id);
    if (metric != cube::no_id) found.push_back(metric);
  }
  return found;
}

std::vector<std::int64_t> Ledger::metric_by_process(std::size_t interval, Ids ids) const {
  const auto& locations = this->interval(interval).processes.locations();
  std::vector<std::int64_t> sums(locations.size());
  for (const cube::MetricId metric : metric_ids(ids)) {
    for (const cube::CallPathId c : paths(interval)) {
      const auto& row = cube().row(metric, c);
      for (std::size_t p = 0; p < locations.size(); ++p) {
        if (locations[p] < row.size()) sums[p] += row[locations[p]];
      }
    }
  }
  return sums;
}

std::int64_t Ledger::metric(std::size_t interval, Ids ids) const {
  std::int64_t sum = 0;
  for (const std::int64_t amount : metric_by_process(interval, ids)) sum += amount;
  return sum;
}

std::int64_t Ledger::metric_at(std::size_t interval, Ids ids, cube::CallPathId call_path) const {
  std::int64_t sum = 0;
  for (const cube::MetricId metric : metric_ids(ids)) {
    const auto& row = cube().row(metric, call_path);
    for (const cube::LocationId location : this->interval(interval).processes.locations()) {
      if (location < row.size()) sum += row[location];
    }
  }
  return sum;
}

std::vector<Place> Ledger::places(std::size_t interval, Ids ids, std::size_t most) const {
  std::vector<Place> found;
  for (const cube::CallPathId c : paths(interval)) {
    const std::int64_t amount = metric_at(interval, ids, c);
    if (amount > 0) found.push_back(place(c, amount, ids.size() == 0 ? "" : *ids.begin()));
  }
  std::stable_sort(found.begin(), found.end(), [](const Place& a, const Place& b) { return a.amount > b.amount; });
  if (found.size() > most) found.resize(most);
  return found;
}

Place Ledger::place(cube::CallPathId call_path, Nanoseconds amount, std::string of) const {
  const cube::CallPath& path = cube().call_paths[call_path];
  std::string label =
      path.kind == cube::CallPathKind::user ? at_source_place(path.name, path.file, path.line) : cube::label(path);
  if (path.kind == cube::CallPathKind::mpi || path.kind == cube::CallPathKind::compute) {
    if (const auto functions = functions_around(labels_of(cube(), call_path)); !functions.empty())
      label += " in " + functions;
  }
  // What has no place of its own lies in the nearest region that has one.
  cube::CallPathId at = call_path;
  while (cube().call_paths[at].file.empty() && cube().call_paths[at].parent != cube::no_id)
    at = cube().call_paths[at].parent;
  const cube::CallPath& placed = cube().call_paths[at];
  return {std::move(label), {placed.file, placed.line}, std::nullopt, amount, std::move(of)};
}

std::string Ledger::name(std::size_t interval) const {
  if (interval == 0) return "the program";
  const Interval& i = this->interval(interval);
  std::string text = "interval " + table().number(interval);
  if (!i.name.empty() && i.name != "interval") text += " " + i.name;
  std::string site = source_place(i.file, i.line);
  if (i.id != 0) site += (site.empty() ? "" : ", ") + fmt::format("id {}", i.id);
  return site.empty() ? text : text + " (" + site + ")";
}

Load Ledger::load_of(std::size_t interval, std::uint32_t rank) const {
  const Interval& i = this->interval(interval);
  Load load;
  load.rank = rank;
  load.mean = mean_computation(i);
  const auto process =
      std::find_if(i.processes.begin(), i.processes.end(), [&](const auto& p) { return p.rank == rank; });
  if (process == i.processes.end()) return load;
  load.computed = computation_of(*process);
  const cube::MetricId computation = cube().find_metric("computation");
  if (computation == cube::no_id) return load;
  const auto n = static_cast<Nanoseconds>(i.processes.size());
  Nanoseconds largest = 0;
  for (const cube::CallPathId c : paths(interval)) {
    const auto& row = cube().row(computation, c);
    if (process->location >= row.size()) continue;
    const Nanoseconds here = row[process->location], mean = metric_at(interval, {"computation"}, c) / n;
    if (here - mean > largest) {
      largest = here - mean;
      load.call_path = c, load.there = here, load.mean_there = mean;
    }
  }
  return load;
}

Nanoseconds Ledger::above_mean(std::size_t interval, std::uint32_t rank) const {
  const Interval& i = this->interval(interval);
  for (const auto& process : i.processes) {
    if (process.rank == rank) return computation_of(process) - mean_computation(i);
  }
  return 0;
}

std::optional<Load> Ledger::most_loaded(std::size_t interval) const {
  const auto& processes = this->interval(interval).processes;
  const auto most = std::max_element(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return computation_of(a) < computation_of(b);
  });
  if (most == processes.end() || computation_of(*most) == mean_computation(this->interval(interval)))
    return std::nullopt;
  return load_of(interval, most->rank);
}

std::vector<std::uint32_t> Ledger::ranks_by_load(std::size_t interval, bool overloaded) const {
  const Interval& i = this->interval(interval);
  const Nanoseconds mean = mean_computation(i);
  std::vector<std::pair<Nanoseconds, std::uint32_t>> found;
  for (const auto& process : i.processes) {
    const Nanoseconds over = computation_of(process) - mean, distance = overloaded ? over : -over;
    if (distance > 0) found.emplace_back(distance, process.rank);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::uint32_t> ranks;
  for (const auto& [distance, rank] : found) ranks.push_back(rank);
  return ranks;
}

std::optional<Delayer> Ledger::by_delay_costs(Ids metrics) const {
  if (table().intervals.empty()) return std::nullopt;
  const std::vector<std::int64_t> by_process = metric_by_process(0, metrics);
  Delayer delayer;
  const auto most = std::max_element(by_process.begin(), by_process.end());
  if (most == by_process.end() || *most <= 0) return std::nullopt;
  const auto process = interval(0).processes[static_cast<std::size_t>(most - by_process.begin())];
  delayer.rank = process.rank;
  delayer.amount = *most;
  for (const std::int64_t amount : by_process) delayer.of += amount;
  delayer.key = *metrics.begin();
  for (const cube::CallPathId c : paths(0)) {
    Nanoseconds here = 0;
    for (const cube::MetricId metric : metric_ids(metrics)) here += cube().get(metric, c, process.location);
    if (here > delayer.there) delayer.there = here, delayer.call_path = c;
  }
  return delayer;
}

std::optional<Delayer> Ledger::by_causes(std::size_t interval, Ids metrics) const {
  std::map<std::uint32_t, Nanoseconds> by_rank;
  std::map<std::pair<std::uint32_t, cube::CallPathId>, Nanoseconds> by_call;
  Delayer delayer;
  for (const Finding& finding : input_.data.findings) {
    if (std::find(metrics.begin(), metrics.end(), finding.metric) == metrics.end()) continue;
    if (!holds(interval, path_of(finding.call_path))) continue;
    for (const Cause& cause : finding.causes) by_rank[cause.rank] += cause.severity, delayer.of += cause.severity;
    for (const CauseCall& cause : finding.cause_calls)
      by_call[{cause.rank, path_of(cause.call_path)}] += cause.severity;
  }
  for (const auto& [rank, amount] : by_rank) {
    if (amount > delayer.amount) delayer.rank = rank, delayer.amount = amount;
  }
  if (delayer.amount == 0) return std::nullopt;
  for (const auto& [call, amount] : by_call) {
    if (call.first != delayer.rank || amount <= delayer.there || call.second == cube::no_id) continue;
    delayer.there = amount, delayer.call_path = call.second;
  }
  delayer.key = *metrics.begin();
  return delayer;
}

std::vector<std::size_t> neighbours(const Ledger& ledger, std::size_t interval) {
  const std::size_t parent = ledger.interval(interval).parent;
  if (parent >= ledger.table().intervals.size()) return {};
  std::vector<std::size_t> found;
  for (const std::size_t sibling : ledger.children(parent)) {
    if (sibling == interval || (sibling > interval && ledger.interval(interval).executions < 2)) continue;
    found.push_back(sibling);
  }
  return found;
}

std::string ranks_wait(const std::vector<std::uint32_t>& ranks) {
  return ranks_in_words(ranks) + (ranks.size() == 1 ? " waits" : " wait");
}

}  // namespace mora::report::advice
