#include <cstdio>

#include <fmt/format.h>
#include <algorithm>

#include "base/json/json_document.h"
#include "cli/command/verbs.h"
#include "experiment/record/machine_check.h"

namespace mora::cli {
namespace {

Result<int> run_doctor(const Arguments& arguments) {
  const auto checks = experiment::check_machine(arguments.get("directory", "."));
  const bool all_good = std::all_of(checks.begin(), checks.end(), [](const auto& c) { return c.good; });
  if (arguments.has("json")) {
    JsonDocument json("mora-doctor");
    json.fields("good", all_good, "checks", list(checks, [&](const auto& c) {
                  json.line("name", c.name, "good", c.good, "found", c.found, "remedy", c.remedy);
                }));
    std::fputs(json.finish().c_str(), stdout);
  } else {
    for (const auto& c : checks) {
      std::fputs(fmt::format("{:<5} {:<18} {}\n", c.good ? "ok" : "warn", c.name, c.found).c_str(), stdout);
      if (!c.remedy.empty()) std::fputs(fmt::format("{:<24} -> {}\n", "", c.remedy).c_str(), stdout);
    }
    std::fputs(all_good ? "all checks passed\n" : "some checks have warnings; see the remedies behind ->\n", stdout);
  }
  return all_good ? 0 : 1;
}

}  // namespace

const Verb verb_doctor{
    .name = "doctor",
    .summary = "check whether Mora works on this machine, with remedies",
    .description =
        "Checks the MPI libraries and launchers, Mora's recorders and whether they can be preloaded, the clock, shared "
        "memory, disk space, libotf2 and system limits. Each line is ok or warn; a warning has a remedy. The exit code "
        "is 0 if there is no warning, else 1.",
    .positionals = {},
    .options = {{"--directory", "DIR", "directory in which experiments will be written", "."},
                {"--json", "", "print JSON", ""}},
    .examples = {{"mora doctor", "after installing"}},
    .run = run_doctor,
    .check_failed = "there is a warning",
};

}  // namespace mora::cli
