/// `mora script`: a Python script with the `mora` module.
#include "cli/command/verbs.h"
#include "cli/scripting/python_process.h"

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
        "Runs FILE with /usr/bin/python3 (set MORA_PYTHON to use another one); `import mora` works without any setup. "
        "sys.argv has the name of the script and its arguments. The exit code is that of the script.\n\n"
        "If the script fails with an exception, Mora also prints the events, states and traces that its variables "
        "held, so that the place in the trace is known.\n\n"
        "A script whose first line is #!/usr/bin/env -S mora script can be started like any program. Guide: "
        "docs/user/scripts.md; examples: examples/scripts/.",
    .positionals = {{"FILE", "the Python script; - reads it from standard input", 1, 1},
                    {"ARGUMENTS", "arguments of the script", 0, -1}},
    .options = {},
    .examples = {{"mora script examples/scripts/early_receive.py mora-app-4",
                  "runs one of the examples on an experiment"},
                 {"mora script - mora-app-4 < analysis.py", "from standard input"}},
    .passthrough = true,
    .run = run_script,
};

}  // namespace mora::cli
