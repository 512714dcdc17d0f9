/// `mora record`: runs an MPI program under measurement and leaves an experiment (src/experiment/ does the work).
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
    return fail(ErrorKind::usage, "there is no clock of this name", "--clock " + options.clock, "",
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
    .summary = "run an MPI program and record it in an experiment directory",
    .description =
        "Runs the command with Mora's recorder preloaded into its MPI processes, and writes what they recorded into an "
        "experiment directory (an OTF2 archive and manifest.json). The program needs no change and no recompilation, "
        "but it must use Open MPI 4.x or MPICH 4.x as a shared library. It may be written in C, C++ or Fortran; "
        "scripts and Python (mpi4py) work, too. Without a launcher the program is recorded as a single process.\n\nThe "
        "program's own output is not changed; Mora's summary is printed on standard error. The exit code is that of "
        "the launcher (128 + signal number if it was killed). If the job succeeded but there is no experiment, it is 2 "
        "if nothing was recorded (the program never called MPI_Init), and 3 if a disk was full or a file unreadable. "
        "If the job could not be started, it is 2 or 3. If converting fails, the recorded data stays in DIR/journal, "
        "and `mora recover DIR` finishes the work.\n\nIf the command is a script that starts several MPI programs, "
        "each gets its own experiment: DIR, DIR-2, DIR-3 … If the job uses several hosts, the experiment directory "
        "must be on a file system that all of them share.",
    .positionals = {{"COMMAND", "the launcher with its options, then the program with its arguments", 1, -1}},
    .options = {{"-o,--output", "DIR", "experiment directory; must not exist", "mora-<program>-<ranks>[-<n>]"},
                {"--mpi", "FLAVOUR", "the program's MPI library, openmpi or mpich, if Mora does not recognise it", ""},
                {"--clock", "NAME", "clock of the recording: tsc (cycle counter) or monotonic (clock_gettime)",
                 "tsc where it runs at a constant rate, else monotonic"},
                {"--queries", "", "also record queries such as MPI_Comm_rank and MPI_Wtime", ""},
                {"--chunk-bytes", "N", "size of the recording buffer of each process, for example 512K or 4M", "1M"},
                {"--keep-journal", "", "keep the raw recorded data in DIR/journal after conversion", ""},
                {"--no-record", "", "load the recorder but record nothing (to measure its overhead)", ""},
                {"--quiet", "", "print only warnings and errors, no summary", ""},
                {"--json", "", "print the summary as one line of JSON on standard error", ""}},
    .examples = {{"mora record mpirun -n 4 ./app input", "four ranks; leaves mora-app-4"},
                 {"mora record -o run1 -- mpiexec.mpich -n 2 ./app", "with a chosen directory"},
                 {"mora record mpirun -n 2 /usr/bin/python3 script.py", "a Python program with mpi4py"}},
    .passthrough = true,
    .run = run_record,
};

}  // namespace mora::cli
