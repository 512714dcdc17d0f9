#include "experiment/record.h"

#include <cstdio>

#include "cli/bytes_argument.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/verbs.h"
#include "experiment/banner.h"

namespace mora::cli {
namespace {

Result<int> run_record(const Arguments& arguments) {
  experiment::RecordOptions options;
  options.command = arguments.positionals;
  options.directory = arguments.get("output");
  while (options.directory.size() > 1 && options.directory.back() == '/') options.directory.pop_back();
  options.flavour = arguments.get("mpi");
  options.clock = arguments.get("clock");
  if (!options.clock.empty() && options.clock != "tsc" && options.clock != "monotonic")
    return fail(ErrorKind::usage, "unknown clock", "--clock " + options.clock, "",
                "use --clock tsc or --clock monotonic");
  if (arguments.has("chunk-bytes")) {
    MORA_TRY(options.chunk_bytes, parse_chunk_bytes(arguments.get("chunk-bytes")));
  }
  options.recording = !arguments.has("no-record");
  options.queries = arguments.has("queries");
  options.keep_journals = arguments.has("keep-journal");
  const bool quiet = arguments.has("quiet");

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
  if (result.outcome.signal != 0)
    std::fprintf(stderr, "mora: the launcher was killed by signal %d\n", result.outcome.signal);
  else if (result.outcome.exit_code != 0 && !quiet)
    std::fprintf(stderr, "mora: the launcher ended with exit code %d\n", result.outcome.exit_code);
  if (result.error) {
    if (result.outcome.exit_code == 0) return tl::unexpected(*result.error);
    std::fprintf(stderr, "mora: error: %s\n", result.error->text().c_str());
  }
  return result.outcome.exit_code;
}

}  // namespace

const Verb verb_record{
    .name = "record",
    .summary = "run an MPI program under measurement and leave an experiment",
    .description =
        "Runs the command as given, with Mora's recorder preloaded into its MPI processes, and turns what they "
        "recorded into an "
        "experiment directory (an OTF2 archive, manifest.json). The program needs no change: it must use Open MPI 4.x "
        "or MPICH 4.x "
        "as a shared library. C and Fortran are covered, scripts and Python (mpi4py) too; without a launcher the "
        "program is "
        "recorded as a single process.\n\n"
        "The program's own output is not touched; the banner goes to standard error. The exit code is the launcher's "
        "(128 + signal "
        "if it was killed). If the job succeeded but no experiment could be made: 2 when nothing was recorded (the "
        "program never "
        "called MPI_Init), 3 when a disk was full or unreadable; if the job was not started at all: 2 or 3. When "
        "converting fails, "
        "the journals stay in the directory and `mora recover DIR` finishes the work.\n\n"
        "Every run of a script that starts several gets its own experiment: DIR, DIR-2, DIR-3 … On several hosts the "
        "experiment "
        "directory must be visible to all of them.",
    .positionals = {{"COMMAND", "launcher, its options, the program and its arguments", 1, -1}},
    .options = {{"-o,--output", "DIR", "experiment directory; must not exist", "mora-<program>-<ranks>[-<n>]"},
                {"--mpi", "FLAVOUR", "openmpi or mpich, instead of finding out", ""},
                {"--clock", "NAME", "tsc or monotonic", "tsc where it is invariant"},
                {"--queries", "", "record MPI_Comm_rank, MPI_Wtime and their like too", ""},
                {"--chunk-bytes", "N", "size of the recording buffer of each process (K, M)", "1M"},
                {"--keep-journal", "", "keep the journals after conversion", ""},
                {"--no-record", "", "load the recorder but record nothing (to measure its cost)", ""},
                {"--quiet", "", "no banner; warnings and errors only", ""},
                {"--json", "", "the banner as one line of JSON on standard error", ""}},
    .examples = {{"mora record mpirun -n 4 ./app input", "four ranks; leaves mora-app-4"},
                 {"mora record -o run1 -- mpiexec.mpich -n 2 ./app", "a chosen directory"},
                 {"mora record mpirun -n 2 /usr/bin/python3 script.py", "mpi4py"}},
    .passthrough = true,
    .run = run_record,
};

}  // namespace mora::cli
