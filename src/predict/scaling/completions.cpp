/// Which requests a call completes, by rules over those that are open: all, the oldest, the oldest of each call that
/// starts them, or the newest. The first that says so of every execution is taken.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "predict/scaling/call_fit.h"

namespace mora::predict {
namespace {

constexpr CompletionRule::Which k_rules[] = {CompletionRule::all, CompletionRule::oldest,
                                             CompletionRule::oldest_of_each, CompletionRule::newest};

/// Calls `on_call(site, completed, open)` for each call of the rank that has requests to complete or completes some.
template <class OnCall>
void follow(const RankRun& rank, const OnCall& on_call) {
  std::vector<OpenRequest> open;
  for (const RecordedCall& call : rank.calls) {
    std::set<std::uint64_t> completed;
    std::vector<OpenRequest> started;
    for (std::uint32_t i = call.first; i < call.first + call.count; ++i) {
      const Moved& moved = rank.moved[i];
      if (moved.kind == trace::EventKind::send_complete) {
        completed.insert(moved.request);
      } else if (moved.request != trace::no_id && moved.is_complete) {
        started.push_back({moved.request, call.site});
      }
    }
    on_call(call.site, completed, open);
    std::erase_if(open, [&](const OpenRequest& one) { return completed.contains(one.request); });
    open.insert(open.end(), started.begin(), started.end());
  }
}

template <class OnCall>
void follow_all(const std::vector<RecordedRun>& runs, const OnCall& on_call) {
  for (const RecordedRun& run : runs) {
    for (const RankRun& rank : run.by_rank) follow(rank, on_call);
  }
}

}  // namespace

std::vector<std::size_t> completed_by(const CompletionRule& rule, const std::vector<OpenRequest>& open) {
  std::vector<std::size_t> found;
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < open.size() && rule.which != CompletionRule::none; ++i) {
    if (!std::binary_search(rule.sites.begin(), rule.sites.end(), open[i].site)) continue;
    const bool is_first = seen.insert(open[i].site).second;
    if (rule.which == CompletionRule::oldest && !found.empty()) break;
    if (rule.which == CompletionRule::oldest_of_each && !is_first) continue;
    if (rule.which == CompletionRule::newest) found.clear();
    found.push_back(i);
  }
  return found;
}

Result<void> fit_completions(const std::vector<RecordedRun>& runs, ScaledProgram& made) {
  std::map<std::uint32_t, std::set<std::uint32_t>> starts;  // by site that completes
  follow_all(runs,
             [&](std::uint32_t site, const std::set<std::uint64_t>& completed, const std::vector<OpenRequest>& open) {
               for (const OpenRequest& one : open)
                 if (completed.contains(one.request)) starts[site].insert(one.site);
             });
  std::map<std::uint32_t, std::vector<CompletionRule>> rules;
  for (const auto& [site, from] : starts) {
    for (const CompletionRule::Which which : k_rules) rules[site].push_back({which, {from.begin(), from.end()}});
  }
  follow_all(runs,
             [&](std::uint32_t site, const std::set<std::uint64_t>& completed, const std::vector<OpenRequest>& open) {
               const auto at = rules.find(site);
               if (at == rules.end()) return;
               std::erase_if(at->second, [&](const CompletionRule& rule) {
                 std::set<std::uint64_t> expected;
                 for (const std::size_t i : completed_by(rule, open)) expected.insert(open[i].request);
                 return expected != completed;
               });
             });
  for (std::uint32_t node = 0; node < made.nodes.size(); ++node) {
    const auto at = rules.find(made.program.nodes[node].site);
    if (!made.program.nodes[node].is_call() || at == rules.end()) continue;
    if (at->second.empty())
      return refused(first_path(made.program, made.sites, node), "requests",
                     "neither all open ones are completed there, nor the oldest, nor the newest");
    made.nodes[node].completion = at->second.front();
  }
  return {};
}

}  // namespace mora::predict
