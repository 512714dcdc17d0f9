#include <cstdio>

#include <fmt/format.h>
#include <algorithm>

#include "base/json_writer.h"
#include "cli/verbs.h"
#include "experiment/machine_check.h"

namespace mora::cli {
namespace {

Result<int> run_doctor(const Arguments& arguments) {
  const auto checks = experiment::check_machine(arguments.get("directory", "."));
  const bool all_good = std::all_of(checks.begin(), checks.end(), [](const auto& c) { return c.good; });
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object();
    json.key("good").boolean(all_good);
    json.key("checks").begin_array();
    for (const auto& c : checks) {
      json.begin_line_object();
      json.key("name").string(c.name);
      json.key("good").boolean(c.good);
      json.key("found").string(c.found);
      json.key("remedy").string(c.remedy);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    std::fputs((json.str() + "\n").c_str(), stdout);
  } else {
    for (const auto& c : checks) {
      std::fputs(fmt::format("{:<5} {:<18} {}\n", c.good ? "ok" : "warn", c.name, c.found).c_str(), stdout);
      if (!c.remedy.empty()) std::fputs(fmt::format("{:<24} -> {}\n", "", c.remedy).c_str(), stdout);
    }
    std::fputs(all_good ? "everything works here\n" : "some things need attention\n", stdout);
  }
  return all_good ? 0 : 1;
}

}  // namespace

const Verb verb_doctor{
    .name = "doctor",
    .summary = "say what works on this machine and what to do about the rest",
    .description =
        "Checks the MPI libraries and launchers, Mora's recorders and whether they can be preloaded, the clock, shared "
        "memory, disk "
        "space, libotf2 and limits. Each line is ok or warn, with a remedy. Exit code 0 when all is well, 1 otherwise.",
    .positionals = {},
    .options = {{"--directory", "DIR", "where experiments will be written", "."}, {"--json", "", "print JSON", ""}},
    .examples = {{"mora doctor", "after installing"}},
    .run = run_doctor,
};

}  // namespace mora::cli
