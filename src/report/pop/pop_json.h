/// POP tree, scaling table and one-process comparison as JSON values, for verbs to put where they belong:
/// docs/formats/pop.md. Each writes exactly one value. Times are exact seconds, ratios have nine digits; what is not
/// known is null.
#pragma once

#include "analysis/efficiency/one_process.h"
#include "analysis/efficiency/pop.h"
#include "analysis/efficiency/scaling.h"
#include "base/json_writer.h"

namespace mora::report {

/// Each writes one JSON object.
void pop_json(JsonWriter& json, const analysis::PopMetrics& pop);
void scaling_json(JsonWriter& json, const analysis::ScalingTable& table);
void one_process_json(JsonWriter& json, const analysis::OneProcessComparison& comparison,
                      const analysis::IntervalTable& run, const analysis::IntervalTable& one);

}  // namespace mora::report
