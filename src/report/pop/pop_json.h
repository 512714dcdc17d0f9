/// POP tree, scaling table and one-process comparison as JSON values, for verbs to put where they belong:
/// docs/formats/pop.md. Times are exact seconds, ratios have nine digits; what is not
/// known is null.
#pragma once

#include "analysis/efficiency/pop/pop.h"
#include "analysis/efficiency/pop/scaling.h"
#include "base/json/json_writer.h"
#include "report/one_process/one_process.h"

namespace mora {

/// An object.
void write_json(JsonWriter& json, const analysis::ScalingTable& table);

}  // namespace mora

namespace mora::report {

/// Fields of the object that is open.
void pop_fields(JsonWriter& json, const analysis::PopMetrics& pop);
/// An object; `run` and `one` are the tables that it was made from.
void one_process_json(JsonWriter& json, const OneProcessComparison& comparison, const analysis::IntervalTable& run,
                      const analysis::IntervalTable& one);

}  // namespace mora::report
