/// Events of a view as stable text and JSON (docs/formats/trace-text.md, "What mora print writes").
///
/// The attributes of an event and their order are listed once (event_text.cpp) and used by both forms. All functions
/// are thread-safe as far as the view is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json/json_writer.h"
#include "base/numbers/rank_list.h"
#include "trace/clock/clock_options.h"
#include "trace/view/view.h"

namespace mora::trace {

/// Which events are printed. Their numbers stay those of the whole view.
struct EventFilter {
  std::optional<RankList> ranks;        ///< nullopt = all
  std::set<EarlType> types;             ///< empty = all
  std::optional<Nanoseconds> from, to;  ///< both inclusive
  std::uint64_t limit = UINT64_MAX;
  std::uint64_t events = 0;  ///< of the whole trace where the view holds its beginning; 0: View::size()
  Nanoseconds origin = 0;    ///< added to the times that are shown: Definitions::time_origin for the trace's own clock
  bool accepts(const Definitions& definitions, LocationId location, EarlType type, Nanoseconds time) const;
};

/// "SEND,RECV", any case. Errors: usage, with the list of names.
Result<std::set<EarlType>> parse_types(const std::string& text);
/// "1500", "1.5us", "2 s": nanoseconds. Errors: usage.
Result<Nanoseconds> parse_duration(const std::string& text);
/// "3us,1us,100ns": the shortest times of a message between nodes, inside a node and between threads; what is left out
/// at the end stays as it is. Errors: usage, at `where`: the option's name.
Result<void> parse_min_latencies(std::string text, const std::string& where, ClockOptions& options);

/// The functions that a call was made through, its call path: "main > step"; empty if it was not recorded.
std::string call_path_text(const Definitions& definitions, RegionId region);

/// A caller's functions, its own last: "main > step"; empty for no_id.
std::string caller_text(const Definitions& definitions, CallerId caller);

/// "P3", "P3.1" for a thread.
std::string location_name(const Location& location);
/// One line without its end. `origin` as in EventFilter.
std::string event_line(const View& view, Position position, Nanoseconds origin = 0);
/// One object on one line.
void event_json(JsonWriter& json, const View& view, Position position, Nanoseconds origin = 0);
/// "! kind [where] count: what", one per row.
std::string quality_lines(const DataQuality& quality);

/// The whole output of `mora print`, in pieces of about 64 KiB. `write` returns false to stop (a closed pipe).
using TextSink = std::function<bool(std::string_view)>;
void print_text(const View& view, const EventFilter& filter, const TextSink& write);
void print_json(const View& view, const EventFilter& filter, const TextSink& write);

}  // namespace mora::trace
