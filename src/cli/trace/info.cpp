/// `mora info`: what a trace contains, the state of its clocks, and the formats that can be read.
#include <cstdio>

#include "base/file.h"
#include "cli/command/verbs.h"
#include "cli/options/clock_option.h"
#include "report/findings/findings.h"
#include "trace/readers/open_trace.h"
#include "trace/text/trace_info.h"

namespace mora::cli {
namespace {

void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

Result<int> run_clocks(const Arguments& arguments) {
  MORA_TRY(const auto correction, open_at_corrected_times(arguments, "auto"));
  const trace::Definitions& definitions = correction.source->definitions();
  trace::NullSink nowhere;  // only when all is read the number of corrected events is known
  for (trace::LocationId l = 0; correction.report->corrected && l < definitions.locations.size(); ++l) {
    // What cannot be read has no events that move; correct_clocks() has failed if that holds for all.
    static_cast<void>(correction.source->read_location(l, nowhere));
  }
  write(arguments.has("json") ? trace::clock_report_json(*correction.report, definitions)
                              : trace::clock_report_text(*correction.report, definitions));
  return 0;
}

Result<trace::TraceInfo> info_of(trace::Source& source, const std::string& count) {
  if (count != "auto" && count != "always" && count != "never")
    return fail(ErrorKind::usage, "'" + count + "' is no choice of --count", "--count", "",
                "use --count auto, always or never");
  if (count == "always" || (count == "auto" && trace::counts_quickly(source))) return trace::gather_info(source);
  return trace::promised_info(source);
}

Result<int> run_info(const Arguments& arguments) {
  const bool json = arguments.has("json");
  if (arguments.has("formats")) {
    if (!arguments.positionals.empty())
      return fail(ErrorKind::usage, "--formats takes no trace", arguments.positionals[0], "",
                  "leave out the trace, or leave out --formats");
    write(json ? trace::formats_json() : trace::formats_text());
    return 0;
  }
  if (arguments.positionals.empty())
    return fail(ErrorKind::usage, "no trace is given", "", "", "mora info TRACE, or mora info --formats");
  if (arguments.has("clocks")) return run_clocks(arguments);
  if (arguments.has("correct-clocks") || arguments.has("min-latency"))
    return fail(ErrorKind::usage, "these options belong to --clocks", "", "", "mora info --clocks TRACE");
  const std::string& path = arguments.positionals[0];
  MORA_TRY(const std::uint64_t application, application_of(arguments));
  MORA_TRY(const auto source, trace::open_trace(path, arguments.get("format"), application));
  MORA_TRY(auto info, info_of(*source, arguments.get("count", "auto")));
  if (const auto manifest = read_file(path + "/manifest.json")) {  // an experiment: what was lost while recording
    for (QualityRow& row : report::manifest_quality(*manifest)) source->quality().add(std::move(row));
    info.programs = report::manifest_facts(*manifest)["programs"];
  }
  write(json ? trace::info_json(path, *source, info) : trace::info_text(path, *source, info));
  return 0;
}

}  // namespace

const Verb verb_info{
    "info",
    "show what a trace contains: format, ranks, events, time, losses",
    "Counts the records of a trace by kind where reading all of them takes a moment only (--count). Lists "
    "communicators, windows, metrics and groups of "
    "regions. 'clock origin' is the time on the trace's own clock that is time 0 in all other output. Everything that "
    "is missing or had to be repaired is listed under 'data quality'.",
    {{"TRACE", "an experiment directory or a trace file of any format that --formats lists", 0, 1}},
    {{"--json", "", "print one JSON object instead of text", ""},
     {"--format", "NAME", "format of TRACE, if Mora does not recognise it", ""},
     {"--count", "WHEN",
      "read all events, to count them by kind and to find what is damaged in them. 'auto': if there are at most a "
      "million; 'always'; 'never': number of records and time span are what the definitions say",
      "auto"},
     {"--clocks", "", "instead, show where messages contradict the clocks of the trace, and what a correction changes",
      ""},
     correct_clocks_option("auto"),
     min_latency_option(),
     application_option(),
     {"--formats", "", "list the formats that Mora can read, and do nothing else", ""}},
    {{"mora info mora-app-4", "what was recorded"}, {"mora info --formats", "what can be read"}},
    false,
    run_info};

}  // namespace mora::cli
