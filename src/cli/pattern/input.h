/// The input of verbs that work on a communication pattern: the pattern and a placement; and the option for the form in
/// which a pattern is written. Errors of reading: unreadable.
#pragma once

#include <string>

#include "base/data_quality.h"
#include "base/error.h"
#include "cli/command/verb.h"
#include "predict/pattern/matrix/matrix.h"
#include "predict/pattern/recording/recording.h"
#include "predict/pattern/trace.h"
#include "predict/placement/placement.h"

namespace mora::cli {

/// Any source of a pattern; draws a progress line.
Result<predict::PatternTrace> read_pattern(const std::string& path);
/// The output of `mora map`, or a rankfile.
Result<predict::Placement> read_placement(const std::string& file);
/// Error (usage) if it does not place as many ranks as the pattern has.
Result<void> check_placement(const predict::Placement& placement, bool given, const predict::PatternTrace& trace);
/// --format FORM, or --text for both forms; compact if neither is given.
Result<predict::PatternFormat> pattern_format_option(const Arguments& arguments);
/// --collectives MODEL, or the model of the library that the trace was recorded with.
Result<predict::CollectiveModel> collective_model_option(const Arguments& arguments,
                                                         const predict::PatternTrace& trace);
/// On standard error, a line per row.
void tell_quality(const DataQuality& quality);

}  // namespace mora::cli
