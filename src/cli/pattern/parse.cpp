/// `mora pattern parse`: one communication pattern of the whole application, per phase, from the traces of all ranks.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "cli/command/verbs.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress_line.h"
#include "predict/pattern/parse/parse.h"
#include "trace/text/event_text.h"

namespace mora::cli {
namespace {

std::string summary(const predict::ParseResult& r, const std::string& output) {
  std::string text =
      fmt::format("{} processes, {} records read, {} written, {} phase{}, {} communicator{}\n", r.world_size,
                  r.records_read, r.records_written, r.phases.size() - 1, r.phases.size() == 2 ? "" : "s",
                  r.communicators.size(), r.communicators.size() == 1 ? "" : "s");
  if (r.bytes_read != 0)
    text += fmt::format(
        "{} bytes of traces, {} bytes written: {:.1f} % less\n", r.bytes_read, r.bytes_written,
        predict::reduction_percent(static_cast<double>(r.bytes_read), static_cast<double>(r.bytes_written)));
  for (std::size_t i = 1; i < r.phases.size(); ++i) {
    const auto& p = r.phases[i];
    if (i <= 20)
      text += fmt::format("phase {} ({}): {} records in {} visit{}\n", p.name, p.file, p.written, p.visits,
                          p.visits == 1 ? "" : "s");
  }
  if (r.phases.size() > 21) text += fmt::format("… {} more phases\n", r.phases.size() - 21);
  return text + "written: " + output + "\n";
}

std::string one_text(const std::map<std::string, std::string>& files) {
  std::string text;
  for (const auto& [name, content] : files)
    text += fmt::format("{}==> {} <==\n{}", text.empty() ? "" : "\n", name, content);
  return text;
}

Result<int> run_pattern_parse(const Arguments& arguments) {
  const std::string& input = arguments.positionals[0];
  const bool json = arguments.has("json"), quiet = arguments.has("quiet");
  std::error_code failed;
  const auto folder = std::filesystem::is_directory(input, failed) ? std::filesystem::path(input)
                                                                   : std::filesystem::path(input).parent_path();
  const std::string output = arguments.get("output", (folder / "parserOutput").string());
  ProgressLine line(!quiet && !json);
  if (arguments.has("loops") && arguments.has("counts"))
    return fail(ErrorKind::usage, "--loops and --counts cannot be given together");
  const auto form = arguments.has("loops")    ? predict::ParseForm::loops
                    : arguments.has("counts") ? predict::ParseForm::counts
                                              : predict::ParseForm::records;
  const predict::ParseOptions options{.form = form, .records = json};
  const bool to_standard_output = output == "-";
  std::map<std::string, std::string> files;
  MORA_TRY(const auto result, to_standard_output ? predict::parse_pattern(input, files, options, line.callback())
                                                 : predict::parse_pattern(input, output, options, line.callback()));
  line.erase();
  if (json)
    MORA_CHECK_OK(put_out({}, predict::parse_result_json(result, input)));
  else if (to_standard_output)
    MORA_CHECK_OK(put_out({}, one_text(files)));
  else if (!quiet)
    MORA_CHECK_OK(put_out({}, summary(result, output)));
  if (!quiet && !json) std::fputs(trace::quality_lines(result.quality).c_str(), stderr);
  if (result.violation_count == 0)
    return arguments.has("strict") && !missing_data(result.quality.rows()).empty() ? 1 : 0;
  std::string why = result.violations[0];
  for (std::size_t i = 1; i < result.violations.size() && i < 5; ++i) why += "; " + result.violations[i];
  if (result.violation_count > 5) why += fmt::format("; {} more", result.violation_count - 5);
  return fail(ErrorKind::unreadable, "the phases are not the same on all ranks", input, why,
              "begin and end phases on every process, in the same order. The output was written nevertheless, each "
              "record in the phase that its own process was in");
}

}  // namespace

const Verb verb_pattern_parse{
    .name = "pattern parse",
    .summary = "combine the traces of all ranks into one communication pattern per phase",
    .description =
        "Combines the traces of all ranks: each message is written once (its send), each collective once, in "
        "round-robin order over the ranks, in one file per phase. The output files communicators.txt, global.txt and "
        "PHASE.txt have the format of the MinI Parser of Kotomatas 2018 (docs/formats/pattern-parse.md).\n\n"
        "SOURCE is a directory of text traces (ti_trace0.txt …, also those of other tools), a directory of `mora "
        "pattern record` or `dryrun`, a trace.mpt, or any trace that Mora reads. The phases must be the same on all "
        "ranks. If they are not, the differences are printed, everything is written nevertheless, and the exit code is "
        "3. Lost records do not change the exit code without --strict.",
    .positionals = {{"SOURCE", "the traces of all ranks"}},
    .options = {{"-o,--output", "DIR", "directory for the output, which replaces an earlier one; -: print all files",
                 "SOURCE/parserOutput"},
                {"--loops", "", "write repeated lines as loops: \"3 x LINE\", \"10 x {\" … \"}\"", ""},
                {"--counts", "",
                 "write each different line once with its number, \"30 x LINE\": shortest, but without the order", ""},
                {"--json", "", "print communicators, phases and the different records of each phase as JSON", ""},
                {"--strict", "", "exit with 1 if records were lost: lines that cannot be read, ranks that are missing",
                 ""},
                {"--quiet", "", "print nothing (errors excepted)", ""}},
    .examples = {{"mora pattern parse ti_traces", "writes into ti_traces/parserOutput"},
                 {"mora pattern parse --json -o pattern mora-pattern-app-64", "from a recording, for a script"}},
    .run = run_pattern_parse,
};

}  // namespace mora::cli
