#include <cstdio>

#include "cli/verbs.h"
#include "trace/text/trace_info.h"

namespace mora::cli {
namespace {

void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

Result<int> run_info(const Arguments& arguments) {
  const bool json = arguments.has("json");
  if (arguments.has("formats")) {
    if (!arguments.positionals.empty())
      return fail(ErrorKind::usage, "--formats takes no trace", arguments.positionals[0], "",
                  "mora info --formats lists what can be read");
    write(json ? trace::formats_json() : trace::formats_text());
    return 0;
  }
  if (arguments.positionals.empty())
    return fail(ErrorKind::usage, "no trace is given", "", "", "mora info TRACE, or mora info --formats");
  const std::string& path = arguments.positionals[0];
  MORA_TRY(const auto source, trace::open_trace(path, arguments.get("format")));
  MORA_TRY(const auto info, trace::gather_info(*source));
  write(json ? trace::info_json(path, *source, info) : trace::info_text(path, *source, info));
  return 0;
}

}  // namespace

const Verb verb_info{
    "info",
    "say what a trace holds: format, ranks, events, time, losses",
    "Reads the whole trace once and counts its records per kind. Names communicators, windows, metrics and groups of\n"
    "regions; 'clock origin' is time 0 of all other output on the trace's own clock. Everything that is missing or had "
    "to\nbe mended is listed under 'data quality'.",
    {{"TRACE", "an experiment directory or a trace file of any format that --formats lists", 0, 1}},
    {{"--json", "", "one JSON object instead of text", ""},
     {"--format", "NAME", "read it as this format instead of finding out", ""},
     {"--formats", "", "list the formats that can be read", ""}},
    {{"mora info mora-app-4", "what was recorded"}, {"mora info --formats", "what can be read"}},
    false,
    run_info};

}  // namespace mora::cli
