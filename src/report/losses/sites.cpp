#include "report/losses/sites.h"

#include <algorithm>
#include <tuple>

#include "analysis/efficiency/focus.h"

namespace mora::report {

using cube::CallPathId;
using cube::MetricId;

namespace {

/// An interval that the user has marked; instances may be numbered.
bool is_marked(const cube::CallPath& path) {
  return path.kind == cube::CallPathKind::interval && !analysis::is_found_iteration(path);
}

}  // namespace

Sites::Sites(const cube::Cube& cube, std::uint32_t ranks)
    : cube_(cube), ranks_(ranks), time_(cube.find_metric("time")), shmem_(cube.find_metric("shmem")) {
  find_same();
  find_sites();
}

CallPathId Sites::function_of(CallPathId path) const {
  const CallPathId around = cube_.call_paths[path].parent;
  return around == cube::no_id ? around : same_[around];
}

CallPathId Sites::instance_of(CallPathId path) const {
  while (path != cube::no_id && !(is_marked(cube_.call_paths[path]) && cube_.call_paths[path].id != 0))
    path = cube_.call_paths[path].parent;
  return path;
}

std::optional<cube::Stretch> Sites::stretch_of(CallPathId path) const {
  const cube::CallPath& p = cube_.call_paths[path];
  return p.kind == cube::CallPathKind::compute ? cube::stretch(p.name) : std::nullopt;
}

ByRank Sites::row(MetricId metric, CallPathId path) const {
  if (metric == cube::no_id) return ByRank(ranks_);
  ByRank amounts = fold_threads(cube_, cube_.row(metric, path), ranks_);
  amounts.resize(ranks_);
  return amounts;
}

std::int64_t Sites::total(MetricId metric, const std::vector<CallPathId>& paths) const {
  std::int64_t all = 0;
  for (const CallPathId path : paths) all += metric == cube::no_id ? 0 : cube_.call_path_total(metric, path);
  return all;
}

void Sites::find_same() {
  std::map<std::tuple<CallPathId, cube::CallPathKind, std::string, std::string, std::uint32_t>, CallPathId> first;
  same_.resize(cube_.call_paths.size());
  for (CallPathId c = 0; c < same_.size(); ++c) {
    const cube::CallPath& p = cube_.call_paths[c];
    const CallPathId around = function_of(c);
    same_[c] = around != cube::no_id && analysis::is_found_iteration(p)
                   ? around
                   : first.try_emplace({around, p.kind, is_marked(p) ? p.name : cube::label(p), p.file, p.line}, c)
                         .first->second;
  }
}

void Sites::find_sites() {
  std::map<std::pair<CallPathId, std::string>, std::pair<Nanoseconds, CallPathId>> most;
  const auto key = [&](CallPathId c) { return std::pair(function_of(c), cube::label(cube_.call_paths[c])); };
  is_call_.resize(cube_.call_paths.size());
  for (CallPathId c = 0; c < is_call_.size(); ++c) {
    is_call_[c] = cube_.call_paths[c].kind == cube::CallPathKind::mpi || has(shmem_, c);
    if (!is_call_[c]) continue;
    const Nanoseconds amount = total(time_, {c});
    const auto [place, is_new] = most.try_emplace(key(c), amount, c);
    if (!is_new && amount > place->second.first) place->second = {amount, c};
  }
  for (CallPathId c = 0; c < is_call_.size(); ++c) site_of_.push_back(is_call_[c] ? most[key(c)].second : c);
}

std::map<std::pair<CallPathId, std::string>, Nanoseconds> Sites::time_before_completion() const {
  std::map<std::pair<CallPathId, std::string>, Nanoseconds> found;
  for (CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
    const auto stretch = stretch_of(c);
    if (!stretch) continue;
    const mpi::Function& start = analysis::called_function(stretch->from);
    const mpi::CallClass end = analysis::called_function(stretch->to).call;
    const bool is_message = mpi::starts_requests(start) && start.call != mpi::CallClass::file;
    if (is_message && (end == mpi::CallClass::wait_single || end == mpi::CallClass::wait_multiple))
      found[{function_of(c), std::string(stretch->to)}] += cube_.call_path_total(time_, c);
  }
  return found;
}

}  // namespace mora::report
