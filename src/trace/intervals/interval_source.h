/// Intervals: the marked parts of a program, however they were marked, as plain enter and leave events.
///
/// A trace may hold marks of several kinds (rule `mark-tags`): regions of Mora's macros and of Score-P's user API
/// (RegionRole::interval), MPI_Pcontrol with a mark's number, messages to oneself with a mark as tag (DVM analyser).
/// And it may hold none: then the repeating outer loop is searched for (phases.h). with_intervals() turns all of them
/// into enter and leave events whose Event::interval is not 0; everything behind it (analysis, replay) knows one kind
/// only.
///
/// What a mark costs is measurement, not the program's: the calls of a mark are taken out, records and all, and the
/// time from the enter of the first to the leave of the last is between overhead_begin and overhead_end. An interval
/// begins where its first mark ends and ends where its last mark begins; equal times keep the order of the marks.
///
/// Diagnosed in quality(), per location: an end without a begin ("interval-end-without-begin": ignored), a begin
/// without an end ("interval-without-end": closed at the last time, or where the region ends in which it began), an end
/// whose id is not that of the innermost open interval ("interval-crossing": the intervals above the one it means are
/// closed there; if none is open under that id, it is ignored), half a mark ("interval-half-mark": a send without its
/// receive next to it), a self message in the tag range that is no mark ("interval-unknown-mark": kept as a message), a
/// mark without call site ("interval-unknown-site").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/intervals/phases.h"
#include "trace/source.h"

namespace mora::trace {

/// Of Event::interval: the interval was found (phases.h), not marked. The other bits are its number + 1.
inline constexpr std::uint32_t found_phase = 0x80000000;

enum class Phases : std::uint8_t {
  never,
  unmarked,  ///< the outer loop is looked for in traces without any mark
  always,    ///< in all traces
};

struct IntervalOptions {
  Phases phases = Phases::never;  ///< whether iterations are looked for
  /// User regions that are intervals too, by shell pattern: "solve*".
  std::vector<std::string> regions;
  /// Each execution of an interval without a number gets one: 1, 2, … within one execution of its parent.
  bool split_iterations = false;
};

/// A trace whose marks are intervals.
class MarkedSource : public Source {
 public:
  /// Events of the location as they were recorded, marks included and intervals not; 0 before its first reading.
  virtual std::uint64_t recorded_events(LocationId location) const = 0;
};

/// `source` outlives the result. definitions() and vector() are those of `source`. read_location() may be called from
/// several threads for different locations, and gives the same events each time; damage is counted at the first time
/// only. What the search for phases reads is not read from `source` again, as often as `search` says, unless $TMPDIR
/// has little room. Errors: phases: no location could be read. `search`: how phases are searched for; its `stop` is not
/// used.
Result<std::unique_ptr<MarkedSource>> with_intervals(Source& source, const IntervalOptions& options,
                                                     PhaseSearch search = {});

/// The options as words, "phases=unmarked split region=solve*" (patterns have no blanks): what a result keeps, so that
/// its trace can be read again in the same way. Words that are not known are passed over.
std::string text_of(const IntervalOptions& options);
IntervalOptions interval_options(const std::string& text);

// ---- marks as numbers ------------------------------------------------------------------------------------

/// `none`: an ordinary number. `invalid`: the first byte is that of a mark, the last is not.
enum class MarkKind : std::uint8_t { none, begin, end, invalid };

/// A mark in a tag or in the level of MPI_Pcontrol: 0x0A(id)(AA|BB), and the DVM analyser's 0xAA(id)(AA|BB), which is
/// negative and which MPI libraries therefore refuse as a tag today (rule `mark-tags`). The id has 16 bits.
struct Mark {
  MarkKind kind = MarkKind::none;
  std::uint32_t id = 0;  ///< 0 … 65535
};
Mark decode_mark(std::int32_t number);

}  // namespace mora::trace
