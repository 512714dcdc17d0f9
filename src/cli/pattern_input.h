/// What verbs that work on a communication pattern read: the pattern and a placement.
#pragma once

#include <string>

#include "base/data_quality.h"
#include "base/error.h"
#include "predict/pattern/trace.h"
#include "predict/placement/placement.h"

namespace mora::cli {

/// Any source of a pattern, with a progress line.
Result<predict::PatternTrace> read_pattern(const std::string& path);
Result<predict::Placement> read_placement(const std::string& file);
/// Error (usage) if it does not place as many ranks as the pattern has.
Result<void> check_placement(const predict::Placement& placement, bool given, const predict::PatternTrace& trace);
/// On standard error, a line per row.
void tell_quality(const DataQuality& quality);

}  // namespace mora::cli
