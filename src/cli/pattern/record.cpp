/// `mora pattern record`: what every rank communicates, without times.
#include <cstdio>
#include <optional>

#include "cli/command/verbs.h"
#include "cli/pattern/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/recorded_job.h"
#include "predict/pattern/recording/recording.h"

namespace mora::cli {
namespace {

Result<int> run_pattern_record(const Arguments& arguments) {
  MORA_TRY(auto options, job_options(arguments));
  options.stem = "mora-pattern-";
  options.pattern = true;
  predict::RecordingOptions recording;
  MORA_TRY(recording.format, pattern_format_option(arguments));
  options.notes = {{predict::pattern_format_setting, to_string(recording.format)}};
  recording.keep_journals = options.keep_journals;
  recording.check = !arguments.has("no-check");
  const bool quiet = arguments.has("quiet"), as_json = arguments.has("json");

  MORA_TRY(auto job, experiment::run_recorded(options, print_warning));
  std::fflush(stdout);
  ProgressLine line(!quiet && !as_json);  // drawn while converting: the program's own output is over then
  recording.progress = line.callback();
  recording.request = job.request;
  auto recordings = predict::finish_recording(job.directory, recording);
  line.erase();
  const int exit = job.outcome.exit_code;
  print_outcome(job.outcome, quiet);
  std::optional<Error> error;
  if (!recordings) {
    error = recordings.error();
    recordings = std::vector<predict::Recording>{};
  } else if (recordings->empty()) {
    error = experiment::nothing_recorded(job);
    experiment::remove_recorded(job);
  }
  std::size_t alone = 0;
  for (auto& r : *recordings) {
    r.directory = experiment::final_directory(job, r.directory, r.trace.definitions.world_size);
    alone += r.trace.definitions.world_size == 1 ? 1 : 0;
  }
  if (as_json) {
    std::fputs(predict::recordings_json(*recordings, exit).c_str(), stderr);
  } else {
    const auto mismatch = alone == recordings->size() ? experiment::launcher_mismatch(job, alone) : "";
    if (!mismatch.empty()) print_warning(mismatch);
    if (!quiet)
      for (const auto& r : *recordings) std::fputs(predict::recording_banner(r).c_str(), stderr);
  }
  return exit_of(exit, error);
}

}  // namespace

const Verb verb_pattern_record{
    .name = "pattern record",
    .summary = "record what every rank communicates, without times",
    .description =
        "Runs the command with Mora's recorder preloaded into its MPI processes, and records what each rank "
        "communicates, in order: every message with peer, tag, count and datatype, every collective with its counts "
        "for each rank, communicators with their members, one-sided communication, files, and the phases that the "
        "program marks (mora_phase_begin, mini_annotate_phase_start). No times are recorded, so the job may have many "
        "more ranks than the machine has cores.\n\n"
        "DIR then contains trace.mpt (all ranks, loops folded, compressed), manifest.json, and on request the "
        "directory ti_traces with one text file per rank in the format of MinI, the tracer of Kotomatas 2018 "
        "(docs/formats/ti-trace.md). The program's own output is not changed; Mora's summary is printed on standard "
        "error; the exit code is that of the launcher. Messages that are not received, collectives that differ between "
        "ranks, and phases that are not the same on all ranks are reported. If the job is killed, everything recorded "
        "until then is kept; if this command is killed too, `mora recover DIR` finishes its work.",
    .positionals = {{"COMMAND", "the launcher with its options, then the program with its arguments", 1, -1}},
    .options = {{"-o,--output", "DIR", "directory for the pattern; must not exist",
                 "mora-pattern-<program>-<ranks>[-<n>]"},
                {"--format", "FORM", "what to write: compact (trace.mpt), text (ti_traces/ti_trace<rank>.txt) or both",
                 "compact"},
                {"--text", "", "the same as --format both", ""},
                {"--no-check", "",
                 "do not check for messages that are not received, collectives that differ, phases that overlap", ""},
                {"--mpi", "FLAVOUR", "the program's MPI library, openmpi or mpich, if Mora does not recognise it", ""},
                {"--chunk-bytes", "N", "size of the recording buffer of each process, for example 512K or 4M", "64K"},
                {"--keep-journal", "", "keep the raw recorded data in DIR/journal after conversion", ""},
                {"--quiet", "", "print only warnings and errors, no summary", ""},
                {"--json", "", "print the summary as one line of JSON on standard error", ""}},
    .examples = {{"mora pattern record mpirun -n 64 ./app input", "64 ranks; leaves mora-pattern-app-64"},
                 {"mora pattern record --text -o ring -- mpiexec.mpich -n 4 ./ring",
                  "text traces too, in ring/ti_traces"}},
    .passthrough = true,
    .run = run_pattern_record,
};

}  // namespace mora::cli
