/// The data-quality table in JSON, the same wherever Mora writes it.
#pragma once

#include <vector>

#include "base/data_quality.h"
#include "base/json_writer.h"

namespace mora {

/// An array with a line per row: kind, severity, where, count, what, remedy. The key before it is the caller's.
void write_quality(JsonWriter& json, const std::vector<QualityRow>& rows);

}  // namespace mora
