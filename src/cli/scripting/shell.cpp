/// `mora shell`: Python's prompt with the `mora` module.
#include "cli/command/verbs.h"
#include "cli/scripting/python_process.h"

namespace mora::cli {
namespace {

Result<int> run_shell(const Arguments& arguments) {
  std::vector<std::string> words = arguments.positionals;
  words.insert(words.begin(), "shell");
  return become_python(words);
}

}  // namespace

const Verb verb_shell{
    .name = "shell",
    .summary = "start a Python prompt with the mora module",
    .description =
        "Starts an interactive Python in which `mora` is imported; with TRACE, the variable `trace` is the opened "
        "trace. Lines can also come from a pipe: values of expressions are printed, and the exit code is 1 if a line "
        "failed. help(mora) is the manual.",
    .positionals = {{"TRACE", "experiment directory or trace file", 0, 1}},
    .options = {},
    .examples = {{"mora shell mora-app-4", "explore a trace"},
                 {"echo 'len(trace)' | mora shell mora-app-4", "one question"}},
    .run = run_shell,
};

}  // namespace mora::cli
