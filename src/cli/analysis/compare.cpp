/// `mora compare`: what changed between runs, and conditions on it for continuous integration (report/compare/).
#include <charconv>
#include <cstdio>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/analysis/compare_runs.h"
#include "cli/command/verbs.h"
#include "cli/options/count_option.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "report/compare/compare_report.h"
#include "report/compare/history.h"

namespace mora::cli {
namespace {

using compare::Beside;
using compare::Comparison;

tl::unexpected<Error> usage(const std::string& what, const std::string& where, const std::string& help = {}) {
  return fail(ErrorKind::usage, what, where, "", help);
}

std::vector<std::string> all_of(const Arguments& arguments, const std::string& name) {
  const auto found = arguments.options.find(name);
  return found == arguments.options.end() ? std::vector<std::string>{} : found->second;
}

Result<void> check_options(const Arguments& arguments) {
  const bool history = arguments.has("history");
  for (const char* name : {"picture", "figure"}) {
    if (arguments.has(name) && !history) return usage(fmt::format("--{} belongs to --history", name), "");
  }
  for (const char* name : {"scaling", "one-process", "by"}) {
    if (arguments.has(name) && history) return usage(fmt::format("--{} cannot be used with --history", name), "");
  }
  for (const char* name : {"extrapolate", "interval"}) {
    if (arguments.has(name) && !arguments.has("scaling"))
      return usage(fmt::format("--{} belongs to --scaling", name), "", "add --scaling strong or --scaling weak");
  }
  if (arguments.has("csv") && (arguments.has("scaling") || arguments.has("one-process")))
    return usage("scaling tables and one-process comparisons are printed as text or JSON only", "--csv");
  return {};
}

/// Conditions are parsed before anything is read, so that a typing error is reported before a long analysis.
Result<std::vector<compare::Condition>> parse_conditions(const Arguments& arguments) {
  std::vector<compare::Condition> conditions;
  for (const std::string& text : all_of(arguments, "fail-if")) {
    MORA_TRY(auto condition, compare::parse_condition(text));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

Result<std::vector<std::uint32_t>> parse_processes(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  constexpr std::uint32_t most = 100'000'000;
  while (at < end) {
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    const bool ends = stop == end || *stop == ',';
    if (error != std::errc{} || number == 0 || number > most || !ends)
      return usage("'" + text + "' is not a list of numbers of processes", "--extrapolate", "for example: 64,128");
    numbers.push_back(number);
    at = stop == end ? end : stop + 1;
  }
  if (numbers.empty()) return usage("no number of processes is given", "--extrapolate", "for example: 64,128");
  return numbers;
}

Result<analysis::ScalingTable> scaling(const Arguments& arguments, const Comparison& comparison, std::string& title) {
  const std::string kind = arguments.get("scaling");
  if (kind != "strong" && kind != "weak")
    return usage("'" + kind + "' is not a kind of scaling", "--scaling", "strong or weak");
  std::vector<std::uint32_t> extrapolate;
  if (arguments.has("extrapolate")) {
    MORA_TRY(extrapolate, parse_processes(arguments.get("extrapolate")));
  }
  if (comparison.intervals().roots().empty())
    return fail(ErrorKind::unreadable, "these results have no call paths", "--scaling");
  std::size_t interval = comparison.intervals().roots().front();
  if (arguments.has("interval")) {
    std::string why;
    interval = comparison.find_interval(arguments.get("interval"), &why);
    if (interval == compare::none) return fail(ErrorKind::usage, "there is no such interval", "--interval", why);
    title = "interval " + comparison.interval_label(interval);
  }
  std::vector<analysis::ScalingRun> runs;
  const auto& node = comparison.intervals().nodes()[interval];
  for (std::size_t r = 0; r < comparison.runs().size(); ++r) {
    if (node.own[r] == compare::none) continue;
    const compare::Run& run = comparison.runs()[r];
    runs.push_back({run.name, analysis::pop_metrics(run.cube, run.table, node.own[r])});
  }
  auto table = analysis::scaling_table(
      std::move(runs), kind == "weak" ? analysis::Scaling::weak : analysis::Scaling::strong, std::move(extrapolate));
  for (std::size_t r = 0; r < comparison.runs().size(); ++r) {
    if (node.own[r] == compare::none)
      table.notes.push_back(comparison.runs()[r].name + " is left out, because it does not have this interval");
  }
  return table;
}

/// Said before traces are read and analysed, which may take long. Groups and patterns hold more runs than arguments.
void say_if_runs_are_too_few(const Arguments& arguments) {
  const std::vector<std::string>& given = arguments.positionals;
  const bool has_groups = std::any_of(given.begin(), given.end(), [](const std::string& run) {
    return run.find_first_of(",*?[=") != std::string::npos;
  });
  if (!arguments.has("extrapolate") || has_groups || given.size() >= analysis::fewest_runs) return;
  std::fprintf(
      stderr,
      "mora: note: not enough runs to extrapolate: %zu given, runs with %zu different numbers of processes are "
      "needed\n",
      given.size(), analysis::fewest_runs);
}

/// Intervals are matched as between compared runs. With several runs, differences up to their spread count as
/// agreement.
report::OneProcessComparison one_process(const Comparison& comparison, const compare::Run& run,
                                         const compare::Run& one) {
  compare::UnitedTree tree;
  tree.add(compare::interval_tree(run.cube, run.table));
  tree.add(compare::interval_tree(one.cube, one.table));
  std::vector<std::pair<std::size_t, std::size_t>> matches;
  for (const auto& node : tree.nodes()) {
    if (node.own[0] != compare::none && node.own[1] != compare::none) matches.emplace_back(node.own[0], node.own[1]);
  }
  const auto& last = comparison.configurations().back();
  const compare::Figure* productive = comparison.catalogue().find("productive_time");
  if (last.runs.size() < 2 || productive == nullptr || comparison.intervals().roots().empty())
    return report::one_process_comparison(run.table, one.table, matches);
  const auto spread = comparison.interval_figure(comparison.intervals().roots().front(), *productive).values.back();
  const double mean = spread.number();
  return report::one_process_comparison(run.table, one.table, matches,
                                        mean > 0 ? static_cast<double>(spread.range().amount) / mean : 0);
}

std::string names(const Comparison& comparison) {
  return text_of({{{"key", 36, 0, true}, {"kind", 15, 1, true}, {"unit", 6, 1, true}, {"name", 0, 1, true}},
                  comparison.catalogue().all(),
                  [](const compare::Figure& figure) {
                    return Cells{figure.key, to_string(figure.kind), compare::unit_name(figure.unit), figure.name};
                  }},
                 {.has_heading = false});
}

Result<std::string> history_of(const Arguments& arguments, const Comparison& comparison, const Beside& beside,
                               const std::string& format, const compare::CompareTextOptions& options) {
  MORA_TRY(const compare::History history, compare::make_history(comparison, all_of(arguments, "figure")));
  if (arguments.has("picture")) {
    const std::string picture = arguments.get("picture");
    MORA_CHECK_OK(write_file_atomically(picture, compare::history_picture(history)));
    std::fprintf(stderr, "mora: wrote %s\n", picture.c_str());
  }
  if (format == "json") return compare::history_json(history, beside);
  if (format == "csv") return compare::history_csv(history);
  if (format == "markdown") return compare::history_markdown(history, beside);
  return compare::history_text(history, beside, options);
}

Result<int> run_compare(const Arguments& arguments) {
  MORA_CHECK_OK(check_options(arguments));
  MORA_TRY(const std::string format, output_format(arguments, "json csv markdown"));
  MORA_TRY(const auto conditions, parse_conditions(arguments));
  MORA_TRY(const TextOptions text_style, text_options(arguments));
  compare::CompareTextOptions options{text_style};
  if (arguments.has("all")) options.top = 0;
  options.by = arguments.get("by", "time");
  const std::string output = arguments.get("output");
  RunReading reading;
  if (arguments.has("rules")) {
    std::string why;
    const auto parsed = analysis::parse_rules(arguments.get("rules"), &why);
    if (!parsed) return fail(ErrorKind::usage, "the rules cannot be understood", "--rules", why);
    reading.rules = *parsed;
  }
  if (arguments.has("without-id")) {
    MORA_TRY(reading.left_out, report::parse_exclusions(arguments.get("without-id")));
  }

  say_if_runs_are_too_few(arguments);
  const bool is_history = arguments.has("history");
  MORA_TRY(auto given,
           is_history ? load_history(arguments.positionals, reading) : load_runs(arguments.positionals, reading));
  const Comparison comparison(std::move(given.runs), std::move(given.configurations));
  if (arguments.has("names")) {
    MORA_CHECK_OK(put_out(output, names(comparison)));
    return 0;
  }
  if (!is_history && compare::metric_figure(comparison, options.by) == nullptr && arguments.has("by"))
    return usage("there is no metric " + options.by, "--by", "`mora compare --names EXP` lists the metrics");

  Beside beside;
  const auto texts = all_of(arguments, "fail-if");
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    MORA_TRY(auto verdict, compare::evaluate(conditions[i], comparison));
    beside.conditions.push_back({texts[i], std::move(verdict)});
  }
  if (arguments.has("scaling")) {
    MORA_TRY(beside.scaling, scaling(arguments, comparison, beside.scaling_of));
  }
  compare::Run one;
  if (arguments.has("one-process")) {
    MORA_TRY(one, load_run(arguments.get("one-process"), reading));
    const compare::Run& last = comparison.runs()[comparison.configurations().back().runs.front()];
    const std::string differ = report::different_programs(last.cube, one.cube);
    beside.one_process = one_process(comparison, last, one);
    if (const std::string why = differ.empty() ? beside.one_process->why_not : differ; !why.empty())
      return fail(ErrorKind::usage, "this run cannot be compared as the one-process run", one.name, why);
    beside.of_run = &last.table;
    beside.of_one = &one.table;
  }

  std::string text;
  if (is_history) {
    MORA_TRY(text, history_of(arguments, comparison, beside, format, options));
  } else {
    text = format == "json"       ? compare::compare_json(comparison, beside)
           : format == "csv"      ? compare::compare_csv(comparison)
           : format == "markdown" ? compare::compare_markdown(comparison, beside, options)
                                  : compare::compare_text(comparison, beside, options);
  }
  MORA_CHECK_OK(put_out(output, text));
  for (const auto& condition : beside.conditions) {
    if (!condition.verdict.holds) continue;
    std::fprintf(stderr, "mora: failed: --fail-if '%s'\n", condition.text.c_str());
    for (const std::string& reason : condition.verdict.reasons) std::fprintf(stderr, "  %s\n", reason.c_str());
  }
  return beside.failed() ? 1 : 0;
}

}  // namespace

const Verb verb_compare{
    .name = "compare",
    .summary = "show what changed between runs, by interval, call path and wait state",
    .description =
        "The first run is the reference; differences are the later run minus the first. Intervals and call paths are "
        "matched by their path. Where lines moved, functions were renamed or the number of processes changed, they are "
        "matched by what is around and below them; such matches are marked with \"~\". What only some of the runs have "
        "is listed.\n\nRUN is an experiment, a trace, or a .cubex file. Several runs of one configuration can be given "
        "as one argument, with commas or as a quoted pattern, and with a name: before=run1,run2 'after=new-*'. Values "
        "are then means over these runs, and differences that are not larger than the run-to-run spread are marked "
        "with \"±\".\n\n--fail-if sets the exit code to 1 if its condition holds. A condition is NAME [@ INTERVAL] OP "
        "NUMBER, combined with and, or, not and parentheses. NAME is a characteristic of intervals (efficiency, "
        "lost_time), a POP metric (load_balance), or a metric (late-sender); it means the value of the last run. "
        "delta(NAME) and ratio(NAME) compare the last run with the first; a difference inside the spread counts as no "
        "change. NUMBER may have a unit: 5%, 10ms, 1MiB. A condition can also be checked on a single run. --names "
        "lists all names.\n\n--scaling prints a scaling table of the runs. --one-process compares the predicted "
        "one-process time with a measured one. --history prints key figures of many runs in their order, with "
        "--picture also as an SVG picture. Meaning of the numbers, and formats: docs/formats/compare.md.",
    .positionals = {{"RUN", "runs to compare; with --history also directories of experiments", 1, -1}},
    .options =
        {{"--json", "", "print everything as JSON, exact", ""},
         {"--csv", "", "print every figure of every interval and call path as CSV", ""},
         {"--markdown", "", "print Markdown, for CI comments", ""},
         {"-o,--output", "FILE", "write to this file", "standard output"},
         {"--all", "", "show all rows of all lists", ""},
         {"--top", "N", "number of rows of each list; 0 = all", "10"},
         {"--by", "METRIC", "the metric whose difference is shown by interval and call path", "time"},
         {"--fail-if", "EXPR", "exit with code 1 if this condition holds; may be repeated", ""},
         {"--names", "", "list the names that conditions can use, and do nothing else", ""},
         {"--scaling", "KIND",
          "print a scaling table of all runs; KIND is strong (same problem) or weak (problem grows with the processes)",
          ""},
         {"--extrapolate", "LIST",
          "with --scaling: estimate efficiencies for these numbers of processes, for example 64,128", ""},
         {"--interval", "I", "with --scaling: the table of this interval", "the program"},
         {"--one-process", "RUN", "compare this measured run of one process with the prediction from the last run", ""},
         {"--history", "", "print key figures of all runs, in the order given", ""},
         {"--figure", "NAME", "with --history: show this figure, NAME or 'NAME @ INTERVAL'; may be repeated",
          "key figures"},
         {"--picture", "FILE", "with --history: also draw it, as SVG", ""},
         {"--rules", "RULES", "variants of the definitions of efficiency (see mora report --help)", "as mora report"},
         {"--without-id", "LIST", "leave out intervals by id, for example 1 or solve.c:20#1 (see mora report --help)",
          ""}},
    .examples = {{"mora compare before after", "text, largest changes first"},
                 {"mora compare --fail-if 'parallel_efficiency < 0.8' mora-app-4",
                  "for CI: exit code 1 if the efficiency is too low"},
                 {"mora compare 'old=base-*' 'new=change-*' --fail-if 'delta(execution_time) > 5%'",
                  "several runs of each version: only differences larger than their spread count"},
                 {"mora compare --scaling strong --extrapolate 64,128 run4 run8 run16",
                  "how the program scales, and an estimate for more processes"},
                 {"mora compare --history nightly --picture history.svg", "all experiments in a directory, by date"}},
    .run = run_compare,
    .check_failed = "a condition of --fail-if holds",
};

}  // namespace mora::cli
