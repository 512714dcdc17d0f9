/// A time-stamped trace (OTF2 experiments and whatever trace::Source reads) as a pattern trace. What such traces do not
/// hold is named in the quality table: datatypes (all bytes), wildcards, order of completions. Errors as the source's.
#pragma once

#include "base/error.h"
#include "base/progress.h"
#include "predict/pattern/trace.h"
#include "trace/source.h"

namespace mora::predict {

/// Reads the source twice. Not for one source in two threads.
Result<PatternTrace> pattern_of_trace(trace::Source& source, const ProgressCallback& progress = {});

}  // namespace mora::predict
