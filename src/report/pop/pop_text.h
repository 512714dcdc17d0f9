/// POP tree, scaling table and one-process comparison as text. Pure functions; nothing here prints.
#pragma once

#include <string>

#include "analysis/efficiency/pop/pop.h"
#include "analysis/efficiency/pop/scaling.h"
#include "base/table/text_page.h"
#include "report/one_process/one_process.h"

namespace mora::report {

/// With colour, values below analysis::attention_threshold are red; without they are marked with "!".
struct PopTextOptions : TextOptions {
  bool explain = true;  ///< formulas and notes below the tables
};

/// Of one interval; `title` names it: "program a.out, 8 processes" or "interval 0.2 solve.c:20".
std::string pop_text(const analysis::PopMetrics& pop, const std::string& title, const PopTextOptions& options);

/// Runs side by side, fits, and what they give for more processes.
std::string scaling_text(const analysis::ScalingTable& table, const std::string& title, const PopTextOptions& options);

/// `run` and `one` are the tables it was made from.
std::string one_process_text(const OneProcessComparison& comparison, const analysis::IntervalTable& run,
                             const analysis::IntervalTable& one, const PopTextOptions& options);

}  // namespace mora::report
