/// One small trace per wait state (docs/patterns/<id>.trace), compiled in: what `mora explain` draws and the tests hold
/// the analysis to. In the trace, comment lines before the first statement are its caption; `# severity: 0 6` names the
/// nanoseconds of the wait state on each location, computed by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/teaching/picture.h"

namespace mora::report {

/// One example trace, compiled in.
struct TeachingTrace {
  std::string_view metric;  ///< id
  std::string_view text;    ///< in the text language for traces
};

/// Sorted by id.
const std::vector<TeachingTrace>& teaching_traces();
/// nullptr if the metric has none.
const TeachingTrace* find_teaching_trace(std::string_view metric);

/// What the trace says of itself.
struct TeachingText {
  std::string caption;
  std::vector<Nanoseconds> severity;  ///< by location
};
/// Parses the comment lines at the head of the trace.
TeachingText teaching_text(const TeachingTrace& trace);

/// Reads and analyses the trace. Errors: the trace cannot be read, or its metric does not exist.
Result<Picture> teaching_picture(const TeachingTrace& trace);

}  // namespace mora::report
