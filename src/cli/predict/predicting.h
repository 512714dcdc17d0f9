/// A prediction as the words of a command line ask for it: for `mora predict`, and for the page What-if.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cli/command/verb.h"
#include "predict/prediction/report.h"

namespace mora::cli {

struct Predicted {
  predict::Prediction prediction;
  predict::PredictionNames names;
  std::optional<predict::Check> check;   ///< with --check
  std::vector<predict::WhatIf> changes;  ///< with --what-if

  std::vector<predict::Sensitivity> parts;  ///< with --sensitivity

  /// What `mora predict --json` prints.
  std::string json() const { return predict::prediction_json(prediction, names, check, changes, parts); }
};

/// The options are those of `mora predict`. Errors: usage; unreadable, with what would hang.
Result<Predicted> make_prediction(const Arguments& arguments, const ProgressCallback& progress = {});

/// Writes the messages of the run: --goal, --simgrid, --partial. Returns how many. Errors: the same; usage, if
/// something would be left out.
Result<std::uint64_t> write_messages(const Arguments& arguments, const ProgressCallback& progress = {});

/// Writes the predicted run as an archive in the directory of --trace. Errors: the same; usage, if it is there.
Result<void> write_predicted_trace(const Arguments& arguments, const ProgressCallback& progress = {});

}  // namespace mora::cli
