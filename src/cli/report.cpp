/// `mora report`: what an analysis found, as text, JSON, CSV, Markdown or one HTML page.
#include "report/report.h"
#include "report/statistics.h"

#include <cstdio>
#include <filesystem>

#include "analysis/metric_info.h"
#include "base/file.h"
#include "cli/analysed.h"
#include "cli/count_option.h"
#include "cli/output.h"
#include "cli/report_intervals.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

Result<int> run_report(const Arguments& arguments) {
  MORA_TRY(const bool of_intervals, asks_for_intervals(arguments));
  if (of_intervals) return run_report_intervals(arguments);
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

  const std::string path = analysed_path(arguments.positionals.at(0));
  const bool statistics = arguments.has("stats"), transfers = arguments.has("transfers");
  if (transfers && (statistics || format == "markdown" || format == "html")) {
    return fail(ErrorKind::usage, "the matrix of transfers comes as text, JSON or CSV",
                statistics ? "--transfers --stats" : "--transfers --" + format);
  }
  if (statistics && (format == "markdown" || format == "html")) {
    return fail(ErrorKind::usage, "statistics come as text, JSON or CSV", "--stats --" + format);
  }
  const bool needs_cube = !statistics && !transfers && (format == "csv" || format == "html");
  MORA_TRY(const Analysed loaded, load_or_analyse(path, needs_cube));

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
  return put_out(output, text);
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
        "origin,target,kind,operations,bytes for each pair of ranks and kind (put, get, atomic).\n\n"
        "--intervals prints the efficiency of the program and of every interval that is marked in it: what was "
        "productive, "
        "what was lost and where, with the lowest, highest and mean process; --pop the POP metrics of an interval. "
        "--why explains one "
        "number: its formula, operands, call paths and the calls in the trace behind it (docs/formats/intervals.md).",
    .positionals = {{"EXP", "an experiment directory, or any trace; with --intervals or --pop also a .cubex file", 1,
                     1}},
    .options = {{"--json", "", "findings.json", ""},
                {"--csv", "", "every cell: metric,call_path,rank,value", ""},
                {"--markdown", "", "for tickets and CI comments", ""},
                {"--html", "", "one page for the browser", ""},
                {"-o,--output", "FILE", "write there instead (- is standard output)",
                 "standard output; EXP/report.html"},
                {"--stats", "", "statistics of single waits, as text, --json or --csv", ""},
                {"--transfers", "", "one-sided transfers by origin and target, as text, --json or --csv", ""},
                {"--intervals", "", "efficiency and lost time of each interval, as text, --json or --csv", ""},
                {"--why", "NUMBER", "explain it: INTERVAL/CHARACTERISTIC or INTERVAL/CHARACTERISTIC/RANK", ""},
                {"--pop", "", "POP metrics of the program or of --interval, as text or --json", ""},
                {"--level", "N", "intervals nested no deeper than N; the program is level 0", "all"},
                {"--interval", "X", "only this one and those in it: 0.2.1, FILE:LINE, FILE:LINE#ID or a name", "all"},
                {"--rank", "LIST", "processes that are shown one by one: 0,4-7 or all", "text: none; JSON, CSV: all"},
                {"--rules", "WORDS", "how contradictions of the method are decided: thesis, productive=one-mpi, ...",
                 "default"},
                {"--without-id", "LIST",
                 "leave out intervals by id: 1 drops first iterations, solve.c:20#1 those of one place", ""},
                {"--limit", "N", "--why: calls and call paths listed; 0 = all", "10"},
                {"--top", "N", "rows of each list; 0 = all", "10"}},
    .examples = {{"mora report mora-app-4", "text on the terminal"},
                 {"mora report --html mora-app-4", "writes mora-app-4/report.html"},
                 {"mora report --stats mora-app-4", "how long single waits were"},
                 {"mora report --intervals --level 1 mora-app-4", "efficiency of the program and its outer intervals"},
                 {"mora report --why 0/idle_time/3 mora-app-4", "why rank 3 was idle"},
                 {"mora report --csv mora-app-4 | grep ^late-sender", "late senders by call path and rank"}},
    .run = run_report,
};

}  // namespace mora::cli
