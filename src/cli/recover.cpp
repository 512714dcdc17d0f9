#include "experiment/recover.h"

#include <cstdio>

#include "cli/progress_line.h"
#include "cli/verbs.h"
#include "experiment/banner.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments& arguments) {
  ProgressLine line(!arguments.has("json"));
  MORA_TRY(const auto runs,
           experiment::recover(arguments.positionals.front(), arguments.has("keep-journal"), line.callback()));
  line.erase();
  if (arguments.has("json")) {
    std::fputs(experiment::experiments_json(runs, 0).c_str(), stdout);
  } else {
    for (const auto& m : runs) std::fputs(experiment::experiment_banner(m).c_str(), stderr);
  }
  return 0;
}

}  // namespace

const Verb verb_recover{
    .name = "recover",
    .summary = "make an experiment of what a crashed or killed job left",
    .description =
        "Does what `mora record` does after the launcher has returned: converts the journals in DIR/journal to an OTF2 "
        "archive. For "
        "jobs whose `mora record` was killed too, or whose conversion failed because a disk was full. Everything the "
        "processes had "
        "recorded is there, up to the call in which they were killed. Run it on the machine where the job ran, before "
        "a reboot: "
        "the last records of killed processes are in shared memory.",
    .positionals = {{"DIR", "the experiment directory that holds journal/", 1, 1}},
    .options = {{"--keep-journal", "", "keep the journals after conversion", ""},
                {"--json", "", "print one line of JSON", ""}},
    .examples = {{"mora recover mora-app-4", "after the machine ran out of memory"}},
    .run = run,
};

}  // namespace mora::cli
