/// `mora analyze`: finds the wait states of a trace and writes analysis.cubex and findings.json.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "base/file.h"
#include "cli/analysis/analysed.h"
#include "cli/analysis/analysis_job.h"
#include "cli/analysis/result_directory.h"
#include "cli/analysis/trace_finding.h"
#include "cli/command/verbs.h"
#include "cli/options/bytes_option.h"
#include "cli/options/clock_option.h"
#include "cli/options/count_option.h"
#include "cli/options/interval_options.h"
#include "cli/options/memory_option.h"
#include "cli/terminal/progress_line.h"
#include "cube/cubex.h"
#include "report/findings/findings.h"
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
  if (!quiet) note_memory(options.memory, *source);

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
  MORA_CHECK_OK(write_file_atomically(directory + "/" + critical_path_file, kept_path(result).file_text(findings)));
  MORA_CHECK_OK(
      write_file_atomically(directory + "/" + waiting_over_time_file, result.waiting_over_time.file_text(findings)));
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
  options.path = !arguments.has("trace-finding");
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
      {"-o,--output", "DIR", "directory for the results", "the experiment, or FILE.analysis"},
      {"--workers", "N", "threads per process", "all cores; under mpirun 1"},
      memory_option(),
      {"--window", "N", "exchange at most N messages and collectives between the workers at a time",
       "as --memory allows"},
      {"--carrier", "NAME",
       "how the work is shared: thread (this process alone), mpi (with the other processes of the MPI job), or auto",
       "auto"},
      {"--trace-finding", "ID", "instead, list the events behind a finding, for example f3; nothing is written", ""},
      {"--limit", "N", "number of waits that --trace-finding lists; 0 = all", "20"},
      correct_clocks_option("auto"),
      min_latency_option(),
      application_option()};
  for (Option& option : interval_options()) all.push_back(std::move(option));
  all.push_back({"--quiet", "", "print nothing (errors excepted)", ""});
  all.push_back({"--json", "", "print findings.json (docs/formats/findings.md)", ""});
  return all;
}

}  // namespace

const Verb verb_analyze{
    .name = "analyze",
    .summary = "find wait states and their causes",
    .description =
        "Reads a trace (an experiment of `mora record`, an OTF2 archive of another tool, or any format that `mora info "
        "--formats` lists), matches sends with receives and the members of collective operations, and computes how "
        "long each rank waited, in which call, and for which other rank. The results are analysis.cubex and "
        "findings.json; they are written into the experiment, or for a single trace file into the directory "
        "FILE.analysis beside it. `mora report` shows them.\n\nStarted by mpirun (Open MPI or MPICH), the processes "
        "share the work; any number of them is possible. The result does not depend on the number of threads or "
        "processes. Damaged traces are analysed as far as possible; what is missing is listed under data quality. "
        "`mora explain NAME` shows the definition of each wait state.",
    .positionals = {{"TRACE", "an experiment directory or a trace file (traces.otf2, or another format)"}},
    .options = options(),
    .examples = {{"mora analyze mora-app-4", "analyse an experiment in place"},
                 {"mora analyze scorep/traces.otf2 -o result", "analyse another tool's archive"},
                 {"mora analyze --trace-finding f1 mora-app-4", "the single waits behind finding f1"},
                 {"mpirun -n 8 mora analyze mora-app-4096", "share the work among eight processes"}},
    .run = run_analyze,
};

}  // namespace mora::cli
