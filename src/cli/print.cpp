#include <cstdio>

#include "cli/clock_option.h"
#include "cli/verbs.h"
#include "trace/rma/epoch_kinds.h"
#include "trace/rma/lock_order.h"
#include "trace/text/event_text.h"
#include "trace/text/state_text.h"

namespace mora::cli {
namespace {

/// What --at, --stack and --queue ask for; the state after the last event without --at.
Result<trace::StateQuery> state_query(const Arguments& arguments, const trace::View& view) {
  trace::StateQuery query;
  query.at = view.size();
  if (arguments.has("at")) {
    MORA_TRY(const Nanoseconds at, trace::parse_duration(arguments.get("at")));
    if (at < 0) return fail(ErrorKind::usage, "there is no event " + arguments.get("at"));
    query.at = static_cast<trace::Position>(at);
  }
  if (arguments.has("stack")) {
    MORA_TRY(query.stacks, trace::parse_ranks(arguments.get("stack")));
  }
  if (arguments.has("queue")) MORA_CHECK_OK(trace::parse_queue(arguments.get("queue"), query));
  if (query.stacks.empty() && !query.queue)
    return fail(ErrorKind::usage, "which part of the state is wanted?", "--at " + arguments.get("at"), "",
                "add --stack RANKS, --queue all, or both");
  return query;
}

Result<int> run_print(const Arguments& arguments) {
  trace::EventFilter filter;
  const std::string name = arguments.get("rma-model", "extended");
  if (name != "basic" && name != "extended")
    return fail(ErrorKind::usage, "there is no RMA model '" + name + "'", "", "",
                "use --rma-model basic or --rma-model extended");
  const std::string clock = arguments.get("clock", "start");
  if (clock != "start" && clock != "trace")
    return fail(ErrorKind::usage, "there is no clock '" + clock + "'", "", "", "use --clock start or --clock trace");
  if (arguments.has("ranks")) {
    MORA_TRY(filter.ranks, trace::parse_ranks(arguments.get("ranks")));
  }
  if (arguments.has("kinds")) {
    MORA_TRY(filter.types, trace::parse_types(arguments.get("kinds")));
  }
  if (arguments.has("from")) {
    MORA_TRY(filter.from, trace::parse_duration(arguments.get("from")));
  }
  if (arguments.has("to")) {
    MORA_TRY(filter.to, trace::parse_duration(arguments.get("to")));
  }
  if (arguments.has("limit")) {
    MORA_TRY(const Nanoseconds limit, trace::parse_duration(arguments.get("limit")));
    if (limit < 0) return fail(ErrorKind::usage, "the limit must not be negative", arguments.get("limit"));
    filter.limit = static_cast<std::uint64_t>(limit);
  }
  MORA_TRY(const auto correction, open_at_corrected_times(arguments, "never"));
  const trace::RmaModel model = name == "basic" ? trace::RmaModel::basic : trace::RmaModel::extended;
  MORA_TRY(const auto view, trace::View::make(*correction.source, view_of(arguments, model, correction)));
  if (arguments.has("locks") || arguments.has("epochs")) {
    if (arguments.has("locks")) std::fputs(trace::lock_order_text(*view).c_str(), stdout);
    if (arguments.has("epochs")) std::fputs(trace::window_epochs_text(*view).c_str(), stdout);
    return 0;
  }
  if (arguments.has("at") || arguments.has("stack") || arguments.has("queue")) {
    MORA_TRY(const auto query, state_query(arguments, *view));
    MORA_TRY(const std::string state,
             arguments.has("json") ? trace::state_json(*view, query) : trace::state_text(*view, query));
    std::fwrite(state.data(), 1, state.size(), stdout);
    return 0;
  }
  if (clock == "trace") {
    filter.origin = view->definitions().time_origin;
    for (auto* bound : {&filter.from, &filter.to}) {
      if (*bound) **bound -= filter.origin;
    }
  }
  const auto write = [](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  };
  if (arguments.has("json"))
    trace::print_json(*view, filter, write);
  else
    trace::print_text(*view, filter, write);
  return 0;
}

}  // namespace

const Verb verb_print{
    "print",
    "show the events of a trace as text",
    "Merges all ranks into one stream, numbered 1 to m by time, and prints one line per event in KOJAK's and EARL's\n"
    "names: number, time in nanoseconds, location, type, attributes, and pointers to earlier events (enter, send, "
    "start,\n"
    "origin). docs/formats/trace-text.md describes the lines. What had to be mended or is missing follows the events "
    "in\n"
    "lines that start with '!'.",
    {{"TRACE", "an experiment directory, an OTF2 anchor file (traces.otf2) or a trace text", 1, 1}},
    {{"--rma-model", "MODEL",
      "where one-sided transfers end: 'basic' at the return of their call, 'extended' at the call that completes them",
      "extended"},
     {"--ranks", "LIST", "only these ranks, for example 0-3,7", ""},
     {"--from", "TIME", "only events at or after this time (ns, or with a unit: 1.5us, 2s)", ""},
     {"--to", "TIME", "only events at or before this time", ""},
     {"--kinds", "LIST", "only these types, for example SEND,RECV", ""},
     {"--limit", "N", "stop after N lines", ""},
     {"--clock", "CLOCK", "times since the 'start' of the trace, or in the 'trace' file's own clock", "start"},
     correct_clocks_option("never"),
     min_latency_option(),
     {"--at", "N", "instead of events, the state after event N (0: the empty one before the first), with …",
      "the last"},
     {"--stack", "RANKS", "… the region stacks of these ranks: numbers and names of their ENTERs, youngest first", ""},
     {"--queue", "WHICH", "… the messages sent and not received: all, DEST, or DEST,SRC", ""},
     {"--locks", "", "instead of events, the derived order of window locks", ""},
     {"--epochs", "", "instead of events, the RMA and local epochs of each rank on each window", ""},
     {"--json", "", "one JSON object instead of lines", ""}},
    {{"mora print mora-app-4 --kinds SEND,RECV --limit 20", "the first messages"},
     {"mora print mora-app-4 --at 1000 --stack 0-3 --queue all", "where everybody is after event 1000"},
     {"mora print app.trace --rma-model basic", "one-sided transfers as they were recorded"}},
    false,
    run_print};

}  // namespace mora::cli
