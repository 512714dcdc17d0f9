/// The single waits behind a real synchronisation loss: the analysis is run again and keeps every wait of one wait
/// state at one call path, the largest ones of the process one after the other (each is a pass over the trace).
#include <algorithm>

#include <fmt/format.h>

#include "analysis/metric_info.h"
#include "report/intervals/why/why.h"

namespace mora::report {
namespace {

constexpr std::size_t passes_at_most = 4;

bool is_same_path(const cube::Cube& a, const cube::Cube& b, cube::CallPathId path) {
  while (path != cube::no_id) {
    if (path >= a.call_paths.size() || path >= b.call_paths.size()) return false;
    const cube::CallPath &x = a.call_paths[path], &y = b.call_paths[path];
    if (x.name != y.name || x.line != y.line || x.id != y.id || x.parent != y.parent) return false;
    path = x.parent;
  }
  return true;
}

}  // namespace

Result<CallsBehind> waits_behind(trace::Source& source, const std::string& trace_path, analysis::AnalyzeOptions options,
                                 const cube::Cube& cube, const analysis::IntervalTable& table,
                                 const Question& question) {
  const analysis::Interval& interval = table.intervals[question.interval];
  Question of_process = question;
  if (!question.process) of_process.process = largest_process(interval, question.characteristic);
  const analysis::ProcessAmounts process = interval.processes[*of_process.process];
  CallsBehind behind;
  behind.rank = process.rank;
  options.causes = options.ideal_network = false;
  std::size_t passes = 0, cells = 0;
  for (const Contribution& contribution : contributions_of(cube, table, of_process)) {
    for (const std::string& metric : contribution.metrics) {
      if (++cells > passes_at_most) continue;
      ++passes;
      options.follow = analysis::FollowedCell{analysis::metric_index(metric), {contribution.call_path}};
      MORA_TRY(const analysis::AnalysisResult result, analysis::analyze(source, trace_path, options));
      if (!is_same_path(cube, result.cube, contribution.call_path)) {
        return fail(ErrorKind::unreadable,
                    "the trace has other call paths than its analysis (were intervals left out, or was it analysed "
                    "with other options?)");
      }
      for (const analysis::WorstInstance& wait : result.followed) {
        if (wait.location != process.location) continue;
        CallBehind one{wait.begin, wait.end, wait.end - wait.begin, wait.call_path, metric};
        if (wait.cause < cube.locations.size())
          one.what += fmt::format(", for rank {}", cube.locations[wait.cause].rank);
        behind.sum += one.amount;
        behind.calls.push_back(std::move(one));
      }
    }
  }
  if (cells > passes)
    behind.remarks.push_back(fmt::format("Waits at the {} largest of {} call paths and wait states.", passes, cells));
  std::stable_sort(behind.calls.begin(), behind.calls.end(),
                   [](const CallBehind& a, const CallBehind& b) { return a.amount > b.amount; });
  return behind;
}

}  // namespace mora::report
