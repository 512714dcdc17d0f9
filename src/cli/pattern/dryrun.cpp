/// `mora pattern dryrun`: chosen ranks of a job of any size, without the job (predict/pattern/ runs and checks them).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/file.h"
#include "cli/command/verbs.h"
#include "cli/options/count_option.h"
#include "cli/pattern/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/recorded_job.h"
#include "predict/pattern/check/needed_data.h"
#include "predict/pattern/compare/compare.h"
#include "predict/pattern/compare/equal_stretches.h"
#include "predict/pattern/recording/dryrun.h"
#include "predict/pattern/recording/recording.h"

namespace mora::cli {
namespace {

constexpr std::size_t most_lines = 10;

Result<predict::DryRunOptions> read_options(const Arguments& arguments) {
  predict::DryRunOptions options;
  MORA_TRY(options.record, job_options(arguments, "output-directory"));
  options.record.stem = "mora-dryrun-";
  MORA_TRY(options.size, count_option(arguments, "processes", 0));
  MORA_TRY(options.jobs, count_option(arguments, "jobs", 0));
  MORA_TRY(options.ranks_per_node, count_option(arguments, "ranks-per-node", 0));
  options.together = arguments.has("together");
  MORA_TRY(const auto timeout, count_option(arguments, "timeout", options.together ? 0 : 300));
  options.timeout_s = timeout;
  options.ranks = arguments.get("ranks");
  if (options.together && (arguments.has("jobs") || (arguments.has("ranks") && options.ranks != "all")))
    return fail(ErrorKind::usage, "--together runs all ranks at once", arguments.has("jobs") ? "--jobs" : "--ranks", "",
                "leave the option out");
  options.output = arguments.get("output", "first");
  if (options.output != "first" && options.output != "all" && options.output != "none")
    return fail(ErrorKind::usage, "this is not a choice of output", "--output " + options.output, "",
                "use --output first, all or none");
  MORA_TRY(const auto format, pattern_format_option(arguments));
  options.record.notes = {{predict::pattern_format_setting, to_string(format)}};
  options.progress = !arguments.has("quiet") && !arguments.has("json") && isatty(STDERR_FILENO) == 1;
  return options;
}

/// The call whose data the rank may have needed to go on as the real one does. Returns true if there is one.
bool print_needed(const predict::PatternTrace& trace, std::uint32_t rank, std::uint64_t before) {
  const auto needed = predict::needed_data(trace, rank, before);
  if (needed)
    std::fprintf(
        stderr,
        "mora: rank %u may have needed the data of call %llu: %s (of other ranks: a dry run has substitute data)\n",
        rank, static_cast<unsigned long long>(needed->call), needed->text.c_str());
  return needed.has_value();
}

void print_what_to_do(std::uint32_t ranks) {
  std::fprintf(stderr,
               "mora: where received data decide what a program sends, let all ranks run at once: mora pattern dryrun "
               "--together -n %u …; or record a real run: mora pattern record mpirun …\n",
               ranks);
}

void print_report(const predict::DryRunReport& report, const predict::PatternTrace* trace,
                  const predict::DryRunOptions& options) {
  std::size_t bad = 0;
  if (!report.deadlock.empty()) std::fprintf(stderr, "mora: %s\n", report.deadlock.c_str());
  for (const auto& rank : report.ranks) {
    const auto sentence = predict::sentence_about(rank, options.timeout_s, trace);
    if (sentence.empty() || ++bad > most_lines) continue;
    std::fprintf(stderr, "mora: %s\n", sentence.c_str());
    if (trace != nullptr && bad == 1 && !options.together && print_needed(*trace, rank.rank, 0))
      print_what_to_do(report.size);
  }
  if (bad > most_lines) std::fprintf(stderr, "mora: … and %zu more ranks\n", bad - most_lines);
  for (const auto& [count, what] : report.notes)
    std::fprintf(stderr, "mora: not known in a dry run: %s (%llu time%s)\n", what.c_str(),
                 static_cast<unsigned long long>(count), count == 1 ? "" : "s");
}

/// Prints what does not fit between the ranks of one dry run. Returns true if there is anything.
bool print_check(const predict::PatternTrace& trace, const predict::DryRunReport& report, bool together) {
  const auto found = predict::divergences(trace, report);
  for (std::size_t i = 0; i < found.size() && i < most_lines; ++i)
    std::fprintf(stderr, "mora: %s%s\n", i == 0 ? "first divergence: " : "                  ",
                 predict::sentence_about(found[i]).c_str());
  if (found.size() > most_lines) std::fprintf(stderr, "mora: … %zu in all\n", found.size());
  if (found.empty()) return false;
  if (together) return true;
  if (print_needed(trace, found[0].rank, found[0].call) || print_needed(trace, found[0].other, 0))
    print_what_to_do(trace.definitions.world_size);
  return true;
}

struct Finished {
  experiment::RecordedRun job;
  std::vector<predict::DryRunReport> reports;
  std::vector<predict::Recording> recordings;
};

Result<Finished> finish(experiment::RecordedRun job, predict::Origin origin, const Arguments& arguments) {
  Finished done;
  MORA_TRY(done.reports, predict::read_dry_reports(job.directory));
  predict::RecordingOptions options;
  options.origin = origin;
  options.request = job.request;
  for (const auto& report : done.reports)
    for (const auto& [count, text] : report.notes) {  // "reductions: every rank is taken to …"
      const auto colon = std::min(text.find(": "), text.size());
      options.quality.push_back({"dry-run-guess", Severity::info, text.substr(0, colon), count,
                                 colon == text.size() ? "not known in a dry run" : text.substr(colon + 2),
                                 "compare with a real run: --verify N"});
    }
  options.keep_journals = arguments.has("keep-journal");
  MORA_TRY(options.format, pattern_format_option(arguments));
  auto recordings = predict::finish_recording(job.directory, options);
  if (!recordings) return tl::unexpected(recordings.error());
  if (recordings->empty()) {
    const auto error = experiment::nothing_recorded(job);
    experiment::remove_recorded(job);
    return tl::unexpected(error);
  }
  done.recordings = std::move(*recordings);
  for (auto& r : done.recordings)
    r.directory = experiment::final_directory(job, r.directory, r.trace.definitions.world_size);
  done.job = std::move(job);
  return done;
}

/// The recording that belongs to a report: one for each, or the only one (a script may start several programs).
const predict::PatternTrace* trace_of(const Finished& done, std::size_t report) {
  return done.recordings.size() == done.reports.size() || done.recordings.size() == 1
             ? &done.recordings[done.recordings.size() == 1 ? 0 : report].trace
             : nullptr;
}

void print_reports(const Finished& done, const predict::DryRunOptions& options) {
  for (std::size_t i = 0; i < done.reports.size(); ++i) print_report(done.reports[i], trace_of(done, i), options);
}

std::string launcher_of(const std::string& flavour) {
  for (const auto& name : {"mpirun." + flavour, std::string("mpirun")})
    if (!launcher::find_program(name).empty()) return name;
  return "mpiexec";
}

/// A real run that did not end normally cannot be compared. 0: it ended normally; else the exit code to return.
int failure_of(int exit_code, const predict::PatternTrace* trace) {
  if (exit_code != 0) {
    std::fprintf(stderr, "mora: the real run ended with %d; no comparison\n", exit_code);
    return exit_code;
  }
  if (trace != nullptr)
    for (const auto& rank : trace->ranks)
      if (!rank.complete) {
        std::fprintf(stderr, "mora: rank %u did not reach MPI_Finalize in the real run; no comparison\n", rank.rank);
        return 1;
      }
  return 0;
}

/// For ranks that differ: the stretches of calls that are equal all the same.
void print_equal_stretches(const predict::PatternTrace& real, const predict::PatternTrace& dry) {
  std::size_t ranks = 0;
  for (const auto& likeness : predict::equal_stretches(real, dry)) {
    if (likeness.equal_calls == std::max(likeness.real_calls, likeness.dry_calls) || ++ranks > most_lines) continue;
    for (const auto& line : predict::sentences_about(likeness, most_lines)) std::printf("%s\n", line.c_str());
  }
}

/// The same program for real and dry, compared call by call.
Result<int> verify(const Arguments& arguments, predict::DryRunOptions options) {
  MORA_TRY(options.size, count_option(arguments, "verify", 0));
  if (options.size == 0)
    return fail(ErrorKind::usage, "the number of processes must be greater than 0", "--verify 0", "",
                "for example: --verify 4");
  options.ranks = "all";
  auto base = options.record.directory;
  for (int n = 1; base.empty(); ++n) {
    auto name =
        n == 1 ? fmt::format("mora-verify-{}", options.size) : fmt::format("mora-verify-{}-{}", options.size, n);
    if (!file_exists(name)) base = std::move(name);
  }
  options.record.directory = base + "/dry";
  MORA_TRY(auto dry_job, predict::run_dry(options, print_warning));
  const auto flavour = std::string(launcher::to_string(dry_job.flavour));
  MORA_TRY(const auto dry, finish(std::move(dry_job), predict::Origin::dryrun, arguments));
  print_reports(dry, options);

  auto real_options = options.record;
  real_options.directory = base + "/real";
  real_options.pattern = true;
  real_options.flavour = flavour;
  real_options.command = {launcher_of(flavour), "-n", std::to_string(options.size)};
  real_options.command.insert(real_options.command.end(), options.record.command.begin(), options.record.command.end());
  for (const char* name : {"OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
    if (flavour == "openmpi" && std::getenv(name) == nullptr) real_options.variables.emplace_back(name, "1");
  MORA_TRY(auto real_job, experiment::run_recorded(real_options, print_warning));
  const int real_exit = real_job.outcome.exit_code;
  const auto finished = finish(std::move(real_job), predict::Origin::record, arguments);
  std::fflush(stdout);
  if (const int failure = failure_of(real_exit, finished ? &finished->recordings.front().trace : nullptr); failure != 0)
    return failure;
  if (!finished) return tl::unexpected(finished.error());
  const auto& real = *finished;

  const auto different = predict::compare_patterns(real.recordings.front().trace, dry.recordings.front().trace);
  for (const auto& d : different) std::printf("%s\n", predict::sentence_about(d).c_str());
  if (different.empty())
    std::printf("%u ranks: the dry run makes the same calls as the real run\n", options.size);
  else
    std::printf("%zu of %u ranks differ\n", different.size(), options.size);
  if (!different.empty()) print_equal_stretches(real.recordings.front().trace, dry.recordings.front().trace);
  if (!different.empty()) return 1;
  return dry.job.outcome.exit_code;
}

Result<int> run_pattern_dryrun(const Arguments& arguments) {
  MORA_TRY(const auto options, read_options(arguments));
  if (arguments.has("verify")) return verify(arguments, options);
  if (options.size == 0)
    return fail(ErrorKind::usage, "the number of processes of the job is not given", "mora pattern dryrun", "",
                "give it with -n: mora pattern dryrun -n 4096 --ranks 0-3 ./app");
  const bool quiet = arguments.has("quiet");
  MORA_TRY(auto job, predict::run_dry(options, print_warning));
  std::fflush(stdout);
  const int exit = job.outcome.exit_code;
  auto done = finish(std::move(job), predict::Origin::dryrun, arguments);
  if (!done) return exit_of(exit, done.error());
  if (!quiet) print_reports(*done, options);
  bool divergent = false;
  for (std::size_t i = 0; i < done->recordings.size(); ++i)
    divergent |=
        print_check(done->recordings[i].trace,
                    done->reports.size() == 1 ? done->reports.front() : predict::DryRunReport{}, options.together);
  if (arguments.has("json"))
    std::fputs(predict::recordings_json(done->recordings, exit).c_str(), stderr);
  else if (!quiet)
    for (const auto& r : done->recordings) std::fputs(predict::recording_banner(r).c_str(), stderr);
  return exit != 0 ? exit : divergent ? 1 : 0;
}

}  // namespace

const Verb verb_pattern_dryrun{
    .name = "pattern dryrun",
    .summary = "record what chosen ranks of a large job would communicate, without running the job",
    .description =
        "Runs chosen ranks of a job of N processes on this machine, one by one or a few at a time. There is no "
        "launcher and there are no other ranks: a library of Mora takes the place of the MPI library's communication. "
        "Sizes, ranks, communicators, groups, topologies and messages of a rank to itself are as in the real job; data "
        "that would come from other ranks is replaced by substitute data (docs/user/dryrun.md says which). What each "
        "rank would communicate is recorded as `mora pattern record` does; DIR/trace.mpt contains the chosen ranks.\n\n"
        "Where the members of a communicator depend on other ranks (MPI_Comm_split and similar calls), Mora also "
        "starts auxiliary processes for these ranks. They run up to that call; they are not recorded and their output "
        "is discarded.\n\n"
        "Only the output of the lowest chosen rank is shown; the output of the others is in DIR/output/<rank>.txt. A "
        "rank that hangs is ended after --timeout seconds, and its last MPI call is named. At the end the ranks are "
        "checked against each other: what one sends another must receive, and collectives must agree; the first "
        "divergence is printed.\n\n"
        "With --together all ranks run at once, as processes of this machine, and this library carries their real "
        "data: nothing is assumed, and the pattern is that of a real run. If all ranks wait for each other, the "
        "deadlock is "
        "reported with its ranks and calls, and the job ends; it also ends when a rank fails.\n\n"
        "Exit code: that of the lowest rank that did not end with 0 (86: the dry run cannot continue there, 124: "
        "timeout, 128 + signal number); otherwise 1 if the ranks do not fit together or --verify finds a difference; "
        "otherwise 0. With --verify, if the real run fails nothing is compared, and the exit code is that of the run.",
    .positionals = {{"COMMAND", "the program and its arguments, without a launcher", 1, -1}},
    .options = {{"-n,--processes", "N", "number of processes of the job", ""},
                {"--ranks", "LIST", "ranks to run: numbers and ranges, for example 0-15,2048, or all", "all"},
                {"--together", "",
                 "run all ranks at once and let them exchange real data: for programs whose received data decide what "
                 "they send",
                 ""},
                {"-j,--jobs", "N", "number of ranks to run at the same time", "number of cores"},
                {"-o,--output-directory", "DIR", "directory for the pattern; must not exist",
                 "mora-dryrun-<program>-<N>[-<n>]"},
                {"--output", "WHICH", "which ranks' output is shown: first, all or none", "first"},
                {"--ranks-per-node", "N", "number of ranks per node, for MPI_Comm_split_type", "all on one node"},
                {"--timeout", "SECONDS", "end a rank that runs longer; 0: never", "300; 0 with --together"},
                {"--verify", "N",
                 "instead, run a real job of N processes and a dry run of all its ranks, and compare them call by call",
                 ""},
                {"--mpi", "FLAVOUR", "the program's MPI library, openmpi or mpich, if Mora does not recognise it", ""},
                {"--format", "FORM", "what to write: compact (trace.mpt), text (ti_traces/ti_trace<rank>.txt) or both",
                 "compact"},
                {"--text", "", "the same as --format both", ""},
                {"--keep-journal", "", "keep the raw recorded data in DIR/journal after conversion", ""},
                {"--quiet", "", "print only warnings, errors and divergences", ""},
                {"--json", "", "print the summary as one line of JSON on standard error", ""}},
    .examples = {{"mora pattern dryrun -n 4096 --ranks 0-15,2048 ./app input",
                  "17 ranks of 4096; leaves mora-dryrun-app-4096"},
                 {"mora pattern dryrun --verify 4 ./app input",
                  "checks whether a dry run is correct for this program"}},
    .passthrough = true,
    .run = run_pattern_dryrun,
};

}  // namespace mora::cli
