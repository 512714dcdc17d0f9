/// `mora recover`: finishes the experiment of a job whose recording was interrupted.
#include "experiment/record/recover.h"

#include <cstdio>

#include "base/file.h"
#include "cli/command/verbs.h"
#include "cli/recording/profile_results.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/recorded_job.h"
#include "experiment/banner.h"
#include "experiment/journal_files.h"
#include "predict/pattern/recording/recording.h"

namespace mora::cli {
namespace {

/// Finishes the work of `mora pattern record` or `mora pattern dryrun`.
Result<int> recover_pattern(const Arguments& arguments, const std::string& directory,
                            const experiment::RunRequest& request) {
  predict::RecordingOptions options;
  options.request = request;
  options.recovered = true;
  options.keep_journals = arguments.has("keep-journal");
  for (const auto& [name, value] : request.configuration) {
    if (name == "MORA_DRYRUN") options.origin = predict::Origin::dryrun;
    if (name == predict::pattern_format_setting) {
      MORA_TRY(options.format, predict::parse_pattern_format(value));
    }
  }
  ProgressLine line(!arguments.has("json"));
  options.progress = line.callback();
  MORA_TRY(const auto recordings, predict::finish_recording(directory, options));
  line.erase();
  if (recordings.empty())
    return fail(ErrorKind::unreadable, "nothing to recover", experiment::journal_directory(directory),
                "no process left a journal there",
                "if processes ran on other machines, run mora recover on the machine that has their files");
  if (arguments.has("json"))
    std::fputs(predict::recordings_json(recordings, 0).c_str(), stdout);
  else
    for (const auto& r : recordings) std::fputs(predict::recording_banner(r).c_str(), stderr);
  return 0;
}

Result<int> run_recover(const Arguments& arguments) {
  const auto directory = directory_argument(arguments.positionals.front());
  if (const auto request = experiment::read_request(experiment::request_path(directory));
      request && predict::is_pattern_recording(*request))
    return recover_pattern(arguments, directory, *request);
  if (!file_exists(experiment::journal_directory(directory)) && file_exists(directory + "/manifest.json") &&
      (file_exists(directory + "/trace.mpt") || file_exists(directory + "/ti_traces")))
    return fail(ErrorKind::usage, "nothing to recover", directory, "it is a complete pattern without journals",
                "go on with: mora pattern matrix " + directory);
  ProgressLine line(!arguments.has("json"));
  experiment::ConvertOptions options;
  options.keep_journals = arguments.has("keep-journal");
  options.progress = line.callback();
  options.write_profile = write_profile;
  MORA_TRY(const auto runs, experiment::recover(arguments.positionals.front(), std::move(options)));
  line.erase();
  if (arguments.has("json")) {
    std::fputs(experiment::experiments_json(runs, 0).c_str(), stdout);
  } else {
    for (const auto& m : runs)
      std::fputs((experiment::experiment_banner(m) + experiment::ending_lines(m)).c_str(), stderr);
  }
  return 0;
}

}  // namespace

const Verb verb_recover{
    .name = "recover",
    .summary = "finish the experiment of a job whose recording was interrupted",
    .description =
        "Does what `mora record` does after the launcher has returned: converts the recorded data in DIR/journal to an "
        "OTF2 archive (or to a pattern trace, if it is of `mora pattern record`). Use it if `mora record` itself was "
        "killed together with the job, or if its conversion failed, for example because a disk was full. Everything "
        "that the processes recorded is kept, up to the call in which they were killed. Run it on the machine where "
        "the job ran, before a reboot, because the last records of killed processes are in shared memory.",
    .positionals = {{"DIR", "the experiment directory that contains journal/", 1, 1}},
    .options = {{"--keep-journal", "", "keep the raw recorded data in DIR/journal after conversion", ""},
                {"--json", "", "print the summary as one line of JSON", ""}},
    .examples = {{"mora recover mora-app-4", "after the machine ran out of memory"}},
    .run = run_recover,
};

}  // namespace mora::cli
