/// `mora print`: the events of a trace as text, or the state after an event, the order of locks, the epochs of windows.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/numbers/rank_list.h"
#include "cli/command/verbs.h"
#include "cli/options/clock_option.h"
#include "trace/rma/epoch_kinds.h"
#include "trace/rma/lock_epochs.h"
#include "trace/text/event_text.h"
#include "trace/text/state_text.h"

namespace mora::cli {
namespace {

/// The state that --at, --stack and --queue ask for; without --at the one after the last event.
Result<trace::StateQuery> state_query(const Arguments& arguments, const trace::View& view) {
  trace::StateQuery query;
  query.at = view.size();
  if (arguments.has("at")) {
    MORA_TRY(const Nanoseconds at, trace::parse_duration(arguments.get("at")));
    if (at < 0) return fail(ErrorKind::usage, "there is no event " + arguments.get("at"));
    query.at = static_cast<trace::Position>(at);
  }
  if (arguments.has("stack")) {
    MORA_TRY(query.stacks, RankList::parse(arguments.get("stack"), "--stack"));
  }
  if (arguments.has("queue")) MORA_CHECK_OK(trace::parse_queue(arguments.get("queue"), query));
  if (!query.stacks && !query.queue)
    return fail(ErrorKind::usage, "it is not said which part of the state is wanted", "--at " + arguments.get("at"), "",
                "add --stack RANKS, --queue all, or both");
  return query;
}

/// Not of the state at one of them, nor of locks or epochs.
bool is_of_events(const Arguments& arguments) {
  constexpr const char* others[] = {"at", "stack", "queue", "locks", "epochs"};
  return std::none_of(std::begin(others), std::end(others), [&](const char* name) { return arguments.has(name); });
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
    MORA_TRY(filter.ranks, RankList::parse(arguments.get("ranks"), "--ranks"));
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
    const auto limit = trace::parse_duration(arguments.get("limit"));
    if (!limit || *limit < 0) {
      return fail(ErrorKind::usage, "'" + arguments.get("limit") + "' is not a count", "--limit",
                  "it must be a whole number, 0 or greater");
    }
    filter.limit = static_cast<std::uint64_t>(*limit);
  }
  MORA_TRY(const auto correction, open_at_corrected_times(arguments, "never"));
  const trace::RmaModel model = name == "basic" ? trace::RmaModel::basic : trace::RmaModel::extended;
  trace::ViewOptions options = view_of(arguments, model, correction);
  const trace::Definitions& definitions = correction.source->definitions();
  if (clock == "trace") {
    filter.origin = definitions.time_origin;
    for (auto* bound : {&filter.from, &filter.to}) {
      if (*bound) **bound -= filter.origin;
    }
  }
  trace::Beginning beginning;
  if (is_of_events(arguments) && (arguments.has("limit") || filter.to)) {
    beginning.events = filter.limit;
    beginning.until = filter.to.value_or(INT64_MAX);
    beginning.accepts = [&](trace::LocationId location, trace::EarlType type, Nanoseconds time) {
      return filter.accepts(definitions, location, type, time);
    };
    options.beginning = &beginning;
  }
  MORA_TRY(const auto view, trace::View::make(*correction.source, options));
  filter.events = beginning.all;
  if (arguments.has("locks") || arguments.has("epochs")) {
    if (arguments.has("locks")) std::fputs(trace::lock_order_text(*view).c_str(), stdout);
    if (arguments.has("epochs")) std::fputs(trace::window_epochs_text(*view).c_str(), stdout);
    MORA_CHECK_OK(view->intact());
    return 0;
  }
  if (!is_of_events(arguments)) {
    MORA_TRY(const auto query, state_query(arguments, *view));
    MORA_TRY(const std::string state,
             arguments.has("json") ? trace::state_json(*view, query) : trace::state_text(*view, query));
    MORA_CHECK_OK(view->intact());
    std::fwrite(state.data(), 1, state.size(), stdout);
    return 0;
  }
  const std::uint32_t ranks = definitions.world_size;
  if (filter.ranks && !filter.ranks->is_all() && filter.ranks->highest() >= ranks && ranks > 0)
    std::fprintf(stderr, "mora: note: the trace has no rank %u; its ranks are 0 to %u\n", filter.ranks->highest(),
                 ranks - 1);
  const auto write = [](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  };
  if (arguments.has("json"))
    trace::print_json(*view, filter, write);
  else
    trace::print_text(*view, filter, write);
  MORA_CHECK_OK(view->intact());
  return 0;
}

}  // namespace

const Verb verb_print{
    "print",
    "show the events of a trace as text",
    "Merges all ranks into one stream of events, numbered from 1 by time, and prints one line per event: number, time "
    "in nanoseconds, location, type, attributes, and the numbers of related events (enter, send, start, origin). Types "
    "and attributes have the names of EARL and KOJAK (Wolf 1998, Hermanns 2004). docs/formats/trace-text.md describes "
    "the lines. What had to be repaired or is missing follows in lines that start with '!'.",
    {{"TRACE", "an experiment directory or a trace file (traces.otf2, or another format of mora info --formats)", 1,
      1}},
    {{"--rma-model", "MODEL",
      "where one-sided transfers end: 'basic': when their call returns; 'extended': when the synchronisation that "
      "completes them returns",
      "extended"},
     {"--ranks", "LIST", "print only these ranks, for example 0-3,7", ""},
     {"--from", "TIME", "print only events at or after this time (ns, or with a unit: 1.5us, 2s)", ""},
     {"--to", "TIME", "print only events at or before this time", ""},
     {"--kinds", "LIST", "print only events of these types, for example SEND,RECV", ""},
     {"--limit", "N",
      "stop after N lines. If the trace has no index yet, none is made; lines that start with '!' then tell what was "
      "found while reading, but not which messages lack their partner",
      ""},
     {"--clock", "CLOCK", "'start': times since the start of the trace; 'trace': times on the clock of the trace file",
      "start"},
     correct_clocks_option("never"),
     min_latency_option(),
     application_option(),
     {"--at", "N",
      "instead of events, print the state after event N (0: before the first event); choose parts with --stack and "
      "--queue",
      "the last event"},
     {"--stack", "RANKS",
      "the region stacks of these ranks: numbers and names of their ENTER events, the last one first", ""},
     {"--queue", "WHICH", "the messages that were sent and not yet received: all, those to rank DEST, or DEST,SRC", ""},
     {"--locks", "",
      "instead of events, print the order in which window locks were granted, as it follows from the trace (no record "
      "tells it)",
      ""},
     {"--epochs", "",
      "instead of events, print the epochs of each rank on each window, with and without one-sided transfers", ""},
     {"--json", "", "print one JSON object instead of lines", ""}},
    {{"mora print mora-app-4 --kinds SEND,RECV --limit 20", "the first messages"},
     {"mora print mora-app-4 --at 1000 --stack 0-3 --queue all", "in which calls the ranks are after event 1000"},
     {"mora print app.trace --rma-model basic", "one-sided transfers as they were recorded"}},
    false,
    run_print};

}  // namespace mora::cli
