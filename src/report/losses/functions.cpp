/// The functions that samples found in a delay, compared between ranks. Each count of samples is one of a Poisson
/// process: n of them, each standing for a time p, are uncertain by p sqrt(n); none by p. Cost: O(call paths x ranks).
#include "report/losses/functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text/source_place.h"
#include "report/data/figures.h"

namespace mora::report {
namespace {

constexpr double sure_from_deviations = 2;  ///< standard deviations
constexpr Nanoseconds told_part = 10;       ///< of the largest difference
constexpr std::size_t ranks_told = 4;

/// Time of each rank, with its variance.
struct SampledTime {
  double time = 0, variance = 0;
};

using SampledByRank = std::vector<SampledTime>;

SampledTime median_time(std::vector<SampledTime> amounts) {
  std::sort(amounts.begin(), amounts.end(), [](const SampledTime& a, const SampledTime& b) { return a.time < b.time; });
  const SampledTime& high = amounts[amounts.size() / 2];
  const SampledTime& low = amounts[(amounts.size() - 1) / 2];
  return {(low.time + high.time) / 2, (low.variance + high.variance) / 2};
}

SampledTime mean_time(const std::vector<SampledTime>& amounts) {
  SampledTime all;
  for (const SampledTime& one : amounts) all.time += one.time, all.variance += one.variance;
  const auto n = static_cast<double>(amounts.size());
  return {all.time / n, all.variance / (n * n)};
}

/// Name without the parameters that C++ has; "relax()".
std::string function_call(const std::string& name) {
  if (name.find('(') != std::string::npos || name.find('+') != std::string::npos) return name;
  return name + "()";
}

class FunctionComparison {
 public:
  FunctionComparison(const cube::Cube& cube, const std::vector<cube::CallPathId>& call_paths)
      : cube_(cube), wholes_(call_paths.begin(), call_paths.end()) {
    for (const cube::Location& location : cube.locations) ranks_ = std::max(ranks_, location.rank + 1);
  }

  std::vector<FunctionDifference> run(const std::vector<std::uint32_t>& ranks) {
    const cube::MetricId time = cube_.find_metric("sampled-computation"), samples = cube_.find_metric("samples");
    if (time == cube::no_id || samples == cube::no_id || cube_.rows(samples).empty()) return {};
    if (ranks.empty() || ranks.size() >= ranks_) return {};
    add(time, samples);
    std::vector<FunctionDifference> found;
    for (const auto& [key, function] : functions_) {
      std::vector<SampledTime> theirs, others;
      for (std::uint32_t r = 0; r < ranks_; ++r)
        (std::find(ranks.begin(), ranks.end(), r) != ranks.end() ? theirs : others).push_back(function[r]);
      if (theirs.empty() || others.empty()) continue;
      const SampledTime here = mean_time(theirs), there = median_time(std::move(others));
      const double error = sure_from_deviations * std::sqrt(here.variance + there.variance);
      if (here.time - there.time <= error) continue;
      const auto& [name, file, line, caller] = key;
      found.push_back({name, file, line, last_lines_[key], caller, std::llround(here.time), std::llround(there.time),
                       std::llround(error)});
    }
    const auto excess = [](const FunctionDifference& f) { return f.here - f.others; };
    std::stable_sort(found.begin(), found.end(),
                     [&](const FunctionDifference& a, const FunctionDifference& b) { return excess(a) > excess(b); });
    std::erase_if(found, [&, most = found.empty() ? 0 : excess(found.front())](const FunctionDifference& f) {
      return excess(f) * told_part < most;
    });
    return found;
  }

 private:
  using FunctionKey = std::tuple<std::string, std::string, std::uint32_t, std::string>;  ///< name, file, line, caller

  /// Times add up over call paths and threads, and so do variances. Where a call path has samples, but none of a
  /// function, one might have been.
  void add(cube::MetricId time, cube::MetricId samples) {
    std::map<cube::CallPathId, std::vector<std::pair<std::int64_t, std::int64_t>>> whole_of;  // time, samples
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      if (cube_.call_paths[c].kind != cube::CallPathKind::sampled || !wholes_.contains(whole(c))) continue;
      auto& sums = whole_of[whole(c)];
      sums.resize(cube_.locations.size());
      for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
        sums[l].first += cube_.get(time, c, l);
        sums[l].second += cube_.get(samples, c, l);
      }
    }
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      const cube::CallPath& path = cube_.call_paths[c];
      if (path.kind != cube::CallPathKind::sampled || cube_.row(samples, c).empty()) continue;
      const auto sums = whole_of.find(whole(c));
      if (sums == whole_of.end()) continue;
      const FunctionKey key{path.name, path.file, path.line, caller_of(c)};
      last_lines_[key] = std::max(last_lines_[key], path.last_line);
      SampledByRank& by_rank = functions_.try_emplace(key, ranks_).first->second;
      for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
        const auto& [all_time, all_samples] = sums->second[l];
        if (all_samples == 0) continue;
        const double each = static_cast<double>(all_time) / static_cast<double>(all_samples);
        SampledTime& amount = by_rank[cube_.locations[l].rank];
        amount.time += static_cast<double>(cube_.get(time, c, l));
        amount.variance += each * each * static_cast<double>(std::max<std::int64_t>(1, cube_.get(samples, c, l)));
      }
    }
  }

  cube::CallPathId whole(cube::CallPathId c) const {
    while (cube_.call_paths[c].kind == cube::CallPathKind::sampled) c = cube_.call_paths[c].parent;
    return c;
  }

  /// The function that called it; empty if that is not known.
  std::string caller_of(cube::CallPathId c) const {
    cube::CallPathId at = cube_.call_paths[c].parent;
    while (at != cube::no_id && cube_.call_paths[at].kind != cube::CallPathKind::sampled &&
           cube_.call_paths[at].kind != cube::CallPathKind::user)
      at = cube_.call_paths[at].parent;
    return at == cube::no_id || cube_.call_paths[at].name == cube_.call_paths[c].name ? "" : cube_.call_paths[at].name;
  }

  const cube::Cube& cube_;
  const std::set<cube::CallPathId> wholes_;
  std::uint32_t ranks_ = 0;
  std::map<FunctionKey, SampledByRank> functions_;
  std::map<FunctionKey, std::uint32_t> last_lines_;
};

/// " (solver.c:118-140, called from step())"
std::string definition_words(const FunctionDifference& f) {
  std::string text = source_place(f.file, f.line);
  if (f.line != 0 && f.last_line > f.line) text += fmt::format("-{}", f.last_line);
  if (!f.called_from.empty())
    text += (text.empty() ? "" : ", ") + fmt::format("called from {}", function_call(f.called_from));
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

std::vector<FunctionDifference> differing_functions(const cube::Cube& cube,
                                                    const std::vector<cube::CallPathId>& call_paths,
                                                    const std::vector<std::uint32_t>& ranks) {
  return FunctionComparison(cube, call_paths).run(ranks);
}

std::string function_words(const LossCause& cause) {
  if (cause.functions.empty() || cause.ranks.empty()) return "";
  std::string who = cause.ranks.size() == 1            ? fmt::format("Rank {}", cause.ranks[0])
                    : cause.ranks.size() <= ranks_told ? fmt::format("Ranks {}", fmt::join(cause.ranks, ", "))
                                                       : fmt::format("{} ranks", cause.ranks.size());
  std::string text = " " + who + " came late because ";
  constexpr std::size_t told = 2;
  for (std::size_t i = 0; i < std::min(told, cause.functions.size()); ++i) {
    const FunctionDifference& f = cause.functions[i];
    text += fmt::format("{}{}{} took {} there and {} on the other ranks (sampled: ± {})", i == 0 ? "" : ", and ",
                        function_call(f.name), definition_words(f), time_for_people(f.here), time_for_people(f.others),
                        time_for_people(f.error));
  }
  return text + ".";
}

}  // namespace mora::report
