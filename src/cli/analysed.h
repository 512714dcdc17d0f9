/// The results of an analysis for verbs that show them: read where `mora analyze` left them, else made on the fly.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "cube/cube.h"
#include "report/report_data.h"

namespace mora::cli {

struct Analysed {
  report::ReportData data;
  std::optional<cube::Cube> cube;  ///< with `needs_cube` always
};

/// What the user named, or the experiment around it if that is findings.json or the analysis.cubex beside one.
std::string analysed_path(const std::string& positional);

/// Says on standard error that there was no analysis, or that it is older than the trace. Errors: unreadable.
/// Errors (usage): a .cubex file without findings.
Result<Analysed> load_or_analyse(const std::string& path, bool needs_cube);

/// With `cube`; of a .cubex file (`mora cube`, another tool) without findings only that.
Result<Analysed> load_cells(const std::string& path);

}  // namespace mora::cli
