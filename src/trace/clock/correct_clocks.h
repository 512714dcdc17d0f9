/// correct_clocks(): a trace whose clocks disagree becomes one in which nothing arrives before it is sent.
///
/// The controlled logical clock (spec/wait-states.md 2.8; Rabenseifner 1997, Becker, Rabenseifner, Wolf 2009) with
/// forward and backward amortisation. Offsets of the trace are interpolated by the readers before
/// (readers/otf2/clock.h). The events stay the same, in the same order; only times change. Never silent: the report
/// says what was wrong and what was done, and the source's data quality holds `clock-corrected`.
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

/// Reads the trace once more than before, unless it is skipped: mode never, or automatic and one node (one clock).
/// Memory: `options.memory` for edges and corrections (then disk), 32 bytes per message or collective, 4 per receive.
/// Errors: no location can be read, or the spool cannot be written. Thread safety of the source: as that of the given
/// one.
Result<ClockCorrection> correct_clocks(std::unique_ptr<Source> source, const ClockOptions& options,
                                       const ProgressCallback& progress = {});

}  // namespace mora::trace
