/// A prediction as the words of a command line ask for it: for `mora predict`, and for the page What-if.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cli/command/verb.h"
#include "predict/learning/rank_features.h"
#include "predict/prediction/report.h"
#include "predict/scaling/scaled_program.h"

namespace mora::cli {

struct Predicted {
  predict::Prediction prediction;
  predict::PredictionNames names;
  std::optional<predict::Check> check;   ///< with --check
  std::vector<predict::WhatIf> changes;  ///< with --what-if

  std::vector<predict::Sensitivity> parts;           ///< with --sensitivity
  std::optional<predict::CorrectedTimes> corrected;  ///< with --correct

  /// What `mora predict --json` prints.
  std::string json() const { return predict::prediction_json(prediction, names, check, changes, parts, corrected); }
};

/// What the options ask for, with what they ask it of.
struct AskedPrediction {
  predict::MachineModel machine;
  std::string machine_text;  ///< of its file
  std::unique_ptr<trace::Source> source;
  std::shared_ptr<const predict::ScaledProgram> scaled;  ///< with --scale
  predict::PredictionRequest request;
};

/// Of the trace at `path`. Errors: usage; unreadable.
Result<std::unique_ptr<AskedPrediction>> ask_prediction(const Arguments& arguments, const std::string& path,
                                                        const ProgressCallback& progress);

/// What the ranks communicate, for corrections (predict/learning/). `quality` gets what only that reading finds.
Result<std::vector<predict::FeatureRow>> features_of(AskedPrediction& asked, DataQuality& quality);

/// The options are those of `mora predict`. Errors: usage; unreadable, with what would hang.
Result<Predicted> make_prediction(const Arguments& arguments, const ProgressCallback& progress = {});

/// Writes the messages of the run: --goal, --simgrid, --partial. Returns how many. Errors: the same; usage, if
/// something would be left out.
Result<std::uint64_t> write_messages(const Arguments& arguments, const ProgressCallback& progress = {});

/// Writes the predicted run as an archive in the directory of --trace. Errors: the same; usage, if it is there.
Result<void> write_predicted_trace(const Arguments& arguments, const ProgressCallback& progress = {});

}  // namespace mora::cli
