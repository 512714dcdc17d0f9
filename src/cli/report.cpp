/// `mora report`: what an analysis found, as text, JSON, CSV, Markdown or one HTML page.
#include "report/report.h"
#include "report/statistics.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "base/file.h"
#include "cli/count_option.h"
#include "cli/result_directory.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cube/cubex.h"
#include "trace/source.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

struct Loaded {
  report::ReportData data;
  std::optional<cube::Cube> cube;
};

Result<Loaded> load_analysed(const std::string& directory, bool needs_cube) {
  Loaded loaded;
  const std::string findings = directory + "/findings.json", cubex = directory + "/analysis.cubex";
  MORA_TRY(const std::string json, read_file(findings));
  MORA_TRY(loaded.data, report::read_findings(json, findings));
  if (!file_exists(cubex)) {
    if (!needs_cube) return loaded;
    return fail(ErrorKind::unreadable, "this report needs the cells of the analysis", cubex, "the file does not exist",
                "run `mora analyze " + directory + "`");
  }
  MORA_TRY(auto file, cube::read_cubex(cubex));
  loaded.cube = std::move(file.cube);
  return loaded;
}

Result<Loaded> analyse_now(const std::string& path) {
  MORA_TRY(const auto source, trace::open_trace(path));
  std::fprintf(stderr, "mora: note: %s is not analysed yet; analysing it now (`mora analyze %s` keeps the result)\n",
               path.c_str(), path.c_str());
  MORA_TRY(auto result, analysis::analyze(*source, path, {}));
  std::map<std::string, std::string> more;
  if (const auto manifest = read_file(path + "/manifest.json")) more = report::manifest_facts(*manifest);
  Loaded loaded;
  loaded.data = report::build_report(result, analysis::all_metrics(), more);
  loaded.cube = std::move(result.cube);
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
  std::fprintf(stderr, "mora: warning: the trace %s is newer than its analysis; `mora analyze %s` makes a new one\n",
               trace.c_str(), path.c_str());
}

Result<int> run(const Arguments& arguments) {
  std::string format = "text";
  int formats = 0;
  for (const char* name : {"json", "csv", "markdown", "html"}) {
    if (arguments.has(name)) format = name, ++formats;
  }
  if (formats > 1) {
    return fail(ErrorKind::usage, "more than one output format", "", "",
                "give one of --json, --csv, --markdown, --html");
  }
  report::TextOptions options;
  MORA_TRY(options.top, count_option(arguments, "top", 10));

  std::string path = arguments.positionals.at(0);
  const std::string name = fs::path(path).filename().string();
  if (name == "findings.json" || name == "analysis.cubex") path = fs::path(path).parent_path().string();
  if (path.empty()) path = ".";
  const bool statistics = arguments.has("stats"), transfers = arguments.has("transfers");
  if (transfers && (statistics || format == "markdown" || format == "html")) {
    return fail(ErrorKind::usage, "the matrix of transfers comes as text, JSON or CSV",
                statistics ? "--transfers --stats" : "--transfers --" + format);
  }
  if (statistics && (format == "markdown" || format == "html")) {
    return fail(ErrorKind::usage, "statistics come as text, JSON or CSV", "--stats --" + format);
  }
  const bool needs_cube = !statistics && !transfers && (format == "csv" || format == "html");
  const std::string results = result_directory(path);
  const bool analysed = file_exists(results + "/findings.json");
  if (analysed) warn_if_stale(path, results);
  MORA_TRY(const Loaded loaded, analysed ? load_analysed(results, needs_cube) : analyse_now(path));

  std::string output = arguments.get("output");
  std::string text;
  if (transfers) {
    text = format == "json"  ? report::transfers_json(loaded.data)
           : format == "csv" ? report::transfers_csv(loaded.data)
                             : report::transfers_text(loaded.data, options.top);
  } else if (statistics && format == "text") {
    text = report::statistics_text(loaded.data, {terminal_width(), options.top, output.empty() && use_colour()});
  } else if (statistics) {
    text = format == "json" ? report::statistics_json(loaded.data) : report::statistics_csv(loaded.data);
  } else if (format == "json") {
    text = report::findings_json(loaded.data);
  } else if (format == "csv") {
    text = report::csv_report(loaded.data, *loaded.cube);
  } else if (format == "markdown") {
    text = report::markdown_report(loaded.data, options.top);
  } else if (format == "html") {
    text = report::html_report(loaded.data, *loaded.cube, analysis::all_metrics());
    if (output.empty()) output = fs::is_directory(path) ? path + "/report.html" : "mora-report.html";
  } else {
    options.width = terminal_width();
    options.colour = output.empty() && use_colour();
    text = report::text_report(loaded.data, loaded.cube ? &*loaded.cube : nullptr, options);
  }
  if (output.empty() || output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    MORA_CHECK_OK(write_file_atomically(output, text));
    std::printf("wrote %s\n", output.c_str());
  }
  return 0;
}

}  // namespace

const Verb verb_report{
    .name = "report",
    .summary = "show what the analysis found",
    .description =
        "Prints where the time went and who waited for whom: run, verdict, metric tree, findings, call paths, ranks, "
        "data "
        "quality. Sections begin with \"@---\" to grep for. It reads findings.json and analysis.cubex of the "
        "experiment; "
        "one that is not analysed yet is analysed on the fly, without keeping the result.\n\n"
        "--json prints findings.json (docs/formats/findings.md). --csv prints a row metric,call_path,rank,value for "
        "every "
        "cell that is not zero; seconds are exact, threads are added to their rank. --html writes one self-contained "
        "page "
        "that needs no network.\n\n--stats prints how long single waits were: count, sum, least, quartiles and most "
        "of every wait state and finding, and its most severe waits; with --json or --csv for programs.\n\n"
        "--transfers prints who moved how much to and from whom with one-sided operations: a row "
        "origin,target,kind,operations,bytes for each pair of ranks and kind (put, get, atomic).",
    .positionals = {{"EXP", "an experiment directory, or any trace", 1, 1}},
    .options = {{"--json", "", "findings.json", ""},
                {"--csv", "", "every cell: metric,call_path,rank,value", ""},
                {"--markdown", "", "for tickets and CI comments", ""},
                {"--html", "", "one page for the browser", ""},
                {"-o,--output", "FILE", "write there instead (- is standard output)",
                 "standard output; EXP/report.html"},
                {"--stats", "", "statistics of single waits, as text, --json or --csv", ""},
                {"--transfers", "", "one-sided transfers by origin and target, as text, --json or --csv", ""},
                {"--top", "N", "rows of each list; 0 = all", "10"}},
    .examples = {{"mora report mora-app-4", "text on the terminal"},
                 {"mora report --html mora-app-4", "writes mora-app-4/report.html"},
                 {"mora report --stats mora-app-4", "how long single waits were"},
                 {"mora report --csv mora-app-4 | grep ^late-sender", "late senders by call path and rank"}},
    .run = run,
};

}  // namespace mora::cli
