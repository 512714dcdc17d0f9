/// The run of a program with another number of ranks, predicted from several smaller runs (`mora predict --scale`).
///
/// Idea: what the ranks of the runs do is fitted call site by call site (scaled_program.h), the fitted program of the
/// other number of ranks is a trace (scaled_source.h), and that is predicted as any other (prediction.h). The error bar
/// holds the fits' own errors: its lower end is the run with all fitted times and sizes at the lower ends of their
/// intervals and all costs lowered, its upper end likewise. Source: extrapolation of communication from small runs as
/// in ScalaExtrap (Wu 2011), of computation by performance models (Calotoiu 2013). Rule: scaled-runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/prediction/prediction.h"
#include "predict/scaling/scaled_program.h"

namespace mora::predict {

/// A recorded run, and what messages call it.
struct GivenRun {
  std::string name;
  trace::Source* source = nullptr;
};

/// Reads and fits the runs, and checks what the laws say of all ranks. Errors: usage, unreadable, with what does not
/// carry. Cost: memory of about 100 bytes for each recorded call.
Result<std::shared_ptr<const ScaledProgram>> scale_runs(const std::vector<GivenRun>& runs, const FitTarget& target,
                                                        const ProgressCallback& progress = {});

/// `request` is of the job with the other number of ranks. Errors: of predict().
Result<Prediction> predict_scaled(const std::shared_ptr<const ScaledProgram>& program,
                                  const PredictionRequest& request);

}  // namespace mora::predict
