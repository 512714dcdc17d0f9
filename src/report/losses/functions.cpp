/// The functions that samples found in a delay, compared between ranks. Each count of samples is one of a Poisson
/// process: n of them, each standing for a time p, are uncertain by p sqrt(n); none by p. Cost: O(call paths x ranks).
#include "report/losses/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text/function_name.h"
#include "base/text/source_place.h"
#include "report/data/figures.h"

namespace mora::report {
namespace {

constexpr double sure_from_deviations = 2;  ///< standard deviations
constexpr Nanoseconds told_part = 10;       ///< of the largest difference
constexpr std::size_t ranks_told = 4;
constexpr double most_of_it = 0.75;  ///< of a function's difference, in the calls by one caller or from one line

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

/// "relax()"; of what has no name, "solver.so+0x12ab".
std::string function_call(const std::string& name) {
  return name.find("+0x") != std::string::npos || name.starts_with('(') ? name : without_parameters(name) + "()";
}

/// A function, or only what one caller or one line of that caller calls of it.
struct FunctionKey {
  std::string name, file;
  std::uint32_t line = 0;
  std::string caller = {};
  SourcePlace called_at = {};
  auto operator<=>(const FunctionKey&) const = default;
};

enum Level : std::size_t { whole_function, by_caller, by_place, level_count };

FunctionKey cut(FunctionKey key, std::size_t level) {
  if (level < by_place) key.called_at = {};
  if (level < by_caller) key.caller.clear();
  return key;
}

struct Difference {
  Nanoseconds here = 0, others = 0, error = 0;
  Nanoseconds excess() const { return here - others; }
};

class FunctionComparison {
 public:
  FunctionComparison(const cube::Cube& cube, const std::vector<cube::CallPathId>& call_paths,
                     const std::vector<std::uint32_t>& ranks)
      : cube_(cube), wholes_(call_paths.begin(), call_paths.end()), late_(ranks) {
    for (const cube::Location& location : cube.locations) ranks_ = std::max(ranks_, location.rank + 1);
  }

  std::vector<FunctionDifference> run() {
    const cube::MetricId time = cube_.find_metric("sampled-computation"), samples = cube_.find_metric("samples");
    if (time == cube::no_id || samples == cube::no_id || cube_.rows(samples).empty()) return {};
    if (late_.empty() || late_.size() >= ranks_) return {};
    add(time, samples);
    std::vector<FunctionDifference> found;
    for (const auto& [function, times] : times_[whole_function]) {
      const auto difference = difference_of(times);
      if (!difference) continue;
      const auto [key, part] = narrowed(function, *difference);
      found.push_back({key.name, key.file, key.line, last_lines_[function], key.caller, key.called_at, part.here,
                       part.others, part.error});
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
  /// If the late ranks take longer, by more than the error.
  std::optional<Difference> difference_of(const SampledByRank& times) const {
    std::vector<SampledTime> theirs, others;
    for (std::uint32_t r = 0; r < ranks_; ++r)
      (std::find(late_.begin(), late_.end(), r) != late_.end() ? theirs : others).push_back(times[r]);
    if (theirs.empty() || others.empty()) return std::nullopt;
    const SampledTime here = mean_time(theirs), there = median_time(std::move(others));
    const double error = sure_from_deviations * std::sqrt(here.variance + there.variance);
    if (here.time - there.time <= error) return std::nullopt;
    return Difference{std::llround(here.time), std::llround(there.time), std::llround(error)};
  }

  /// The caller, and the line of it, in whose calls of the function most of the difference lies.
  std::pair<FunctionKey, Difference> narrowed(FunctionKey key, Difference difference) const {
    for (std::size_t level = by_caller; level < level_count; ++level) {
      std::optional<std::pair<FunctionKey, Difference>> most;
      for (const auto& [part, times] : times_[level]) {
        if (cut(part, level - 1) != key) continue;
        const auto of_part = difference_of(times);
        if (of_part && of_part->excess() >= most_of_it * static_cast<double>(difference.excess()))
          most = {part, *of_part};
      }
      if (!most) break;
      std::tie(key, difference) = *most;
    }
    return {key, difference};
  }

  /// Times and samples of one of `wholes_`, by location.
  using Sums = std::vector<std::pair<std::int64_t, std::int64_t>>;

  /// Times add up over call paths and threads, and so do variances. Where a call path has samples, but none of a
  /// function, one might have been.
  void add(cube::MetricId time, cube::MetricId samples) {
    struct Whole {
      Sums all;
      std::array<std::map<FunctionKey, Sums>, level_count> by_key;
    };
    std::map<cube::CallPathId, Whole> sums;
    for (cube::CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      const cube::CallPath& path = cube_.call_paths[c];
      if (path.kind != cube::CallPathKind::sampled || !wholes_.contains(whole(c))) continue;
      Whole& of = sums[whole(c)];
      const auto add_to = [&](Sums& to) {
        to.resize(cube_.locations.size());
        for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
          to[l].first += cube_.get(time, c, l);
          to[l].second += cube_.get(samples, c, l);
        }
      };
      add_to(of.all);
      if (cube_.row(samples, c).empty()) continue;
      const FunctionKey key{path.name, path.file, path.line, caller_of(c), path.called_at};
      for (std::size_t level = 0; level < level_count; ++level) add_to(of.by_key[level][cut(key, level)]);
      auto& last = last_lines_[cut(key, whole_function)];
      last = std::max(last, path.last_line);
    }
    for (const auto& [call_path, of] : sums)
      for (std::size_t level = 0; level < level_count; ++level)
        for (const auto& [key, own] : of.by_key[level])
          add_times(of.all, own, times_[level].try_emplace(key, ranks_).first->second);
  }

  void add_times(const Sums& all, const Sums& own, SampledByRank& by_rank) const {
    for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
      if (all[l].second == 0) continue;
      const double each = static_cast<double>(all[l].first) / static_cast<double>(all[l].second);
      SampledTime& amount = by_rank[cube_.locations[l].rank];
      amount.time += static_cast<double>(own[l].first);
      amount.variance += each * each * static_cast<double>(std::max<std::int64_t>(1, own[l].second));
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
  const std::vector<std::uint32_t>& late_;
  std::uint32_t ranks_ = 0;
  std::array<std::map<FunctionKey, SampledByRank>, level_count> times_;
  std::map<FunctionKey, std::uint32_t> last_lines_;
};

/// " (solver.c:118-140, called from step() at step.c:210)"
std::string definition_words(const FunctionDifference& f) {
  std::string text = source_place(f.file, f.line);
  if (f.line != 0 && f.last_line > f.line) text += fmt::format("-{}", f.last_line);
  if (!f.called_from.empty()) {
    text += (text.empty() ? "" : ", ") + fmt::format("called from {}", function_call(f.called_from));
    if (!f.called_at.file.empty()) text += " at " + source_place(f.called_at.file, f.called_at.line);
  }
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

std::vector<FunctionDifference> differing_functions(const cube::Cube& cube,
                                                    const std::vector<cube::CallPathId>& call_paths,
                                                    const std::vector<std::uint32_t>& ranks) {
  return FunctionComparison(cube, call_paths, ranks).run();
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
