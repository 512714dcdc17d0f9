/// `mora advise`: the most probable cause of the largest loss, found step by step (report/advice/).
#include <cstdio>
#include <optional>

#include "analysis/efficiency/interval_table.h"
#include "base/file.h"
#include "cli/analysis/analysed.h"
#include "cli/analysis/report_intervals.h"
#include "cli/command/verbs.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "report/advice/advice.h"
#include "report/findings/of_interval.h"
#include "report/intervals/exclusion.h"
#include "report/one_process/one_process.h"
#include "trace/text/event_text.h"

namespace mora::cli {
namespace {

namespace advice = report::advice;

Result<advice::Thresholds> thresholds_of(const Arguments& arguments) {
  advice::Thresholds thresholds;
  const auto given = arguments.options.find("threshold");
  if (given == arguments.options.end()) return thresholds;
  for (const std::string& assignment : given->second) MORA_CHECK_OK(thresholds.set(assignment));
  return thresholds;
}

/// "90" and "1.5" are seconds, "200ms" is what it says.
Result<Nanoseconds> seconds_of(const std::string& text) {
  const bool is_bare = text.find_first_not_of("0123456789.") == std::string::npos;
  MORA_TRY(const Nanoseconds time, trace::parse_duration(is_bare ? text + "s" : text));
  if (time <= 0) return fail(ErrorKind::usage, "the time must be greater than 0", "--enough-time " + text);
  return time;
}

Result<int> run_advise(const Arguments& arguments) {
  MORA_TRY(const std::string format, output_format(arguments, "json markdown"));
  const bool json = format == "json", markdown = format == "markdown";
  MORA_TRY(const advice::Thresholds thresholds, thresholds_of(arguments));
  if (arguments.has("list-rules")) {
    if (markdown) return fail(ErrorKind::usage, "rules are printed as text or JSON only", "--list-rules --markdown");
    return put_out(arguments.get("output"),
                   json ? advice::rules_json(thresholds) : advice::rules_text(thresholds, terminal_width()));
  }
  if (arguments.has("interval") && arguments.has("one-process"))
    return fail(ErrorKind::usage, "the one-process run is compared with the whole program", "--interval --one-process",
                "", "leave out one of them");
  if (arguments.positionals.empty()) {
    return fail(ErrorKind::usage, "no experiment is given", "", "", "mora advise EXP, or mora advise --list-rules");
  }
  MORA_TRY(const TextOptions options, text_options(arguments));

  std::optional<Nanoseconds> enough_time;
  if (arguments.has("enough-time")) {
    MORA_TRY(enough_time, seconds_of(arguments.get("enough-time")));
  }
  std::vector<report::Exclusion> left_out;
  if (arguments.has("without-id")) {
    MORA_TRY(left_out, report::parse_exclusions(arguments.get("without-id")));
  }

  MORA_TRY(Analysed loaded, load_or_analyse(analysed_path(arguments.positionals.front()), true));
  if (!left_out.empty()) {
    MORA_TRY(*loaded.cube, report::without_intervals(*loaded.cube, left_out));
  }
  analysis::IntervalTable table = analysis::interval_table(*loaded.cube);
  if (arguments.has("interval")) {
    MORA_TRY(const std::size_t interval, interval_of(arguments, table));
    report::IntervalResults inside = report::of_interval(loaded.data, *loaded.cube, table, interval);
    loaded.data = std::move(inside.data);
    loaded.cube = std::move(inside.cube);
    table = analysis::interval_table(*loaded.cube);
  }
  std::optional<report::OneProcessComparison> comparison;
  if (arguments.has("one-process")) {
    const std::string where = arguments.get("one-process");
    MORA_TRY(Analysed one, load_or_analyse(analysed_path(where), true));
    if (!left_out.empty()) {
      MORA_TRY(*one.cube, report::without_intervals(*one.cube, left_out));
    }
    const analysis::IntervalTable one_table = analysis::interval_table(*one.cube);
    comparison = report::one_process_comparison(table, one_table, report::same_paths(table, one_table),
                                                thresholds[advice::Threshold::one_process]);
    const std::string differ = report::different_programs(*loaded.cube, *one.cube);
    if (const std::string why = differ.empty() ? comparison->why_not : differ; !why.empty()) {
      return fail(ErrorKind::usage, "this run cannot be compared as the one-process run", where, why);
    }
  }
  const advice::Input input{loaded.data, *loaded.cube,
                            table,       comparison ? &*comparison : nullptr,
                            enough_time, left_out.empty() ? "" : report::exclusion_words(left_out)};
  const advice::Advice result = advice::advise(input, thresholds);
  if (json) return put_out(arguments.get("output"), advice::advice_json(result, loaded.data.quality));
  if (markdown) return put_out(arguments.get("output"), advice::advice_markdown(result, options.top));
  return put_out(arguments.get("output"), advice::advice_text(result, options));
}

}  // namespace

const Verb verb_advise{
    .name = "advise",
    .summary = "name the most probable cause of the largest loss, and what to try",
    .description =
        "Looks for the cause of lost time, step by step. It splits the lost time of the program into its parts "
        "(repeated computation, communication, idle time, MPI without communication, cost of measurement), follows "
        "each part that "
        "is large enough down to the interval of the program that has most of it, and applies rules there: load "
        "imbalance, time variation of collectives, imbalances that cancel out or lie earlier, input and output, "
        "missing overlap, small messages, late senders with one cause, contention for locks, and others. It prints "
        "these steps, and for every conclusion the evidence, what to try, an upper bound of the gain, and the "
        "confidence. If no rule finds enough evidence there is no advice; \"nothing to gain here\" is a possible "
        "answer.\n\n--list-rules prints all rules with conditions, thresholds and sources. The results of `mora "
        "analyze` are read; an experiment that is not analysed yet is analysed now, without keeping the result. "
        "Meaning of the numbers, and the JSON format: docs/formats/advice.md.",
    .positionals = {{"EXP", "an experiment directory, or any trace", 0, 1}},
    .options = {{"--json", "", "print JSON (docs/formats/advice.md)", ""},
                {"--markdown", "", "print Markdown, for tickets and CI comments", ""},
                {"--one-process", "EXP1",
                 "a run of the same program with one process: compare its time with the predicted one", ""},
                {"--threshold", "NAME=VALUE", "set a threshold of the rules; may be repeated", "see --list-rules"},
                {"--enough-time", "SECONDS",
                 "a run time that is short enough: no advice if the run takes no longer, whatever its efficiency", ""},
                {"--interval", "X", "advice for this interval only: 0.2.1, FILE:LINE, FILE:LINE#ID, or a name", ""},
                {"--without-id", "LIST",
                 "leave out intervals by id, for example 1 or solve.c:20#1 (see mora report --help)", ""},
                {"--list-rules", "", "print all rules and thresholds, and do nothing else", ""},
                {"-o,--output", "FILE", "write to this file (-: standard output)", "standard output"},
                {"--top", "N", "number of conclusions to print; 0 = all", "10"}},
    .examples = {{"mora advise mora-app-4", "what to do about this run"},
                 {"mora advise --one-process mora-app-1 mora-app-4", "also checks the predicted one-process time"},
                 {"mora advise --enough-time 60 mora-app-4", "no advice if the run takes at most a minute"},
                 {"mora advise --without-id 1 mora-app-4",
                  "without the first iteration, if iterations are numbered from 1"},
                 {"mora advise --interval 0.1 mora-app-4", "the main loop only"},
                 {"mora advise --threshold loss=0.01 mora-app-4", "examine smaller losses, too"}},
    .run = run_advise,
};

}  // namespace mora::cli
