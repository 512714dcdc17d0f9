/// `mora record`: runs an MPI program under measurement and leaves an experiment (src/experiment/ does the work).
#include "experiment/record/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/numbers/read_number.h"
#include "base/time.h"
#include "cli/command/verbs.h"
#include "cli/options/bytes_option.h"
#include "cli/recording/profile_results.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/recorded_job.h"
#include "experiment/banner.h"
#include "experiment/record/counter_names.h"
#include "trace/text/event_text.h"

namespace mora::cli {
namespace {

constexpr std::uint64_t least_ring_bytes = std::uint64_t{1} << 20;
constexpr Nanoseconds least_ring_time = 1'000'000;
constexpr unsigned longest_stack = 512;  ///< MORA_STACK_DEEPEST of the recorder
/// SIZE, or a time, or both.
Result<void> read_ring(const Arguments& arguments, experiment::RecordOptions& options) {
  if (!arguments.has("ring")) return {};
  const std::string text = arguments.get("ring");
  const std::size_t comma = text.find(',');
  const std::string first = text.substr(0, comma);
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorKind::usage, "'" + text + "' is " + what, "--ring " + text,
                "it must be a size of at least 1M, a time of at least 1ms, or a time and the size that bounds it",
                "use --ring 500M, --ring 30s or --ring 30s,2G, for example");
  };
  if (const auto bytes = bytes_of(first); bytes && comma == std::string::npos) {
    if (*bytes < least_ring_bytes) return refuse("too small for a ring");
    options.ring = *bytes;
    return {};
  }
  const auto time = first.empty() || first.back() != 's' ? Result<Nanoseconds>(0) : trace::parse_duration(first);
  if (!time || *time == 0) return refuse("neither a size nor a time");
  if (*time < least_ring_time) return refuse("too short for a ring");
  options.ring_time = *time;
  if (comma == std::string::npos) return {};
  const auto bytes = bytes_of(text.substr(comma + 1));
  if (!bytes) return refuse("not a time and a size");
  if (*bytes < least_ring_bytes) return refuse("too small for a ring");
  options.ring = *bytes;
  return {};
}

constexpr unsigned most_samples = 10000;  ///< per second, as the recorder has it

Result<int> run_record(const Arguments& arguments) {
  MORA_TRY(auto options, job_options(arguments));
  options.clock = arguments.get("clock");
  if (!options.clock.empty() && options.clock != "tsc" && options.clock != "monotonic")
    return fail(ErrorKind::usage, "there is no clock of this name", "--clock " + options.clock, "",
                "use --clock tsc or --clock monotonic");
  options.recording = !arguments.has("no-record");
  options.queries = arguments.has("queries");
  if (const auto frames = arguments.get("stack"); frames == "off") {
    options.stack = 0;
  } else if (!frames.empty()) {
    if (!read_number(frames, options.stack) || options.stack == 0 || options.stack > longest_stack)
      return fail(ErrorKind::usage, fmt::format("not a number of frames between 1 and {}", longest_stack),
                  "--stack " + frames, "", "use --stack 64, for example, or --stack off");
  }
  if (const auto rate = arguments.get("sample"); rate == "off") {
    options.sample = 0;
  } else if (!rate.empty()) {
    unsigned hertz = 0;
    if (!read_number(rate, hertz) || hertz == 0 || hertz > most_samples)
      return fail(ErrorKind::usage, fmt::format("not a number of samples per second between 1 and {}", most_samples),
                  "--sample " + rate, "", "use --sample 250, for example, or --sample off");
    options.sample = hertz;
  }
  if (arguments.has("mpi-functions")) {
    MORA_TRY(options.left_out, mpi::read_groups(arguments.get("mpi-functions")));
  }
  if (arguments.has("counters")) {
    if (arguments.has("stats"))
      return fail(ErrorKind::usage, "counters need a trace, and --stats keeps none", "--counters --stats", "",
                  "leave out one of the two");
    MORA_TRY(options.counters, experiment::read_counters(arguments.get("counters")));
  }
  options.functions = arguments.get("functions");
  for (const char* name : {"openmp", "pthreads"})
    if (const auto given = arguments.get(name); !given.empty() && given != "on" && given != "off")
      return fail(ErrorKind::usage, "neither on nor off", fmt::format("--{} {}", name, given), "",
                  fmt::format("use --{} off, or leave it out", name));
  options.openmp = arguments.get("openmp") != "off";
  options.pthreads = arguments.get("pthreads") != "off";
  options.stats = arguments.has("stats");
  options.write_profile = write_profile;
  MORA_TRY(options.budget, bytes_option(arguments, "budget"));
  if (options.budget != 0 && options.stats)
    return fail(ErrorKind::usage, "--budget and --stats do not go together", "", "sums have a bound of their own",
                "leave out --budget");
  MORA_CHECK_OK(read_ring(arguments, options));
  for (const char* other : {"budget", "stats"})
    if (arguments.has("ring") && arguments.has(other))
      return fail(ErrorKind::usage, fmt::format("--ring and --{} do not go together", other), "",
                  "each bounds what is recorded in its own way", fmt::format("leave out --{}", other));
  const bool quiet = arguments.has("quiet");
  if (options.budget != 0 && !quiet && !arguments.has("json"))
    std::fprintf(stderr,
                 "mora: budget: recording ends for all processes together when the journals of one of them reach its "
                 "share of %s; the program goes on\n",
                 bytes_for_people(options.budget).c_str());
  if (options.ring_time != 0 && !quiet && !arguments.has("json"))
    std::fprintf(stderr,
                 "mora: ring: the experiment will be of the last %s, or of what fits into %s if that is less; what is "
                 "older is forgotten\n",
                 time_for_people(options.ring_time).c_str(),
                 options.ring != 0 ? (bytes_for_people(options.ring) + " of disk space in all processes").c_str()
                                   : "128 MiB of disk space a process (--ring TIME,SIZE)");

  options.on_dump = [](const Result<std::vector<experiment::Manifest>>& runs) {
    if (!runs) return print_warning("nothing was written on SIGUSR1: " + runs.error().text());
    for (const auto& m : *runs) std::fprintf(stderr, "mora: written while the job goes on: %s\n", m.experiment.c_str());
  };
  ProgressLine line(!quiet && !arguments.has("json"));  // drawn while converting: the program's own output is over then
  options.progress = line.callback();
  MORA_TRY(const auto result, experiment::record(options, print_warning));
  line.erase();
  std::fflush(stdout);
  if (arguments.has("json")) {
    std::fputs(experiment::experiments_json(result.runs, result.outcome.exit_code).c_str(), stderr);
  } else {
    for (const auto& w : result.warnings) print_warning(w);
    if (!quiet)
      for (const auto& m : result.runs) std::fputs(experiment::experiment_banner(m).c_str(), stderr);
  }
  print_outcome(result.outcome, quiet);
  if (!arguments.has("json"))
    for (const auto& m : result.runs) std::fputs(experiment::ending_lines(m).c_str(), stderr);
  return exit_of(result.outcome.exit_code, result.error);
}

}  // namespace

const Verb verb_record{
    .name = "record",
    .summary = "run an MPI program and record it in an experiment directory",
    .description =
        "Runs the command with Mora's recorder preloaded into its MPI processes, and writes what they recorded into an "
        "experiment directory (an OTF2 archive and manifest.json). The program needs no change and no recompilation, "
        "but it must use Open MPI 4.x or MPICH 4.x as a shared library. It may be written in C, C++ or Fortran; "
        "scripts and Python (mpi4py) work, too. Without a launcher the program is recorded as a single process. "
        "Libraries "
        "that the command preloads itself (LD_PRELOAD) are loaded behind the recorder.\n\nThe "
        "program's own output is not changed; Mora's summary is printed on standard error. The exit code is that of "
        "the launcher (128 + signal number if it was killed). If the job succeeded but there is no experiment, it is 2 "
        "if nothing was recorded (the program never called MPI_Init), and 3 if a disk was full or a file unreadable. "
        "If the job could not be started, it is 2 or 3. If converting fails, the recorded data stays in DIR/journal, "
        "and `mora recover DIR` finishes the work.\n\nIf the command is a script that starts several MPI programs, "
        "each gets its own experiment: DIR, DIR-2, DIR-3 … If the job uses several hosts, the experiment directory "
        "must be on a file system that all of them share.",
    .positionals = {{"COMMAND", "the launcher with its options, then the program with its arguments", 1, -1}},
    .options =
        {{"-o,--output", "DIR", "experiment directory; must not exist", "mora-<program>-<ranks>[-<n>]"},
         {"--mpi", "FLAVOUR", "the program's MPI library, openmpi or mpich, if Mora does not recognise it", ""},
         {"--clock", "NAME", "clock of the recording: tsc (cycle counter) or monotonic (clock_gettime)",
          "tsc where it runs at a constant rate, else monotonic"},
         {"--queries", "",
          "also record queries such as MPI_Comm_rank and MPI_Wtime (default: only if MPI refuses them)", ""},
         {"--stack", "N",
          "record the call path of each MPI call through the program's functions, the N innermost of them; off: only "
          "where the call stands",
          "256"},
         {"--sample", "HZ",
          "take so many samples per second of processor time of which functions compute between MPI calls; off: none",
          "250"},
         {"--counters", "LIST",
          "read these counters of processor and kernel at begin and end of each MPI call, by names of perf list with "
          "commas between: cycles, instructions, cache-misses, branch-misses, page-faults, context-switches, "
          "cpu-migrations, task-clock …, or rNNN; name:u counts the program alone. They become metrics by call path",
          ""},
         {"--functions", "FILE",
          "functions of a program built with -finstrument-functions: the file's rules (include PATTERN, exclude "
          "PATTERN, one per line; the last that fits counts) say which are kept; off: record none",
          "all are kept"},
         {"--mpi-functions", "LIST",
          "groups of MPI functions to record, as NAME and -NAME with commas between: " +
              fmt::format("{}", fmt::join(mpi::group_names(), ", ")) +
              "; a list that begins with -NAME takes from all. Polls are tests and probes that found nothing",
          "all"},
         {"--openmp", "on|off",
          "record what OpenMP's threads do (GCC, LLVM): parallel regions, tasks, barriers, critical sections, locks",
          "on"},
         {"--pthreads", "on|off", "record where POSIX threads wait for each other, for 10 us or longer", "on"},
         {"--stats", "",
          "add the calls up while the job runs, and keep no trace: how often each call path called which MPI function, "
          "how long, and how many bytes; 64 KB for each process however long it runs. `mora report` reads the result "
          "at "
          "once; wait states and the timeline need a trace. Samples, functions, OpenMP and waits of threads are not "
          "recorded",
          ""},
         {"--budget", "SIZE",
          "let what is recorded take so much disk space in all processes together, for example 500M or 2G: each has an "
          "equal share, 96 KB at least. When the first reaches it, it records no more; the experiment then ends, for "
          "all processes, with the last barrier, all-to-all or the like on MPI_COMM_WORLD that all recorded, or, if "
          "that was too long ago, at the time when the first reached it, without the calls that were under way. The "
          "program goes on",
          "no limit"},
         {"--ring", "SIZE|TIME[,SIZE]",
          "keep the newest part of what is recorded. SIZE: in so much disk space for all processes together, for "
          "example 64M or 2G: each has an equal share, 256 KB at least. TIME: what covers the last 30s, for example, "
          "or 500ms, from a call on that waited for all; in SIZE, or else in 128 MiB a process, and where that is too "
          "little, "
          "it wins, and the data quality says so. The experiment begins, for all processes, with a "
          "barrier, all-to-all or the like on MPI_COMM_WORLD that all still have (the first; with TIME the last that "
          "returned so long before the end), or, if there is none, at a time; it "
          "ends with the job, also where that crashes or is killed. SIGUSR1 to `mora record` (the job does not get it) "
          "writes "
          "what the ring holds then as an experiment DIR-now, while the job goes on",
          "everything is kept"},
         {"--chunk-bytes", "N", "size of the recording buffer of each process, for example 512K or 4M", "1M"},
         {"--keep-journal", "", "keep the raw recorded data in DIR/journal after conversion", ""},
         {"--no-record", "", "load the recorder but record nothing (to measure its overhead)", ""},
         {"--quiet", "", "print only warnings and errors, no summary", ""},
         {"--json", "", "print the summary as one line of JSON on standard error", ""}},
    .examples = {{"mora record mpirun -n 4 ./app input", "four ranks; leaves mora-app-4"},
                 {"mora record --stats mpirun -n 4 ./app", "sums only, for a long run or a first look"},
                 {"mora record oshrun -n 4 ./app", "a program of OpenSHMEM"},
                 {"mora record -o run1 -- mpiexec.mpich -n 2 ./app", "with a chosen directory"},
                 {"mora record mpirun -n 2 /usr/bin/python3 script.py", "a Python program with mpi4py"}},
    .passthrough = true,
    .run = run_record,
};

}  // namespace mora::cli
