/// JSON of the Trace Event Format to single events, without a tree of the file in memory.
/// Cost: linear in the file.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace mora::trace::chrome {

/// One entry of "args". Numbers are kept as their text, because times are exact decimals.
struct Argument {
  std::string key, text;
  bool is_number = false;
};

/// The fields of one event that Mora uses, as text; empty = not given.
struct TraceEvent {
  std::string name, cat, ph, id, ts, dur, pid, tid, bp;
  bool has_flow = false;  ///< flow_in, flow_out
  std::vector<Argument> args;
  void clear();
};

/// How reading ended.
struct ParseEnd {
  bool complete = false;
  bool cut = false;                  ///< the end of the file came too early …
  bool inside_event = false;         ///< … inside an event
  bool terminated_by_array = false;  ///< … in the array form, whose closing bracket is optional
  std::uint64_t byte = 0;
  std::string why;
  std::int64_t clock_origin_ns = 0;  ///< as "otherData" says
};

/// Hands every object of the top array, or of the array "traceEvents" of the top object, to `on_event` (the event may
/// be moved from). Depth is limited to 64; the parser does not recurse. Memory: the largest event.
ParseEnd parse_trace_events(std::istream& input, const std::function<void(TraceEvent&)>& on_event);

}  // namespace mora::trace::chrome
