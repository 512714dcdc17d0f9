/// `mora script`: a Python script with the `mora` module.
#include "cli/python_process.h"
#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run_script(const Arguments& arguments) {
  std::vector<std::string> words = arguments.positionals;
  words.insert(words.begin(), "script");
  return become_python(words);
}

}  // namespace

const Verb verb_script{
    .name = "script",
    .summary = "run a Python script with the mora module",
    .description =
        "Runs FILE with /usr/bin/python3 (MORA_PYTHON chooses another); `import mora` works without any setup. The "
        "script "
        "finds its own name in sys.argv[0] and its arguments behind it. The exit code is the script's.\n\n"
        "If the script fails, the traceback is followed by the place in the trace: the events, states and traces that "
        "its "
        "variables held.\n\n"
        "A script that begins with the line #!/usr/bin/env -S mora script can be started like any program. Guide: "
        "docs/user/scripts.md; examples: examples/scripts/.",
    .positionals = {{"FILE", "the script; - reads it from standard input", 1, 1},
                    {"ARGUMENTS", "the script's own", 0, -1}},
    .options = {},
    .examples = {{"mora script examples/scripts/early_receive.py mora-app-4", "waiting time of early receives"},
                 {"mora script - mora-app-4 < analysis.py", "from standard input"}},
    .passthrough = true,
    .run = run_script,
};

}  // namespace mora::cli
