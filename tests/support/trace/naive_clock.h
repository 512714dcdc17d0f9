/// The forward rule (forward_clock.h) applied to all events until nothing changes: what the sweep is tested against.
/// Tests only. Knows messages and collectives on communicators, nothing else; shares no code with the correction.
#pragma once

#include <vector>

#include "trace/clock/clock_options.h"
#include "trace/memory_source.h"

namespace mora::trace::naive {

struct NaiveEdge {
  std::uint32_t from = 0, to = 0;    ///< locations
  std::size_t source = 0, sink = 0;  ///< positions in their streams
  Nanoseconds latency = 0;
};

std::vector<NaiveEdge> naive_edges(const MemorySource& trace, const ClockOptions& options);

using Times = std::vector<std::vector<Nanoseconds>>;  ///< per location, per event

/// Empty if the edges form a circle.
Times naive_forward(const MemorySource& trace, const std::vector<NaiveEdge>& edges, const ClockOptions& options);

}  // namespace mora::trace::naive
