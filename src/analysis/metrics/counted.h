/// Counters that a trace has besides those the analysis knows by name: each becomes a metric of the result, behind all
/// others, under its own name. Its cells are what the call path itself counted, calls of MPI included, as other tools
/// show metrics of PAPI; levels (a temperature, a queue's length) add up to nothing and are left out. Rule
/// `counters-by-call-path` (docs/rules/efficiency.md). Safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "cube/cube.h"
#include "trace/definitions.h"

namespace mora::analysis {

/// Whether it is such a metric: also of a result that was read from a file.
bool is_counted_metric(const cube::Metric& metric);

/// Indices in trace::Definitions::metrics, ascending; one for each name.
std::vector<std::uint32_t> counted_metrics(const trace::Definitions& definitions);

/// Appends them, in the same order: the first is number all_metrics().size(). Ids are "counter-NAME", nanoseconds and
/// bytes by the counter's unit, else occurrences.
void append_counted_metrics(const trace::Definitions& definitions, SharedList<cube::Metric>& metrics);

}  // namespace mora::analysis
