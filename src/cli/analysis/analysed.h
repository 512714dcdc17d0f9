/// The results of an analysis, for verbs that show them: read from where `mora analyze` wrote them, or computed now if
/// there are none.
#pragma once

#include <optional>
#include <string>

#include "analysis/result.h"
#include "base/error.h"
#include "cube/cube.h"
#include "cube/kept/kept_path.h"
#include "cube/kept/waiting_over_time.h"
#include "report/data/report_data.h"

namespace mora::cli {

/// What an analysis found: the data of reports, and the cube where it was asked for.
struct Analysed {
  report::ReportData data;
  std::optional<cube::Cube> cube;  ///< with `needs_cube` always
  /// With `needs_cube`, if the analysis kept it together with these findings.
  std::optional<cube::KeptPath> critical_path;
  std::optional<cube::WaitingOverTime> waiting_over_time;  ///< likewise
};

/// What AnalyzeOptions::path asked for, as results keep it.
cube::KeptPath kept_path(const analysis::AnalysisResult& result);

/// The path that the user gave; if it is the findings.json or analysis.cubex of an experiment, that experiment.
std::string analysed_path(const std::string& positional);

/// `needs_cube`: analysis.cubex is read, too. Prints a note on standard error if there is no analysis, or if it is
/// older than the trace. Errors: unreadable; usage: a .cubex file without findings.
Result<Analysed> load_or_analyse(const std::string& path, bool needs_cube);

/// The same, always with `cube`; a single .cubex file (`mora cube`, another tool) gives the cube without findings.
Result<Analysed> load_cells(const std::string& path);

}  // namespace mora::cli
