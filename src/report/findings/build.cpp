/// From an analysis to the data of reports. Every wait state at every call path becomes a finding, the most severe
/// first, with one sentence that says which ranks waited, where, for which rank, and when the longest wait was.
///
/// Cost: one pass over the cells of the cube, and one over the waits that the analysis kept.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analysis/metrics/library_regions.h"
#include "analysis/profile/profile.h"
#include "report/findings/findings.h"
#include "report/findings/one_sided.h"
#include "report/losses/losses.h"

namespace mora::report {
namespace {

/// "MPI_Recv at ring.c:42".
std::string call_in_words(const std::string& text) {
  const auto [name, place] = cube::parts_of(text);
  return place.empty() ? text : fmt::format("{} at {}", name, place);
}

std::string whole_percent(Nanoseconds part, Nanoseconds whole) {
  const double p = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (p < 1) return "<1 %";
  return p >= 99.5 && part != whole ? ">99 %" : fmt::format("{:.0f} %", p);
}

/// The clause after "for rank 0": what that rank did meanwhile.
std::string cause_clause(const Finding& finding) {
  if (finding.worst.cause_call_path.empty()) return "";
  const std::string call = cube::in_brackets(finding.worst.cause_call_path.back());
  switch (analysis::cause_did(finding.metric)) {
    case analysis::CauseDid::held_lock:
      return ", which held the lock until " + call;
    case analysis::CauseDid::came_for_progress:
      return ", which made no progress before " + call;
    case analysis::CauseDid::stayed:
      return ", which was still in " + call;
    case analysis::CauseDid::worked:
      return ", which worked in " + call;
    case analysis::CauseDid::entered_late:
      // What ends the wait for a task is its end.
      if (!analysis::classify_library_label(finding.worst.cause_call_path.back()).is_task) break;
      return fmt::format(", which executed {} until then", call);
  }
  return fmt::format(", which entered {} late", call);
}

std::string summary_of(const Finding& finding) {
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t rank = 0; rank < finding.by_rank.size(); ++rank) {
    if (finding.by_rank[rank] > 0) waiting.push_back(rank);
  }
  const bool alone = waiting.size() <= 1;
  std::string where = finding.call_path.empty() ? "an unknown call" : call_in_words(finding.call_path.back());
  const std::string functions = functions_around(finding.call_path);
  if (!functions.empty()) where += " in " + functions;
  const char* comma = alone && functions.find(',') != std::string::npos ? "," : "";  // after "called from relax"
  std::string text =
      alone ? fmt::format("Rank {} waited {} in {}", finding.worst_rank, time_for_people(finding.severity), where)
            : fmt::format("{} ranks waited {} in {} (most: rank {}, {})", waiting.size(),
                          time_for_people(finding.severity), where, finding.worst_rank,
                          time_for_people(finding.by_rank[finding.worst_rank]));
  if (!finding.causes.empty() && finding.causes[0].severity > 0) {
    const Cause& first = finding.causes[0];
    if (first.severity == finding.severity) {
      text += fmt::format("{} for rank {}", comma, first.rank);
    } else if (finding.causes.size() == 1 || 2 * static_cast<__int128>(first.severity) >= finding.severity) {
      text += fmt::format(", {} of it for rank {}", whole_percent(first.severity, finding.severity), first.rank);
    } else {
      Nanoseconds named = 0;
      for (const Cause& cause : finding.causes) named += cause.severity;
      text += fmt::format("{} for {} ranks{}, most ({}) for rank {}", comma, finding.causes.size(),
                          named == finding.severity ? "" : " or more", whole_percent(first.severity, finding.severity),
                          first.rank);
    }
    if (finding.worst.cause_rank == first.rank) text += cause_clause(finding);
  }
  text += "; worst: ";
  if (!alone) text += fmt::format("rank {}, ", finding.worst.rank);
  text += fmt::format("{} at t = {}", time_for_people(finding.worst.end - finding.worst.begin),
                      time_for_people(finding.worst.begin));
  return text;
}

CallSite site_of(const cube::Cube& cube, cube::CallPathId call_path) {
  return {cube.call_paths[call_path].file, cube.call_paths[call_path].line};
}

/// Without the call path of the waiting.
Instance instance_of(const cube::Cube& cube, const analysis::WorstInstance& wait) {
  Instance instance;
  instance.begin = wait.begin;
  instance.end = wait.end;
  instance.rank = cube.locations[wait.location].rank;
  instance.thread = cube.locations[wait.location].thread;
  if (wait.cause < cube.locations.size()) instance.cause_rank = cube.locations[wait.cause].rank;
  if (wait.cause_call_path < cube.call_paths.size()) {
    instance.cause_call_path = labels_of(cube, wait.cause_call_path);
    instance.cause_call_site = site_of(cube, wait.cause_call_path);
  }
  return instance;
}

/// Threads of a rank are one; largest first, then by rank.
std::vector<CauseCall> cause_calls_of(const cube::Cube& cube, const analysis::WaitSummary& wait) {
  std::map<std::pair<std::uint32_t, cube::CallPathId>, Nanoseconds> amounts;
  for (const analysis::CausedWaiting& cause : wait.caused_by_calls) {
    amounts[{cube.locations[cause.location].rank, cause.call_path}] += cause.amount;
  }
  std::vector<CauseCall> calls;
  for (const auto& [cause, amount] : amounts) {
    CauseCall call{cause.first, {}, {}, amount};
    if (cause.second < cube.call_paths.size()) {
      call.call_path = labels_of(cube, cause.second);
      call.call_site = site_of(cube, cause.second);
    }
    calls.push_back(std::move(call));
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [](const CauseCall& a, const CauseCall& b) { return a.severity > b.severity; });
  return calls;
}

Finding finding_of(const analysis::AnalysisResult& result, const analysis::WaitSummary& wait, Nanoseconds total_time,
                   const std::vector<analysis::MetricInfo>& infos) {
  const cube::Cube& cube = result.cube;
  Finding finding;
  finding.metric = cube.metrics[wait.metric].id;
  finding.name = cube.metrics[wait.metric].name;
  finding.severity = wait.total;
  finding.percent_of_time =
      total_time == 0 ? 0 : 100.0 * static_cast<double>(wait.total) / static_cast<double>(total_time);
  finding.instances = wait.instances;
  finding.call_path = labels_of(cube, wait.call_path);
  finding.call_site = site_of(cube, wait.call_path);
  finding.by_rank.resize(result.run.ranks);
  std::vector<analysis::WaitPart> parts = wait.parts;
  if (parts.empty()) parts.push_back({wait.call_path, wait.instances, wait.total});
  for (const analysis::WaitPart& part : parts) {
    const auto by_rank = fold_threads(cube, cube.row(wait.metric, part.call_path), result.run.ranks);
    for (std::size_t r = 0; r < by_rank.size(); ++r) finding.by_rank[r] += by_rank[r];
    if (parts.size() > 1) finding.parts.push_back({labels_of(cube, part.call_path), part.total, part.instances});
  }
  finding.worst_rank = static_cast<std::uint32_t>(std::max_element(finding.by_rank.begin(), finding.by_rank.end()) -
                                                  finding.by_rank.begin());
  std::map<std::uint32_t, Nanoseconds> caused;
  for (const auto& [location, amount] : wait.caused_by) caused[cube.locations[location].rank] += amount;
  for (const auto& [rank, amount] : caused) finding.causes.push_back({rank, amount});
  std::stable_sort(finding.causes.begin(), finding.causes.end(),
                   [](const Cause& a, const Cause& b) { return a.severity > b.severity; });
  finding.cause_calls = cause_calls_of(cube, wait);
  finding.worst = instance_of(cube, wait.worst);
  finding.statistics = wait.statistics;
  for (const analysis::WorstInstance& one : wait.most_severe) finding.most_severe.push_back(instance_of(cube, one));
  for (const analysis::MetricInfo& info : infos) {
    if (info.id != finding.metric) continue;
    finding.diagnosis = info.diagnosis;
    finding.advice = info.advice;
  }
  finding.summary = summary_of(finding);
  return finding;
}

/// Ranks of which events are missing as a whole.
std::vector<std::uint32_t> ranks_without_events(const analysis::AnalysisResult& result) {
  std::set<std::string> places;
  for (const QualityRow& row : result.quality.rows())
    if (row.kind == "unreadable-location" || row.kind == "rank-missing") places.insert(row.where);
  if (places.empty()) return {};
  std::vector<std::uint32_t> ranks;
  for (const cube::Location& location : result.cube.locations)
    if (places.contains(location.name)) ranks.push_back(location.rank);
  for (std::uint32_t rank = 0; rank < result.run.ranks; ++rank)
    if (places.contains(fmt::format("rank {}", rank))) ranks.push_back(rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::erase_if(ranks, [&](std::uint32_t rank) { return rank >= result.run.ranks; });
  return ranks;
}

/// No value of the ranks is known; and a wait of 0 in calls that were made is none, since its partner may be missing.
void mark_unknown(std::vector<MetricRow>& metrics, const std::vector<std::uint32_t>& ranks) {
  if (ranks.empty()) return;
  const std::string reason = fmt::format("events of rank {}{} are missing", ranks.front(),
                                         ranks.size() == 1 ? "" : fmt::format(" and {} more", ranks.size() - 1));
  std::map<std::string, const MetricRow*> calls;  // by metric: what it is a part of and is no wait state
  for (MetricRow& row : metrics) {
    const analysis::MetricInfo* info = analysis::find_metric_info(row.id);
    const bool is_wait = info != nullptr && info->wait_state;
    const auto above = calls.find(row.parent);
    const MetricRow* call = !is_wait ? &row : above == calls.end() ? nullptr : above->second;
    calls[row.id] = call;
    row.unknown_ranks = ranks;
    if (!is_wait || row.inclusive != 0 || call == nullptr || call->parent.empty() || call->inclusive == 0) continue;
    row.reason = reason;
    row.unknown_ranks.resize(row.by_rank.size());
    std::iota(row.unknown_ranks.begin(), row.unknown_ranks.end(), 0U);
  }
}

/// Wait states of a run of which only the sums of its calls are known.
void mark_without_trace(std::vector<MetricRow>& metrics) {
  for (MetricRow& row : metrics) {
    const analysis::MetricInfo* info = analysis::find_metric_info(row.id);
    if (info == nullptr || !info->wait_state) continue;
    row.reason = "only sums of calls were recorded, and wait states need a trace: record without --stats";
    row.unknown_ranks.resize(row.by_rank.size());
    std::iota(row.unknown_ranks.begin(), row.unknown_ranks.end(), 0U);
  }
}

}  // namespace

std::vector<MetricRow> metric_rows(const cube::Cube& cube, std::uint32_t ranks) {
  std::vector<MetricRow> rows;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    MetricRow row;
    row.id = metric.id;
    row.name = metric.name;
    if (metric.parent != cube::no_id) row.parent = cube.metrics[metric.parent].id;
    row.unit = metric.unit;
    row.inclusive = cube.total(m);
    row.exclusive = cube.exclusive_total(m);
    row.by_rank = fold_threads(cube, cube.by_location(m), ranks);
    rows.push_back(std::move(row));
  }
  return rows;
}

ReportData build_report(const analysis::AnalysisResult& result, const std::vector<analysis::MetricInfo>& infos,
                        const std::map<std::string, std::string>& more) {
  const cube::Cube& cube = result.cube;
  ReportData data;
  data.creator = "mora " MORA_REPORT_VERSION;
  data.run.program = result.run.program;
  data.run.trace = result.run.trace;
  data.run.trace_format = result.run.trace_format;
  data.run.ranks = result.run.ranks;
  data.run.locations = result.run.locations;
  data.run.events = result.run.events;
  data.run.wall = result.run.wall;
  data.run.more = more;
  std::set<std::string> nodes;
  for (const cube::Location& location : cube.locations) nodes.insert(location.node);
  data.run.nodes = static_cast<std::uint32_t>(nodes.size());

  data.metrics = metric_rows(cube, result.run.ranks);
  for (const analysis::MetricWaits& waits : result.wait_metrics) {
    MetricRow& row = data.metrics[waits.metric];
    row.statistics = waits.statistics;
    for (const analysis::WorstInstance& one : waits.most_severe) {
      row.most_severe.push_back(instance_of(cube, one));
      row.most_severe.back().call_path = labels_of(cube, one.call_path);
    }
  }

  std::vector<const analysis::WaitSummary*> waits;
  for (const analysis::WaitSummary& wait : result.waits) {
    if (wait.total > 0) waits.push_back(&wait);
  }
  std::stable_sort(waits.begin(), waits.end(), [](const auto* a, const auto* b) {
    return std::tuple(-a->total, a->metric, a->call_path) < std::tuple(-b->total, b->metric, b->call_path);
  });
  mark_unknown(data.metrics, ranks_without_events(result));
  const Nanoseconds total_time = data.total_time();
  for (const analysis::WaitSummary* wait : waits) {
    data.findings.push_back(finding_of(result, *wait, total_time, infos));
    data.findings.back().id = fmt::format("f{}", data.findings.size());
  }
  data.checks = checks_of(result);
  data.transfers = transfers_of(result);
  if (result.run.trace_format == analysis::profile_format)
    mark_without_trace(data.metrics);
  else
    find_losses(cube, data, result.trends);
  data.quality = result.quality.rows();
  return data;
}

}  // namespace mora::report
