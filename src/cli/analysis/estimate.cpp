/// `mora estimate`: what a full trace of a run would take, and what to leave out of it.
#include "report/estimate/estimate.h"

#include <cstdio>
#include <optional>

#include "base/file.h"
#include "cli/analysis/analysed.h"
#include "cli/command/verbs.h"
#include "cli/options/bytes_option.h"
#include "cli/terminal/output.h"
#include "report/estimate/print.h"

namespace mora::cli {
namespace {

constexpr std::uint64_t least_budget = 1, most_budget = std::uint64_t{1} << 60;

Result<int> run_estimate(const Arguments& arguments) {
  MORA_TRY(const auto text, text_options(arguments));
  MORA_TRY(const std::uint64_t budget, bytes_option(arguments, "budget", least_budget));
  if (budget > most_budget)
    return fail(ErrorKind::usage, "no trace is as large as this budget", "--budget " + arguments.get("budget"), "",
                "use --budget 2G, for example");
  const std::string filter_file = arguments.get("output");
  if (!filter_file.empty() && budget == 0)
    return fail(ErrorKind::usage, "without a budget there is nothing to filter", "--output " + filter_file, "",
                "add --budget SIZE");
  const std::string path = analysed_path(arguments.positionals.at(0));
  MORA_TRY(const Analysed analysed, load_cells(path));
  const auto manifest = read_file(path + "/manifest.json");
  const auto facts = manifest ? report::recorded_facts(*manifest) : report::RecordedFacts{};
  MORA_TRY(const auto estimate, report::estimate(*analysed.cube, facts, path));
  std::optional<report::Proposal> proposal;
  if (budget != 0) proposal = report::propose(estimate, static_cast<std::int64_t>(budget));
  const report::PrintedEstimate printed{estimate, facts, path, proposal ? &*proposal : nullptr,
                                        filter_file.empty() ? "FILE" : filter_file};
  const std::string out = arguments.has("json") ? report::estimate_json(printed) : report::estimate_text(printed, text);
  if (!filter_file.empty()) {
    if (proposal->functions.empty())
      print_warning("no function of the program is to be left out: " + filter_file + " is not written");
    else
      MORA_CHECK_OK(write_file_atomically(filter_file, report::filter_text(*proposal)));
  }
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace

const Verb verb_estimate{
    .name = "estimate",
    .summary = "what a full trace of a run would take, and what to leave out of it",
    .description =
        "Reads how often each call path was visited, best from a run with `mora record --stats`, and says what a trace "
        "of the same run would take: events, bytes of the archive and of the journals that it is made of, of all "
        "processes and of the one with most, what recording costs in time, by group of MPI functions and by call "
        "path. Of an experiment that has a trace the size of that one stands beside the estimate.\n\nWith --budget it "
        "proposes what to leave out so that the archive is no larger, and says what is lost by that.\n\nThe same "
        "program with another input makes other calls: estimate from a run that is alike. What the numbers cannot say "
        "is listed under 'what is not known'.",
    .positionals = {{"EXPERIMENT", "an experiment, a trace, or a .cubex file with visits", 1, 1}},
    .options = {{"--budget", "SIZE",
                 "propose options of `mora record` with which the archive takes so much at most, for example 500M or "
                 "2G",
                 ""},
                {"-o,--output", "FILE",
                 "write the rules about functions of the program (-finstrument-functions) that the proposal has into "
                 "FILE, for `mora record --functions FILE`",
                 ""},
                {"--json", "", "print one JSON object instead of text", ""},
                {"--top", "N", "print the N largest call paths and functions; 0 = all", "10"}},
    .examples = {{"mora record --stats mpirun -n 4 ./app && mora estimate mora-app-4", "before a full recording"},
                 {"mora estimate --budget 2G mora-app-4", "what to leave out"}},
    .run = run_estimate,
};

}  // namespace mora::cli
