/// A delay within a parallel region lets the other threads of the team wait in a barrier or for a lock; one outside of
/// it leaves them idle. What a thread does before it begins its part, while others of its team are there, makes these
/// wait in the region's barrier. The findings of such waits are those of the same part of the program: which shares
/// most of the call path with the delay, and of these the largest.
#include "report/losses/teams.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/library_regions.h"

namespace mora::report {

namespace {

constexpr double most_of_all = 0.6;

bool is_parallel_region(const std::string& label) { return analysis::classify_library_label(label).is_parallel; }

/// Iterations that were found are not told apart.
std::vector<std::string> without_iterations(std::vector<std::string> path) {
  std::erase_if(path, [](const std::string& label) { return label.starts_with("iteration@"); });
  return path;
}

std::size_t common_path(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(differ.first - a.begin());
}

bool is_idleness(const Finding& finding) {
  return finding.metric == "omp-idle-threads" || finding.metric == "omp-limited-parallelism";
}

}  // namespace

bool name_team_wait(const ReportData& data, const std::map<std::uint32_t, Nanoseconds>& by_thread, LossCause& cause) {
  const auto of_first = by_thread.find(0);
  Nanoseconds all = 0;
  for (const auto& [thread, amount] : by_thread) all += amount;
  const bool is_late = cause.kind == "late-start";  // of a process, unless most of it is its other threads'
  if (is_late && of_first != by_thread.end() && 2 * of_first->second >= all) return false;
  const bool is_in_team = is_late || std::any_of(cause.call_path.begin(), cause.call_path.end(), is_parallel_region);
  const std::vector<std::string> path = without_iterations(cause.call_path);
  const Finding* found = nullptr;
  std::size_t common = 0;
  for (const Finding& finding : data.findings) {  // largest first
    if (!finding.metric.starts_with("omp-") || is_idleness(finding) == is_in_team) continue;
    const std::size_t shared = common_path(without_iterations(finding.call_path), path);
    if (found == nullptr || shared > common) found = &finding, common = shared;
  }
  if (found == nullptr) return false;
  const bool is_lock = found->metric == "omp-critical-contention" || found->metric == "omp-lock-contention";
  // Where regions are recorded. Else what comes before a barrier may be the work itself.
  const bool has_begin = is_late && std::any_of(found->call_path.begin(), found->call_path.end(), is_parallel_region);
  cause.kind = has_begin ? "late-threads" : !is_in_team ? "idle-threads" : is_lock ? "thread-lock" : "thread-imbalance";
  cause.symptom = found->name;
  cause.waits_at = found->call_path;
  for (const auto& [thread, amount] : by_thread)
    if (static_cast<double>(amount) >= most_of_all * static_cast<double>(all)) cause.thread = thread;
  return true;
}

bool is_of_team(const LossCause& cause) {
  return cause.kind == "idle-threads" || cause.kind == "late-threads" || cause.kind == "thread-lock" ||
         cause.kind == "thread-imbalance";
}

std::string team_text(const LossCause& cause, const std::string& costs, const std::string& code,
                      const std::string& where) {
  const std::string of = cause.ranks.size() == 1 ? fmt::format("rank {}", cause.ranks[0]) : "each process";
  if (cause.kind == "idle-threads") {
    return fmt::format(
        "Threads have nothing to do for {}, while one thread of {} computes {}. Let the team do that work, too, or "
        "give "
        "a process fewer threads.",
        costs, of, code);
  }
  if (cause.kind == "late-threads") {
    return fmt::format(
        "Threads of {} begin their part of parallel regions late, which makes the others of their team wait for {}.{} "
        "Often they have no core when the region begins: give a process fewer threads, bind them, or let them spin "
        "between regions (OMP_WAIT_POLICY=active) where each has a core of its own.",
        of, costs, where);
  }
  if (cause.kind == "thread-lock") {
    return fmt::format(
        "Threads of a team wait one after the other, for {}, {}.{} Do less there, or divide what it protects.", costs,
        code, where);
  }
  const std::string who = cause.thread ? fmt::format(": thread {} of {} has most of it", *cause.thread, of) : "";
  return fmt::format(
      "The work of a team is divided unevenly {}, which makes threads wait for {}{}.{} Give out its parts as threads "
      "become free (schedule(dynamic)), or make them equal.",
      code, costs, who, where);
}

}  // namespace mora::report
