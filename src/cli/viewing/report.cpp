/// `mora report`: what an analysis found, as text, JSON, CSV, Markdown or one HTML page.
#include "report/report.h"
#include "report/findings/findings.h"
#include "report/findings/one_sided.h"
#include "report/findings/statistics.h"

#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "cli/analysis/analysed.h"
#include "cli/analysis/report_intervals.h"
#include "cli/command/verbs.h"
#include "cli/terminal/output.h"
#include "cli/viewing/results.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

Result<int> run_report(const Arguments& arguments) {
  MORA_TRY(const bool of_intervals, asks_for_intervals(arguments));
  if (of_intervals) return run_report_intervals(arguments);
  MORA_TRY(const std::string format, output_format(arguments, "json csv markdown html"));
  MORA_TRY(const TextOptions options, text_options(arguments));

  const std::string path = analysed_path(arguments.positionals.at(0));
  const bool statistics = arguments.has("stats"), transfers = arguments.has("transfers");
  if (transfers && (statistics || format == "markdown" || format == "html")) {
    return fail(ErrorKind::usage, "transfers are printed as text, JSON or CSV only",
                statistics ? "--transfers --stats" : "--transfers --" + format);
  }
  if (statistics && (format == "markdown" || format == "html")) {
    return fail(ErrorKind::usage, "statistics are printed as text, JSON or CSV only", "--stats --" + format);
  }
  if (arguments.has("on") && format != "html")
    return fail(ErrorKind::usage, "--on belongs to --html", "", "",
                "`mora predict` prints predictions as text and JSON");
  const bool needs_cube = !statistics && !transfers && format == "csv";
  std::string output = arguments.get("output"), text;
  if (format == "html") {
    MORA_TRY(const auto results, results_of(path));
    MORA_TRY(text, page_of(*results, path, arguments.get("on")));
    std::error_code none;
    if (output.empty()) output = fs::is_directory(path, none) ? path + "/report.html" : "mora-report.html";
    return put_out(output, text);
  }
  MORA_TRY(const Analysed loaded, load_or_analyse(path, needs_cube));

  if (transfers) {
    text = format == "json"  ? report::transfers_json(loaded.data)
           : format == "csv" ? report::transfers_csv(loaded.data)
                             : report::transfers_text(loaded.data, options);
  } else if (statistics && format == "text") {
    text = report::statistics_text(loaded.data, options);
  } else if (statistics) {
    text = format == "json" ? report::statistics_json(loaded.data) : report::statistics_csv(loaded.data);
  } else if (format == "json") {
    text = report::findings_json(loaded.data);
  } else if (format == "csv") {
    text = report::csv_report(loaded.data, *loaded.cube);
  } else if (format == "markdown") {
    text = report::markdown_report(loaded.data, options.top);
  } else {
    text = report::text_report(loaded.data, loaded.cube ? &*loaded.cube : nullptr, options);
  }
  return put_out(output, text);
}

}  // namespace

const Verb verb_report{
    .name = "report",
    .summary = "show the results of the analysis",
    .description =
        "Prints where the time was spent, which ranks waited, and for which: run, verdict, efficiency, metrics, "
        "findings, causes, call paths, ranks, data quality. Each section begins with a line that starts with \"@---\". "
        "The command reads findings.json and analysis.cubex of the experiment; an experiment that is not analysed yet "
        "is analysed now, without keeping the result.\n\n--json prints findings.json (docs/formats/findings.md). --csv "
        "prints a row metric,call_path,rank,value for every value that is not zero; seconds are exact, and the threads "
        "of a rank are added up. --html writes the application of `mora view` as one page that needs no server and no "
        "network; of the timeline it holds the whole run in summary, and every call around the worst waits.\n\n--stats "
        "prints how long single waits were: number, sum, minimum, quartiles and maximum for every wait state and "
        "finding, and the longest waits; with --json or --csv for programs.\n\n--transfers prints how much the ranks "
        "transferred with one-sided operations: a row origin,target,kind,operations,bytes for each pair of ranks and "
        "kind (put, get, atomic).\n\n--intervals prints the efficiency of the program and of every marked interval: "
        "the productive time, and the lost time with its parts, with minimum, maximum and mean over the processes. "
        "--pop prints the efficiency metrics of the POP Centre of Excellence for an interval. --why explains one "
        "number: its formula, operands, call paths, "
        "and the calls in the trace behind it (docs/formats/intervals.md).\n\n--rules chooses among definitions of "
        "efficiency that differ in the literature, as words separated by commas: default; dvm-analyser (all as the DVM "
        "analyser computes them, docs/sources.md); productive=cpu or one-mpi; synchronization=waiting or lateness; "
        "load=computation or execution; send-receive=in-calls or lifetime. docs/formats/intervals.md defines them.",
    .positionals = {{"EXP", "an experiment directory, or any trace; with --intervals or --pop also a .cubex file", 1,
                     1}},
    .options =
        {{"--json", "", "print findings.json", ""},
         {"--csv", "", "print every value: metric,call_path,rank,value", ""},
         {"--markdown", "", "print Markdown, for tickets and CI comments", ""},
         {"--html", "", "write one HTML page", ""},
         {"--on", "FILE", "with --html: a machine model (`mora calibrate`), adds the page What-if", ""},
         {"-o,--output", "FILE", "write to this file (-: standard output)", "standard output; --html: EXP/report.html"},
         {"--stats", "", "instead, print statistics of single waits; text, --json or --csv", ""},
         {"--transfers", "", "instead, print one-sided transfers by origin and target; text, --json or --csv", ""},
         {"--intervals", "", "instead, print efficiency and lost time of each interval; text, --json or --csv", ""},
         {"--why", "NUMBER",
          "instead, explain a number of --intervals: INTERVAL/CHARACTERISTIC or INTERVAL/CHARACTERISTIC/RANK; `mora "
          "compare --names EXP` lists the characteristics",
          ""},
         {"--pop", "", "instead, print the POP metrics of the program or of --interval; text or --json", ""},
         {"--level", "N", "with --intervals: show intervals up to nesting level N; the program is level 0", "all"},
         {"--interval", "X", "show only this interval and those nested in it: 0.2.1, FILE:LINE, FILE:LINE#ID or a name",
          "all"},
         {"--rank", "LIST", "with --intervals: also show these processes one by one, for example 0,4-7 or all",
          "text: none; JSON and CSV: all"},
         {"--metric", "LIST",
          "with --intervals: a table of intervals with these characteristics, separated by commas, for example "
          "lost_time,efficiency; of a single one also minimum, maximum and mean, or with --rank those processes",
          "all, a block for each interval"},
         {"--rules", "WORDS", "definitions of efficiency to use (see above), for example productive=one-mpi",
          "productive=cpu,synchronization=waiting,load=computation,send-receive=in-calls"},
         {"--without-id", "LIST",
          "leave out intervals by id: 1 leaves out all first iterations, solve.c:20#1 those at one place; separate "
          "several by commas",
          ""},
         {"--limit", "N", "with --why: number of calls and call paths to list; 0 = all", "10"},
         {"--top", "N", "number of rows of each list; 0 = all", "10"}},
    .examples = {{"mora report mora-app-4", "text on the terminal"},
                 {"mora report --html mora-app-4", "writes mora-app-4/report.html"},
                 {"mora report --stats mora-app-4", "how long single waits were"},
                 {"mora report --intervals --level 1 mora-app-4", "efficiency of the program and its outer intervals"},
                 {"mora report --intervals --metric lost_time,efficiency mora-app-4", "a row per interval"},
                 {"mora report --why 0/idle_time/3 mora-app-4", "why rank 3 was idle"},
                 {"mora report --csv mora-app-4 | grep ^late-sender", "late senders by call path and rank"}},
    .run = run_report,
};

}  // namespace mora::cli
