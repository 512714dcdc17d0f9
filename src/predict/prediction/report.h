/// A prediction as text and as JSON (docs/formats/schema/mora-prediction.json). Pure functions.
#pragma once

#include <optional>
#include <string>

#include "base/table/text_page.h"
#include "predict/prediction/check.h"
#include "predict/prediction/sensitivity.h"
#include "predict/prediction/what_if.h"

namespace mora::predict {

struct PredictionNames {
  std::string trace, machine;
  std::string collectives;  ///< whose algorithms: "openmpi"
  std::string placement;    ///< "as recorded", or the words of --map
  std::uint64_t compute_factor = 1'000'000;
};

/// `explain`: also each call that is approximated, with its share. `changes`: nothing without --what-if; `parts`:
/// nothing without --sensitivity; `corrected`: nothing without --correct.
std::string prediction_text(const Prediction& prediction, const PredictionNames& names, bool explain,
                            const TextOptions& options, const std::vector<WhatIf>& changes = {},
                            const std::vector<Sensitivity>& parts = {},
                            const std::optional<CorrectedTimes>& corrected = {});
std::string check_text(const Prediction& prediction, const Check& check, const PredictionNames& names,
                       const TextOptions& options);
/// `check`: nothing without --check.
std::string prediction_json(const Prediction& prediction, const PredictionNames& names,
                            const std::optional<Check>& check, const std::vector<WhatIf>& changes = {},
                            const std::vector<Sensitivity>& parts = {},
                            const std::optional<CorrectedTimes>& corrected = {});

}  // namespace mora::predict
