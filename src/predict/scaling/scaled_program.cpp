#include "predict/scaling/scaled_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "predict/scaling/call_fit.h"
#include "predict/scaling/computation_fit.h"

namespace mora::predict {
namespace {

constexpr std::size_t k_kept_observations = 1U << 16;  ///< before equal ones are sought among them

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

  Result<std::shared_ptr<ScaledProgram>> fit(const ProgressCallback& progress) {
    Progress fitting(progress, "fitting call sites", made_->nodes.size());
    target_.vocabulary = grids_of(runs_, *made_);
    made_->nodes[0].times = constant(1);
    for (std::uint32_t node = 1; node < made_->nodes.size(); ++node) MORA_CHECK_OK(fit_times(node));
    for (std::uint32_t node = 1; node < made_->nodes.size(); ++node) {
      if (!made_->program.nodes[node].is_call()) continue;
      MORA_CHECK_OK(fit_call(node, runs_, *made_, target_));
      fitting.advance(1);
    }
    MORA_CHECK_OK(fit_completions(runs_, *made_));
    add_remarks();
    MORA_CHECK_OK(fit_computation(runs_, target_, *made_));
    made_->largest = std::move(runs_[made_->largest_run]);
    return made_;
  }

 private:
  void add_remarks() {
    std::vector<std::uint32_t> ranks;
    for (const RecordedRun& run : runs_) ranks.push_back(run.ranks);
    for (const std::string& words : equal_extents(ranks, target_.ranks, target_.vocabulary))
      made_->from.remarks.push_back("what follows this extent looks like a constant, or like a part of P: " + words);
    const auto untested = std::count_if(made_->from.laws.begin(), made_->from.laws.end(),
                                        [](const ScaledLaw& law) { return !law.leave_one_out; });
    if (untested != 0)
      made_->from.remarks.push_back(
          fmt::format("{} exact laws of two terms rest on three numbers of ranks, so that hardly anything tests them "
                      "(--explain: left out is -)",
                      untested));
  }

  const std::string& path_of(std::uint32_t node) const { return first_path(made_->program, made_->sites, node); }

  Result<void> fit_times(std::uint32_t node) {
    const ProgramNode& info = made_->program.nodes[node];
    std::vector<ObservedValue> all;
    std::size_t most = k_kept_observations;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (std::uint32_t rank = 0; rank < runs_[run].ranks; ++rank) {
        const NodeRun& own = made_->program.runs[run][rank][node];
        const std::size_t iterations = info.is_call() ? own.executed.size() : own.times.size();
        for (std::uint32_t j = 0; j < iterations; ++j) {
          const std::int64_t value = info.is_call() ? std::int64_t{own.executed[j]} : own.times[j];
          all.push_back({case_at(made_->program, run, rank, runs_[run].ranks, info.parent, j), value});
          if (all.size() < most) continue;
          all = different(std::move(all));
          most = std::max(k_kept_observations, 2 * all.size());
        }
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
      made_->from.add_exact(path_of(node), "iterations of the loop from there", times.words, times.leave_one_out);
    } else if (times.words != "always") {
      made_->from.add_exact(path_of(node), "executed", times.words, times.leave_one_out);
    }
    return {};
  }

  std::vector<RecordedRun> runs_;
  FitTarget target_;
  std::shared_ptr<ScaledProgram> made_;
};

}  // namespace

Result<std::shared_ptr<ScaledProgram>> fit_program(std::vector<RecordedRun> runs, Sites sites, FitTarget target,
                                                   const ProgressCallback& progress) {
  return ProgramFit(std::move(runs), std::move(sites), target).fit(progress);
}

}  // namespace mora::predict
