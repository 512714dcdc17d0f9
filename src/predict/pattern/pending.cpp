// Removed as soon as the helpers' files are there: lets `mora` link meanwhile.
#include "predict/pattern/check.h"
#include "predict/pattern/from_journal.h"
#include "predict/pattern/from_trace.h"
#include "predict/pattern/matrix.h"

namespace mora::predict {
#define PENDING __attribute__((weak))
PENDING Result<PatternTrace> pattern_of_trace(trace::Source&, ProgressCallback) { return fail(ErrorKind::internal, "pending"); }
PENDING std::vector<Disagreement> check_pattern(const PatternTrace&) { return {}; }
PENDING std::vector<Disagreement> compare_patterns(const PatternTrace&, const PatternTrace&) { return {}; }
PENDING Result<Placement> parse_placement(std::string_view, const std::string&) { return fail(ErrorKind::internal, "pending"); }
}  // namespace mora::predict
