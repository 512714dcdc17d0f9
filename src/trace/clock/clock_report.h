/// The error report of the clocks: what was wrong, what the correction did, what is left. Edges are counted by the
/// clocks of the trace and again by the corrected ones; text, JSON and one line for other reports. Pure functions,
/// O(locations).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "trace/clock/clock_options.h"
#include "trace/clock/link.h"

namespace mora::trace {

/// Numbers of edges of one kind. Of a collective each member that has to wait for others counts as one edge.
struct EdgeErrors {
  std::uint64_t edges = 0;
  std::uint64_t reversed = 0;          ///< ended before they began
  std::uint64_t reversed_between = 0;  ///< … of those, between nodes
  std::uint64_t too_short = 0;         ///< ended after they began, but sooner than the minimum latency
  std::uint64_t violated() const { return reversed + too_short; }
  EdgeErrors& operator+=(const EdgeErrors& other);
  bool operator==(const EdgeErrors&) const = default;
};

/// All edges of a trace by one set of times.
struct EdgeCheck {
  std::array<EdgeErrors, edge_kinds> kinds;  ///< by EdgeKind
  EdgeErrors total() const;                  ///< over all kinds
};

/// An edge whose ends contradict each other.
struct WrongEdge {
  EdgeKind kind = EdgeKind::message;
  std::uint32_t from = no_id, to = no_id;  ///< locations; `from`: of collectives the latest one
  Nanoseconds begin = 0, end = 0;          ///< by the clocks of the trace
  Nanoseconds latency = 0;                 ///< least distance
  /// By how much it is too early, at most INT64_MAX.
  Nanoseconds error() const {
    const Nanoseconds early = begin >= 0 && end < begin - INT64_MAX ? INT64_MAX : begin - end;
    return early > INT64_MAX - latency ? INT64_MAX : early + latency;
  }
};

/// What the correction did to one location.
struct LocationCorrection {
  EdgeErrors before, after;       ///< edges that end here
  std::uint64_t jumps = 0;        ///< events that an edge lifted
  std::uint64_t moved = 0;        ///< events whose time changed; known when the location was read
  Nanoseconds largest_shift = 0;  ///< corrected − recorded, over ends of edges
  Nanoseconds final_shift = 0;    ///< at the last event
};

/// An interval between two events, corrected and recorded: how much time was stretched.
struct Slope {
  Nanoseconds corrected = 0, recorded = 0;  ///< recorded 0: nothing was stretched
  double ratio() const { return recorded == 0 ? 1.0 : static_cast<double>(corrected) / static_cast<double>(recorded); }
};

/// The report of one correction. Complete when correct_clocks() returns, except LocationCorrection::moved.
struct ClockReport {
  ClockMode mode = ClockMode::automatic;
  std::uint32_t nodes = 0;
  bool checked = false;  ///< false: skipped without a look, `reason` says why
  bool corrected = false;
  std::string reason;  ///< sentence: why corrected, or why not
  std::uint32_t passes = 0;
  EdgeCheck before, after;
  std::uint64_t circular = 0;  ///< edges that no clock can satisfy
  std::uint64_t unused = 0;    ///< ends whose other end is missing or not certain
  std::uint64_t jumps = 0;
  std::uint64_t without_room = 0;  ///< jumps behind an event of the same time, with no window to spread them over
  Nanoseconds largest_shift = 0;
  Nanoseconds largest_final_shift = 0;
  Slope largest_slope;
  Nanoseconds inside_node = 0, between_nodes = 0, between_threads = 0;
  std::vector<WrongEdge> worst;  ///< largest errors before, at most 10
  std::vector<LocationCorrection> locations;
  std::uint64_t moved() const;  ///< events whose time changed, of all locations
};

const char* to_string(EdgeKind kind);
const char* to_string(ClockMode mode);

/// For people, several lines; `definitions` names the locations.
std::string clock_report_text(const ClockReport& report, const Definitions& definitions);
/// One line for the end of a verb; empty if nothing was corrected and no edge is violated.
std::string clock_report_line(const ClockReport& report);
/// An object (docs/user/clocks.md).
std::string clock_report_json(const ClockReport& report, const Definitions& definitions);
/// Rows of the data-quality table.
void clock_report_quality(const ClockReport& report, const Definitions& definitions, DataQuality& quality);

}  // namespace mora::trace
