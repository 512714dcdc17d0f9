/// What verbs that work on a communication pattern read: the pattern, a placement, and the form that a recording shall
/// have.
#pragma once

#include <string>

#include "base/data_quality.h"
#include "base/error.h"
#include "cli/verb.h"
#include "predict/pattern/recording.h"
#include "predict/pattern/trace.h"
#include "predict/placement/placement.h"

namespace mora::cli {

/// Any source of a pattern, with a progress line.
Result<predict::PatternTrace> read_pattern(const std::string& path);
Result<predict::Placement> read_placement(const std::string& file);
/// Error (usage) if it does not place as many ranks as the pattern has.
Result<void> check_placement(const predict::Placement& placement, bool given, const predict::PatternTrace& trace);
/// --format FORM, or --text for both forms; compact if neither is given.
Result<predict::PatternFormat> pattern_format_option(const Arguments& arguments);
/// On standard error, a line per row.
void tell_quality(const DataQuality& quality);

}  // namespace mora::cli
