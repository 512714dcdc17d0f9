/// Text of the first execution of intervals; the rule is match/interval_visits.h.
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo first_execution_info{
    "first-execution",
    "First Execution",
    "mora_first_execution",
    "",
    cube::Unit::seconds,
    false,
    "How long an interval's first execution took, with everything in it.",
    "L - E of the location's first visit of the interval (name, file, line, id within the interval around it, by "
    "whatever call path), at its call path; nested intervals are in it and have their own: do not add them",
    "DVM analyser, 4.3; Mora's rule overlap",
    "Much longer than the mean of the others: loading of the program, first touch of memory, connections being made.",
    "Judge the interval without it: id per iteration, or one warm-up iteration outside the interval."};

}  // namespace mora::analysis
