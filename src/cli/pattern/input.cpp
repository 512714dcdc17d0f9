#include "cli/pattern/input.h"

#include <cstdio>

#include "base/file.h"
#include "cli/terminal/progress_line.h"
#include "experiment/banner.h"
#include "predict/pattern/open/open.h"

namespace mora::cli {

Result<predict::PatternTrace> read_pattern(const std::string& path) {
  ProgressLine progress(true);
  return predict::open_pattern(path, progress.callback());
}

Result<predict::Placement> read_placement(const std::string& file) {
  MORA_TRY(const std::string text, read_file(file));
  return predict::parse_placement(text, file);
}

Result<void> check_placement(const predict::Placement& placement, bool given, const predict::PatternTrace& trace) {
  if (!given || placement.size() == trace.definitions.world_size) return {};
  return fail(ErrorKind::usage, "the placement has another number of ranks than the pattern", "--placement",
              "it places " + std::to_string(placement.size()) + " ranks, the pattern has " +
                  std::to_string(trace.definitions.world_size),
              "make a placement with `mora map -np " + std::to_string(trace.definitions.world_size) + "`");
}

Result<predict::PatternFormat> pattern_format_option(const Arguments& arguments) {
  if (arguments.has("text") && arguments.has("format"))
    return fail(ErrorKind::usage, "--text and --format cannot be given together", "", "", "--text is --format both");
  return predict::parse_pattern_format(arguments.has("text") ? "both" : arguments.get("format", "compact"));
}

Result<predict::CollectiveModel> collective_model_option(const Arguments& arguments,
                                                         const predict::PatternTrace& trace) {
  if (!arguments.has("collectives")) return predict::recorded_model(trace.definitions);
  return predict::parse_collective_model(arguments.get("collectives"));
}

void tell_quality(const DataQuality& quality) {
  std::fputs(experiment::quality_lines(quality.rows()).c_str(), stderr);  // warnings and losses, a line per kind
  for (const QualityRow& row : quality.rows()) {
    if (row.severity != Severity::info) continue;
    std::string line = std::string("mora: ") + to_string(row.severity) + ": ";
    if (!row.where.empty()) line += row.where + ": ";
    if (row.count > 1) line += std::to_string(row.count) + " ";
    line += row.what;
    if (!row.remedy.empty()) line += " (" + row.remedy + ")";
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

}  // namespace mora::cli
