#include "predict/scaling/scaling.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "predict/scaling/scaled_source.h"

namespace mora::predict {

namespace {

/// What is wrong with the runs, each under its name.
void add_quality(const GivenRun& run, DataQuality& into) {
  for (QualityRow row : run.source->quality().rows()) {
    row.where = row.where.empty() ? run.name : fmt::format("{}, {}", run.name, row.where);
    into.add(std::move(row));
  }
}

}  // namespace

Result<std::shared_ptr<const ScaledProgram>> scale_runs(const std::vector<GivenRun>& runs, const FitTarget& target,
                                                        const ProgressCallback& progress) {
  std::set<std::uint32_t> different;
  for (const GivenRun& run : runs) different.insert(run.source->definitions().world_size);
  if (different.size() != runs.size() || different.size() < fewest_runs)
    return fail(ErrorKind::usage, "the runs cannot be scaled", "mora predict --scale",
                fmt::format("{} traces with {} different numbers of ranks are given; laws that are tested by leaving a "
                            "run out need {}, and one trace of each",
                            runs.size(), different.size(), fewest_runs),
                "record the program with more numbers of ranks");
  Sites sites;
  std::vector<RecordedRun> recorded;
  Progress reading(progress, "reading the runs", std::accumulate(different.begin(), different.end(), std::uint64_t{0}));
  for (const GivenRun& run : runs) {
    MORA_TRY(RecordedRun one, read_run(*run.source, run.name, sites, reading));
    recorded.push_back(std::move(one));
  }
  MORA_TRY(auto program, fit_program(std::move(recorded), std::move(sites), target, progress));
  for (const GivenRun& run : runs) add_quality(run, program->quality);
  MORA_TRY(const std::uint64_t unrecorded, check_scaled(program, progress));
  if (unrecorded != 0)
    program->from.remarks.push_back(
        fmt::format("{} times a call follows one that it does not follow in the largest run, or that run does not have "
                    "the local call: nothing is computed there",
                    unrecorded));
  return program;
}

Result<Prediction> predict_scaled(const std::shared_ptr<const ScaledProgram>& program,
                                  const PredictionRequest& request) {
  const auto at = [&](FitEnd end) { return predict(*scaled_source(program, end), request); };
  MORA_TRY(Prediction prediction, at(FitEnd::value));
  MORA_TRY(const Prediction lower, at(FitEnd::lower));
  MORA_TRY(const Prediction upper, at(FitEnd::upper));
  prediction.low = lower.low;
  prediction.high = upper.high;
  return prediction;
}

}  // namespace mora::predict
