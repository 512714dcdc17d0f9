#include <cstdio>

#include "cli/verbs.h"
#include "trace/text/trace_info.h"

namespace mora::cli {
namespace {

Result<int> run_info(const Arguments& arguments) {
  const std::string& path = arguments.positionals.at(0);
  MORA_TRY(const auto source, trace::open_trace(path));
  MORA_TRY(const auto info, trace::gather_info(*source));
  const std::string text =
      arguments.has("json") ? trace::info_json(path, *source, info) : trace::info_text(path, *source, info);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

const Verb verb_info{"info",
                     "say what a trace holds: format, ranks, events, time, losses",
                     "Reads the whole trace once and counts. Everything that is missing or had to be mended is listed "
                     "under 'data quality'.",
                     {{"TRACE", "an experiment directory, an OTF2 anchor file (traces.otf2) or a trace text", 1, 1}},
                     {{"--json", "", "one JSON object instead of text", ""}},
                     {{"mora info mora-app-4", "what was recorded"}},
                     false,
                     run_info};

}  // namespace mora::cli
