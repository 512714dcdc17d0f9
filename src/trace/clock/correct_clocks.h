/// correct_clocks(): shows a trace whose clocks disagree at times by which no message arrives before it is sent.
///
/// Source: the controlled logical clock with forward and backward amortisation (Rabenseifner 1997; Becker 2009), as in
/// Scalasca 2.6; rule `clock-correction` says when it is applied. Clock offsets that the trace itself holds are
/// interpolated by the readers before (readers/otf2/definitions/clock.h). The events stay the same, in the same order;
/// only times change. What was wrong and what was done is always in the report, and `clock-corrected` in the source's
/// data quality. Steps: link_collector.h (ends of edges), junctions.h (which belong together), forward_sweep.h (later
/// times for receiving ends), amortisation.h (earlier events follow), corrected_source.h (events at corrected times).
#pragma once

#include <memory>

#include "base/progress.h"
#include "trace/clock/clock_report.h"
#include "trace/source.h"

namespace mora::trace {

struct ClockCorrection {
  std::unique_ptr<Source> source;
  std::shared_ptr<ClockReport> report;  ///< `moved` of a location grows while it is read
};

/// Takes over `source` and returns it, or a source that corrects it. Reads the trace once, unless nothing is to be
/// done: mode never, or mode automatic and all locations on one node (one clock). Memory: `options.memory` bytes for
/// edges and corrections (then disk), 32 bytes per message or collective, 4 per receive. Errors: a speed below one half
/// (usage), no location can be read (unreadable), the spool cannot be written or read back (system). Thread safety of
/// the result: as that of the given source.
Result<ClockCorrection> correct_clocks(std::unique_ptr<Source> source, const ClockOptions& options,
                                       const ProgressCallback& progress = {});

}  // namespace mora::trace
