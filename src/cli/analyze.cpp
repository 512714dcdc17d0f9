/// `mora analyze`: wait states of a trace -> analysis.cubex and findings.json.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "base/file.h"
#include "cli/analysis_job.h"
#include "cli/clock_option.h"
#include "cli/count_option.h"
#include "cli/interval_options.h"
#include "cli/progress_line.h"
#include "cli/result_directory.h"
#include "cli/trace_finding.h"
#include "cli/verbs.h"
#include "cube/cubex.h"
#include "report/report.h"
#include "trace/source.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

/// What this process does; `job` = nullptr: everything.
Result<int> run_share(const Arguments& arguments, analysis::AnalyzeOptions options, AnalysisJob* job) {
  const std::string path = arguments.positionals.at(0);
  const bool is_first = job == nullptr || job->is_first();
  const bool quiet = arguments.has("quiet");
  const bool json = arguments.has("json");

  MORA_TRY(const auto correction, open_at_corrected_times(arguments, "auto"));
  const auto& source = correction.source;
  if (!is_first) {
    MORA_CHECK_OK(analysis::analyze(*source, path, options, job->carrier()));
    return 0;
  }
  const std::string directory = arguments.get("output", result_directory(path));
  MORA_CHECK_OK(make_directories(directory));  // before the long work: a wrong directory shows at once
  Result<analysis::AnalysisResult> analysed = [&] {
    ProgressLine line(!quiet && !json);
    options.progress = line.callback();
    return job != nullptr ? analysis::analyze(*source, path, options, job->carrier())
                          : analysis::analyze(*source, path, options);
  }();
  MORA_TRY(analysis::AnalysisResult result, std::move(analysed));

  std::map<std::string, std::string> more;
  const std::string experiment = fs::is_directory(path) ? path : fs::path(path).parent_path().string();
  if (const auto manifest = read_file((experiment.empty() ? "." : experiment) + "/manifest.json")) {
    more = report::manifest_facts(*manifest);
    for (QualityRow& row : report::manifest_quality(*manifest)) result.quality.add(std::move(row));
  }
  const std::string clock_line = trace::clock_report_line(*correction.report);
  std::error_code none_there;
  fs::remove(directory + "/clocks.json", none_there);
  if (!clock_line.empty()) {
    more["clocks"] = clock_line.substr(0, clock_line.size() - 1);
    MORA_CHECK_OK(write_file_atomically(directory + "/clocks.json",
                                        trace::clock_report_json(*correction.report, source->definitions())));
  }
  const report::ReportData data = report::build_report(result, analysis::all_metrics(), more);
  const std::string findings = report::findings_json(data);
  MORA_CHECK_OK(cube::write_cubex(result.cube, directory + "/analysis.cubex"));
  MORA_CHECK_OK(write_file_atomically(directory + "/findings.json", findings));
  if (json) {
    std::fwrite(findings.data(), 1, findings.size(), stdout);
  } else if (!quiet) {
    std::fputs(report::short_text(data).c_str(), stdout);
    std::fputs(clock_line.c_str(), stdout);
    std::printf("wrote %s/analysis.cubex and findings.json; read more: mora report %s\n", directory.c_str(),
                directory.c_str());
  }
  return 0;
}

Result<analysis::AnalyzeOptions> options_of(const Arguments& arguments) {
  analysis::AnalyzeOptions options;
  MORA_TRY(options.workers, count_option(arguments, "workers", 0));
  MORA_TRY(options.memory, bytes_option(arguments, "memory"));
  MORA_TRY(options.window, count_option(arguments, "window", 0));
  MORA_CHECK_OK(read_interval_options(arguments, options));
  return options;
}

Result<int> run_analyze(const Arguments& arguments) {
  auto options = options_of(arguments);
  if (arguments.has("trace-finding")) {
    MORA_CHECK_OK(options);
    return run_trace_finding(arguments, *options);
  }
  // mpirun has spread the processes over the cores: one thread each. A job is joined first, so that errors are told
  // once.
  const unsigned partitions = std::max(1U, options ? options->workers : 1U);
  MORA_TRY(const auto job, AnalysisJob::join(arguments.get("carrier", "auto"), partitions));
  const auto share = [&]() -> Result<int> {
    MORA_CHECK_OK(options);
    if (job != nullptr) options->workers = partitions;
    return run_share(arguments, *options, job.get());
  };
  return job == nullptr ? share() : job->run(share);
}

std::vector<Option> options() {
  std::vector<Option> all = {
      {"-o,--output", "DIR", "where the results go", "the experiment"},
      {"--workers", "N", "threads of each process", "all cores; under mpirun 1"},
      {"--memory", "SIZE", "keep each process to so much memory: 500M, 2G; the rest goes to $TMPDIR", "no limit"},
      {"--window", "N", "most messages and collectives exchanged at a time", "as --memory allows"},
      {"--carrier", "NAME", "auto, thread, or mpi: share the work with the other processes", "auto"},
      {"--trace-finding", "ID", "list the events behind a finding, for example f3; writes nothing", ""},
      {"--limit", "N", "waits that --trace-finding lists; 0 = all", "20"},
      correct_clocks_option("auto"),
      min_latency_option()};
  for (Option& option : interval_options()) all.push_back(std::move(option));
  all.push_back({"--quiet", "", "print nothing", ""});
  all.push_back({"--json", "", "print findings.json", ""});
  return all;
}

}  // namespace

const Verb verb_analyze{
    .name = "analyze",
    .summary = "find wait states and what they cost",
    .description =
        "Reads a trace (an experiment of `mora record`, any OTF2 archive, a trace text), pairs messages and "
        "collective operations, and adds up how long each rank waited where, for whom. Leaves analysis.cubex and "
        "findings.json in the experiment, or beside a lone trace file in <file>.analysis.\n\n"
        "Under mpirun the processes share the work: each reads its part of the ranks; any number of them will do, "
        "started by Open MPI or MPICH. The result does not depend on the number of workers or processes. Damaged "
        "traces are analysed as far as they go; what is "
        "missing is listed under data quality. Rules: mora explain NAME.",
    .positionals = {{"TRACE", "experiment directory, traces.otf2 or trace text"}},
    .options = options(),
    .examples = {{"mora analyze mora-app-4", "analyse an experiment in place"},
                 {"mora analyze scorep/traces.otf2 -o result", "analyse another tool's archive"},
                 {"mora analyze --trace-finding f1 mora-app-4", "every wait that f1 is made of"},
                 {"mpirun -n 8 mora analyze mora-app-4096", "share the work among eight processes"}},
    .run = run_analyze,
};

}  // namespace mora::cli
