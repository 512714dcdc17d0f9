/// Finds and reads the results of an analysis, or runs the analysis now if there are none.
#include "cli/analysis/analysed.h"

#include <cstdio>
#include <filesystem>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "base/file.h"
#include "cli/analysis/result_directory.h"
#include "cli/options/interval_options.h"
#include "cli/terminal/progress_line.h"
#include "cube/cubex.h"
#include "report/findings/findings.h"
#include "trace/readers/open_trace.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

/// One after the other, so that what each needs while it is read never stands beside more than results: the cube first,
/// which needs most.
Result<Analysed> load(const std::string& directory, bool needs_cube) {
  Analysed loaded;
  const std::string findings = directory + "/findings.json", cubex = directory + "/analysis.cubex";
  MORA_TRY(const MappedFile mapped, MappedFile::open(findings));
  const std::string_view json(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  const bool has_cube = file_exists(cubex);
  Result<cube::CubexFile> file;
  if (has_cube) file = cube::read_cubex(cubex);
  MORA_TRY(loaded.data, report::read_findings(json, findings, [&] { mapped.forget(); }));
  if (!has_cube) {
    if (!needs_cube) return loaded;
    return fail(ErrorKind::unreadable, "this output needs the analysis in full", cubex, "the file does not exist",
                "run `mora analyze " + directory + "`");
  }
  if (!file) return tl::unexpected(std::move(file.error()));
  loaded.cube = std::move(file->cube);
  const auto take = [&](const char* name, auto& kept) {
    const std::string place = directory + "/" + name;
    const auto text = read_file(place);
    if (!text) return;
    auto read = std::decay_t<decltype(*kept)>::read(*text, place, json);
    mapped.forget();
    if (read) kept = std::move(*read);
  };
  take(critical_path_file, loaded.critical_path);
  take(waiting_over_time_file, loaded.waiting_over_time);
  return loaded;
}

Result<Analysed> analyse_now(const std::string& path) {
  MORA_TRY(const auto source, trace::open_trace(path));
  std::fprintf(stderr, "mora: note: %s is not analysed yet; it is analysed now (`mora analyze %s` keeps the result)\n",
               path.c_str(), path.c_str());
  analysis::AnalyzeOptions options;
  MORA_CHECK_OK(read_interval_options({}, options));  // as `mora analyze` does without options
  options.path = true;
  Result<analysis::AnalysisResult> analysed = [&] {
    ProgressLine line(true);
    options.progress = line.callback();
    return analysis::analyze(*source, path, options);
  }();
  MORA_TRY(analysis::AnalysisResult result, std::move(analysed));
  std::map<std::string, std::string> more;
  if (const auto manifest = read_file(path + "/manifest.json")) {
    more = report::manifest_facts(*manifest);
    for (QualityRow& row : report::manifest_quality(*manifest)) result.quality.add(std::move(row));
  }
  Analysed loaded;
  loaded.data = report::build_report(result, analysis::all_metrics(), more);
  loaded.cube = std::move(result.cube);
  loaded.critical_path = kept_path(result);
  loaded.waiting_over_time = std::move(result.waiting_over_time);
  return loaded;
}

/// Says on standard error when the trace was written after the analysis.
void warn_if_stale(const std::string& path, const std::string& results) {
  std::error_code error;
  const std::string trace = fs::is_directory(path, error) ? trace::anchor_file(path) : path;
  if (trace.empty()) return;
  const auto written = fs::last_write_time(trace, error);
  if (error) return;
  const auto analysed = fs::last_write_time(results + "/findings.json", error);
  if (error || written <= analysed) return;
  std::fprintf(stderr, "mora: warning: the trace %s is newer than its analysis; run `mora analyze %s` again\n",
               trace.c_str(), path.c_str());
}

bool is_lone_cubex(const std::string& path) {
  const fs::path file(path);
  if (file.extension() != ".cubex" || !file_exists(path)) return false;
  return file.filename() != "analysis.cubex" || !file_exists((file.parent_path() / "findings.json").string());
}

}  // namespace

cube::KeptPath kept_path(const analysis::AnalysisResult& result) {
  cube::KeptPath kept;
  for (const analysis::PathPiece& piece : result.critical_path) kept.add({piece.location, piece.from, piece.to});
  return kept;
}

std::string analysed_path(const std::string& positional) {
  if (is_lone_cubex(positional)) return positional;
  std::string path = positional;
  const std::string name = fs::path(path).filename().string();
  if (name == "findings.json" || name == "analysis.cubex") path = fs::path(path).parent_path().string();
  return path.empty() ? "." : path;
}

Result<Analysed> load_cells(const std::string& path) {
  if (!is_lone_cubex(path)) return load_or_analyse(path, true);
  MORA_TRY(auto file, cube::read_cubex(path));
  Analysed loaded;
  loaded.cube = std::move(file.cube);
  for (const QualityRow& row : file.quality.rows()) loaded.data.quality.push_back(row);
  return loaded;
}

Result<Analysed> load_or_analyse(const std::string& path, bool needs_cube) {
  if (is_lone_cubex(path)) {
    return fail(ErrorKind::usage, "a .cubex file has metrics only, but this needs the findings of an experiment", path,
                "",
                "give the experiment directory; a .cubex file can be read by mora report --intervals or --pop, mora "
                "compare and mora cube");
  }
  const std::string results = result_directory(path);
  if (!file_exists(results + "/findings.json")) return analyse_now(path);
  warn_if_stale(path, results);
  return load(results, needs_cube);
}

}  // namespace mora::cli
