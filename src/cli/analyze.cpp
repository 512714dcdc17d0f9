/// `mora analyze`: wait states of a trace -> analysis.cubex and findings.json.
#include <cstdio>
#include <filesystem>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "base/file.h"
#include "cli/count_option.h"
#include "cli/progress_line.h"
#include "cli/result_directory.h"
#include "cli/verbs.h"
#include "cube/cubex.h"
#include "report/report.h"
#include "trace/source.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

Result<int> run(const Arguments& arguments) {
  const std::string path = arguments.positionals.at(0);
  analysis::AnalyzeOptions options;
  MORA_TRY(options.workers, count_option(arguments, "workers", 0));
  const bool quiet = arguments.has("quiet");
  const bool json = arguments.has("json");

  MORA_TRY(const auto source, trace::open_trace(path));
  const std::string directory = arguments.get("output", result_directory(path));
  MORA_CHECK_OK(make_directories(directory));  // before the long work: a wrong directory shows at once
  Result<analysis::AnalysisResult> analysed = [&] {
    ProgressLine line(!quiet && !json);
    options.progress = line.callback();
    return analysis::analyze(*source, path, options);
  }();
  MORA_TRY(const analysis::AnalysisResult result, std::move(analysed));

  std::map<std::string, std::string> more;
  const std::string experiment = fs::is_directory(path) ? path : fs::path(path).parent_path().string();
  if (const auto manifest = read_file((experiment.empty() ? "." : experiment) + "/manifest.json")) {
    more = report::manifest_facts(*manifest);
  }
  const report::ReportData data = report::build_report(result, analysis::all_metrics(), more);
  const std::string findings = report::findings_json(data);
  MORA_CHECK_OK(cube::write_cubex(result.cube, directory + "/analysis.cubex"));
  MORA_CHECK_OK(write_file_atomically(directory + "/findings.json", findings));
  if (json) {
    std::fwrite(findings.data(), 1, findings.size(), stdout);
  } else if (!quiet) {
    std::fputs(report::short_text(data).c_str(), stdout);
    std::printf("wrote %s/analysis.cubex and findings.json; read more: mora report %s\n", directory.c_str(),
                directory.c_str());
  }
  return 0;
}

}  // namespace

const Verb verb_analyze{
    .name = "analyze",
    .summary = "find wait states and what they cost",
    .description =
        "Reads a trace (an experiment of `mora record`, any OTF2 archive, a trace text), pairs messages and "
        "collective operations, and adds up how long each rank waited where, for whom. Leaves analysis.cubex and "
        "findings.json in the experiment, or beside a lone trace file in <file>.analysis.\n\n"
        "The result does not depend on the number of workers. Damaged traces are analysed as far as they go; what is "
        "missing is listed under data quality. Rules: mora explain NAME.",
    .positionals = {{"TRACE", "experiment directory, traces.otf2 or trace text"}},
    .options = {{"-o,--output", "DIR", "where the results go", "the experiment"},
                {"--workers", "N", "threads", "all cores"},
                {"--quiet", "", "print nothing", ""},
                {"--json", "", "print findings.json", ""}},
    .examples = {{"mora analyze mora-app-4", "analyse an experiment in place"},
                 {"mora analyze scorep/traces.otf2 -o result", "analyse another tool's archive"}},
    .run = run,
};

}  // namespace mora::cli
