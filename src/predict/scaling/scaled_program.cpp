#include "predict/scaling/scaled_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "predict/scaling/call_fit.h"
#include "predict/scaling/process_laws.h"

namespace mora::predict {
namespace {

constexpr double k_small_share = 0.01;  ///< sites with less of the computation need no law

class ProgramFit {
 public:
  ProgramFit(std::vector<RecordedRun> runs, Sites sites, FitTarget target)
      : runs_(std::move(runs)), target_(target), made_(std::make_shared<ScaledProgram>()) {
    made_->ranks = target.ranks;
    made_->sites = std::move(sites);
    made_->program = find_program(runs_, made_->sites.sites.size());
    made_->nodes.resize(made_->program.nodes.size());
    made_->from.ranks = target.ranks;
    made_->from.limit = target.limit;
    for (const RecordedRun& run : runs_) made_->from.runs.push_back({run.name, run.ranks});
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (runs_[run].ranks > runs_[made_->largest_run].ranks) made_->largest_run = run;
    }
  }

  Result<std::shared_ptr<const ScaledProgram>> fit() {
    target_.vocabulary = grids_of(runs_, *made_);
    made_->nodes[0].times = constant(1);
    for (std::uint32_t node = 1; node < made_->nodes.size(); ++node) MORA_CHECK_OK(fit_times(node));
    for (std::uint32_t node = 1; node < made_->nodes.size(); ++node) {
      if (!made_->program.nodes[node].is_call()) continue;
      MORA_CHECK_OK(fit_call(node, runs_, *made_, target_));
    }
    MORA_CHECK_OK(fit_completions(runs_, *made_));
    MORA_CHECK_OK(fit_computation());
    made_->largest = std::move(runs_[made_->largest_run]);
    return std::shared_ptr<const ScaledProgram>(made_);
  }

 private:
  /// The call itself, without the functions around it.
  static std::string last_of(const std::string& path) {
    const auto at = path.rfind(" > ");
    return at == std::string::npos ? path : path.substr(at + 3);
  }

  const std::string& path_of(std::uint32_t node) const { return first_path(made_->program, made_->sites, node); }

  Result<void> fit_times(std::uint32_t node) {
    const ProgramNode& info = made_->program.nodes[node];
    std::vector<ObservedValue> all;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (std::uint32_t rank = 0; rank < runs_[run].ranks; ++rank) {
        const NodeRun& own = made_->program.runs[run][rank][node];
        for (std::uint32_t j = 0; j < own.times.size(); ++j)
          all.push_back({case_at(made_->program, run, rank, runs_[run].ranks, info.parent, j), own.times[j]});
      }
    }
    const std::vector<ObservedValue> observed = different(std::move(all));
    auto fitted = info.is_call() ? fit_condition(observed, target_) : fit_number(observed, target_, false);
    if (!fitted) {
      return refused(
          path_of(node),
          info.is_call() ? "whether a rank comes to the call" : "how often the loop that begins there is executed",
          fitted.error());
    }
    made_->nodes[node].times = std::move(*fitted);
    const FittedValue& times = made_->nodes[node].times;
    if (!info.is_call()) {
      made_->from.laws.push_back({path_of(node), "iterations of the loop from there", times.words, 0, 0});
    } else if (times.words != "always") {
      made_->from.laws.push_back({path_of(node), "executed", times.words, 0, 0});
    }
    return {};
  }

  struct Times {
    std::map<std::uint32_t, double> mean;     ///< of one execution, by number of ranks
    std::map<std::uint32_t, double> by_rank;  ///< of all of them: a rank's mean, all ranks counted
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> recorded;  ///< as Stretch
  };

  /// Of the calls of a site, apart by the site of the call before if `apart`.
  std::map<std::uint32_t, Times> times_of(std::uint32_t node, Nanoseconds RecordedCall::*member, bool apart) const {
    std::map<std::uint32_t, Times> all;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      std::map<std::uint32_t, std::pair<double, double>> sums;
      const std::uint32_t ranks = runs_[run].ranks;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::vector<RecordedCall>& calls = runs_[run].by_rank[rank].calls;
        for (const std::uint32_t call : made_->program.runs[run][rank][node].calls) {
          const std::uint32_t from = apart && call > 0 ? calls[call - 1].site : no_node;
          sums[from].first += static_cast<double>(calls[call].*member);
          ++sums[from].second;
          if (run != made_->largest_run) continue;
          auto& recorded = all[from].recorded;
          if (recorded.empty() || recorded.back().first != rank) recorded.push_back({rank, {}});
          recorded.back().second.push_back(call);
        }
      }
      for (const auto& [from, sum] : sums) {
        all[from].mean[ranks] = sum.first / sum.second;
        all[from].by_rank[ranks] = sum.first / ranks;
      }
    }
    return all;
  }

  /// Growth of the mean from the largest run to the number of ranks asked for; what has no law stays, between the
  /// least and the most that was recorded.
  Result<TimeLaw> time_law(const std::string& path, const std::string& what, const Times& times, double share,
                           bool must_carry) {
    TimeLaw made;
    const std::uint32_t most = runs_[made_->largest_run].ranks;
    const auto measured = times.mean.find(most);
    if (measured == times.mean.end() || !(measured->second > 0)) return made;
    const auto law = fit_law(times.mean, target_.ranks);
    const bool carries = law && law->leave_one_out <= target_.limit;
    const bool is_small = share < k_small_share;
    if (!carries && must_carry && !is_small) {
      const std::string why =
          !law ? fmt::format("{} runs have a time above 0 there, a law needs {}", positive(times.mean), fewest_runs)
               : fmt::format("the best law, {}, is {:.0f} % off at a run that is left out (limit: {:.0f} %)",
                             law->words, 100 * law->leave_one_out, 100 * target_.limit);
      return refused(path, what, why);
    }
    LawInterval at;
    if (carries) {
      at = law->at;
    } else {
      const auto [least, largest] = std::minmax_element(
          times.mean.begin(), times.mean.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      at = {measured->second, least->second, largest->second};
      if (must_carry) made_->from.unfitted += static_cast<Nanoseconds>(times.by_rank.at(most));
    }
    for (const auto& [end, value] :
         {std::pair{FitEnd::value, at.value}, std::pair{FitEnd::lower, at.lower}, std::pair{FitEnd::upper, at.upper}})
      made.factor[static_cast<int>(end)] = std::min(value / measured->second, 1e9);
    const auto predicted = static_cast<Nanoseconds>(at.value * times.by_rank.at(most) / measured->second);
    made_->from.laws.push_back({path, what, carries ? law->words : "as in the largest run: too short for a law",
                                carries ? law->leave_one_out : 0, predicted});
    if (carries && !is_small) made_->from.worst_error = std::max(made_->from.worst_error, law->leave_one_out);
    if (must_carry) made_->from.computation += predicted;
    return made;
  }

  static std::size_t positive(const std::map<std::uint32_t, double>& means) {
    return static_cast<std::size_t>(
        std::count_if(means.begin(), means.end(), [](const auto& m) { return m.second > 0; }));
  }

  Result<void> fit_computation() {
    const std::uint32_t most = runs_[made_->largest_run].ranks;
    std::vector<std::map<std::uint32_t, Times>> before(made_->nodes.size());
    Times after;
    for (const RecordedRun& run : runs_) {
      double sum = 0;
      for (const RankRun& rank : run.by_rank) sum += static_cast<double>(rank.after);
      after.mean[run.ranks] = after.by_rank[run.ranks] = sum / run.ranks;
    }
    const auto in_largest = [&](const Times& times) {
      const auto at = times.by_rank.find(most);
      return at == times.by_rank.end() ? 0 : at->second;
    };
    double all = in_largest(after);
    for (std::uint32_t node = 1; node < made_->nodes.size(); ++node) {
      if (!made_->program.nodes[node].is_call()) continue;
      before[node] = times_of(node, &RecordedCall::before, true);
      for (const auto& [from, times] : before[node]) all += in_largest(times);
    }
    const auto share = [&](const Times& times) { return all > 0 ? in_largest(times) / all : 0; };
    for (std::uint32_t node = 1; node < made_->nodes.size(); ++node) {
      if (!made_->program.nodes[node].is_call()) continue;
      for (auto& [from, times] : before[node]) {
        Stretch& stretch = made_->nodes[node].before[from];
        const std::string what =
            from == no_node ? "computation before" : "computation since " + last_of(made_->sites.sites[from].path);
        MORA_TRY(stretch.law, time_law(path_of(node), what, times, share(times), true));
        stretch.recorded = std::move(times.recorded);
      }
      if (!made_->sites.sites[made_->program.nodes[node].site].is_local) continue;
      Times lasted = times_of(node, &RecordedCall::lasted, false)[no_node];
      MORA_TRY(made_->nodes[node].whole.law, time_law(path_of(node), "duration", lasted, 0, false));
      made_->nodes[node].whole.recorded = std::move(lasted.recorded);
    }
    MORA_TRY(made_->after, time_law("the end", "computation behind the last call", after, share(after), true));
    return {};
  }

  std::vector<RecordedRun> runs_;
  FitTarget target_;
  std::shared_ptr<ScaledProgram> made_;
};

}  // namespace

Result<std::shared_ptr<const ScaledProgram>> fit_program(std::vector<RecordedRun> runs, Sites sites, FitTarget target) {
  return ProgramFit(std::move(runs), std::move(sites), target).fit();
}

}  // namespace mora::predict
