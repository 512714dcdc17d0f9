/// `mora report --intervals`, `--pop` and `--why`: reads the cube, makes the interval table, prints one of the three.
#include "cli/analysis/report_intervals.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "analysis/efficiency/interval_table.h"
#include "base/file.h"
#include "base/json/json_document.h"
#include "base/numbers/rank_list.h"
#include "cli/analysis/analysed.h"
#include "cli/options/clock_option.h"
#include "cli/options/count_option.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/quality_notes.h"
#include "report/intervals/why/why.h"
#include "report/pop/pop_json.h"
#include "report/pop/pop_text.h"
#include "trace/intervals/interval_source.h"

namespace mora::cli {
namespace {

constexpr const char* reports[] = {"intervals", "why", "pop"};
/// Options that are valid with these reports only.
constexpr const char* own_options[] = {"level", "interval", "rank", "rules", "without-id", "limit", "metric"};
/// Options that are not valid with these reports.
constexpr const char* foreign_options[] = {"stats", "transfers", "markdown", "html", "top"};

/// The table that the options describe, and the cube it was made from.
struct Asked {
  std::string path;
  Analysed analysed;
  cube::Cube cube;
  analysis::IntervalTable table;
  report::IntervalReportOptions options;
};

Result<Asked> load(const Arguments& arguments) {
  Asked asked;
  analysis::EfficiencyRules rules;
  if (arguments.has("rules")) {
    std::string why;
    const auto parsed = analysis::parse_rules(arguments.get("rules"), &why);
    if (!parsed)
      return fail(ErrorKind::usage, "the rules cannot be understood", "--rules " + arguments.get("rules"), why);
    rules = *parsed;
  }
  if (arguments.has("rank")) {
    MORA_TRY(asked.options.ranks, RankList::parse(arguments.get("rank"), "--rank"));
  }
  if (arguments.has("metric")) {
    MORA_TRY(asked.options.metrics, report::parse_characteristics(arguments.get("metric")));
    if (arguments.has("json"))
      return fail(ErrorKind::usage, "JSON has all characteristics", "--metric --json", "", "leave out --metric");
  }
  if (arguments.has("level")) {
    MORA_TRY(asked.options.level, count_option(arguments, "level", 0));
  }
  if (arguments.has("without-id")) {
    MORA_TRY(asked.options.left_out, report::parse_exclusions(arguments.get("without-id")));
  }
  asked.options.width = terminal_width();
  asked.path = analysed_path(arguments.positionals.at(0));
  MORA_TRY(asked.analysed, load_cells(asked.path));
  asked.cube = std::move(*asked.analysed.cube);
  if (!asked.options.left_out.empty()) {
    MORA_TRY(asked.cube, report::without_intervals(asked.cube, asked.options.left_out));
  }
  asked.table = analysis::interval_table(asked.cube, rules);
  if (asked.table.intervals.empty()) {
    return fail(ErrorKind::unreadable, "the analysis has no call paths", asked.path);
  }
  report::add_quality_notes(asked.analysed.data.quality, asked.cube, asked.table);
  if (asked.cube.find_metric("overlap") == cube::no_id) {
    std::fprintf(stderr,
                 "mora: warning: this analysis was made by an older version of Mora: some characteristics are missing "
                 "and shown as 0; run `mora analyze %s` again\n",
                 asked.path.c_str());
  }
  if (arguments.has("interval")) {
    MORA_TRY(const std::size_t found, interval_of(arguments, asked.table));
    asked.options.interval = found;
  }
  if (arguments.has("rank") &&
      std::none_of(asked.table.intervals[0].processes.begin(), asked.table.intervals[0].processes.end(),
                   [&](const analysis::ProcessAmounts& p) { return asked.options.ranks->holds(p.rank); })) {
    return fail(
        ErrorKind::usage, "the trace has no such ranks", "--rank " + arguments.get("rank"),
        fmt::format("the ranks are 0 to {}",
                    asked.table.intervals[0].processes.empty() ? 0 : asked.table.intervals[0].processes.back().rank));
  }
  return asked;
}

/// The calls behind the number, if the trace is still where it was; at the times that the analysis saw.
Result<report::CallsBehind> behind(const Arguments& arguments, const Asked& asked, const report::Question& question) {
  Arguments where = arguments;
  where.positionals[0] = asked.analysed.data.run.trace;
  auto opened = open_at_corrected_times(where, "auto");
  if (!opened) {  // the experiment was moved
    where.positionals[0] = asked.path;
    opened = open_at_corrected_times(where, "auto");
  }
  MORA_TRY(const auto correction, std::move(opened));
  analysis::AnalyzeOptions options;
  const auto made_with = asked.cube.attributes.find("intervals");
  if (made_with != asked.cube.attributes.end()) options.intervals = trace::interval_options(made_with->second);
  if (question.characteristic == analysis::Characteristic::real_synchronization) {
    return report::waits_behind(*correction.source, where.positionals[0], options, asked.cube, asked.table, question);
  }
  MORA_TRY(const auto with_intervals, trace::with_intervals(*correction.source, options.intervals));
  return report::calls_behind(*with_intervals, asked.cube, asked.table, question);
}

Result<int> why(const Arguments& arguments, const Asked& asked) {
  if (arguments.has("json") || arguments.has("csv")) {
    return fail(ErrorKind::usage, "an explanation is printed as text only",
                arguments.has("json") ? "--why --json" : "--why --csv");
  }
  if (const auto figure = report::why_figure(asked.cube, asked.table, arguments.get("why")))
    return put_out(arguments.get("output"), *figure);
  MORA_TRY(const report::Question question, report::parse_question(arguments.get("why"), asked.table));
  report::WhyOptions options;
  MORA_TRY(options.limit, count_option(arguments, "limit", 10));
  options.width = terminal_width();
  const auto calls = behind(arguments, asked, question);
  return put_out(arguments.get("output"), report::why_text(asked.cube, asked.table, question, calls ? &*calls : nullptr,
                                                           calls ? "" : calls.error().what, options));
}

/// Of the program, or of one interval.
Result<int> pop(const Arguments& arguments, const Asked& asked) {
  if (arguments.has("csv"))
    return fail(ErrorKind::usage, "POP metrics are printed as text or JSON only", "--pop --csv", "",
                "leave out --csv, or use --json");
  const std::size_t interval = asked.options.interval.value_or(0);
  const analysis::PopMetrics metrics = analysis::pop_metrics(asked.cube, asked.table, interval);
  if (arguments.has("json")) {
    JsonDocument json("mora-pop");
    report::pop_fields(json, metrics);
    return put_out(arguments.get("output"), json.finish(asked.analysed.data.quality));
  }
  MORA_TRY(const TextOptions options, text_options(arguments));
  const std::string title = fmt::format("interval {}, {}", report::interval_words(asked.table, interval),
                                        counted(asked.table.intervals[interval].processes.size(), "process"));
  return put_out(arguments.get("output"), report::pop_text(metrics, title, {options}));
}

}  // namespace

Result<std::size_t> interval_of(const Arguments& arguments, const analysis::IntervalTable& table) {
  std::string why;
  const std::size_t found = table.find(arguments.get("interval"), &why);
  if (found == SIZE_MAX) {
    return fail(ErrorKind::usage, why, "--interval " + arguments.get("interval"),
                fmt::format("there are {} intervals, the first is {}", table.intervals.size(),
                            report::interval_words(table, 0)),
                "`mora report --intervals` lists them");
  }
  return found;
}

Result<bool> asks_for_intervals(const Arguments& arguments) {
  int count = 0;
  std::string chosen;
  for (const char* name : reports) {
    if (!arguments.has(name)) continue;
    ++count;
    chosen = std::string("--") + name;
  }
  if (count > 1) {
    return fail(ErrorKind::usage, "more than one report", "", "", "give one of --intervals, --why, --pop");
  }
  for (const char* name : own_options) {
    if (count == 0 && arguments.has(name)) {
      return fail(ErrorKind::usage, std::string("--") + name + " belongs to --intervals, --why or --pop", "", "",
                  "add --intervals");
    }
  }
  if (count == 1 && chosen != "--why" && arguments.has("limit")) {
    return fail(ErrorKind::usage, "--limit belongs to --why", chosen + " --limit");
  }
  for (const char* name : {"level", "interval", "rank", "metric"}) {
    const bool is_taken = chosen == "--intervals" || (chosen == "--pop" && std::string_view(name) == "interval");
    if (count == 1 && !is_taken && arguments.has(name)) {
      return fail(ErrorKind::usage, chosen + " and --" + name + " do not go together", "", "",
                  chosen == "--why" ? "the argument of --why names them: --why INTERVAL/CHARACTERISTIC/RANK"
                                    : "--pop shows one interval and all its processes: --pop --interval X");
    }
  }
  for (const char* name : foreign_options) {
    if (count == 1 && arguments.has(name)) {
      return fail(ErrorKind::usage, chosen + " and --" + name + " do not go together", "", "",
                  "intervals are printed as text, JSON or CSV only");
    }
  }
  return count == 1;
}

Result<int> run_report_intervals(const Arguments& arguments) {
  MORA_TRY(const std::string format, output_format(arguments, "json csv"));
  MORA_TRY(const Asked asked, load(arguments));
  if (arguments.has("why")) return why(arguments, asked);
  if (arguments.has("pop")) return pop(arguments, asked);
  return put_out(arguments.get("output"),
                 format == "json"  ? report::intervals_json(asked.table, asked.options, asked.analysed.data.quality)
                 : format == "csv" ? report::intervals_csv(asked.table, asked.options)
                 : asked.options.metrics.empty() ? report::intervals_text(asked.table, asked.options)
                                                 : report::interval_table_text(asked.table, asked.options));
}

}  // namespace mora::cli
