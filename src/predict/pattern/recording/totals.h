/// Totals of a pattern trace: how often each operation was called, how many messages, how many bytes. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "predict/pattern/trace.h"

namespace mora::predict {

/// How often each number occurs in the unfolded sequence: index → times. O(folded length).
std::vector<std::uint64_t> occurrences(const Sequence& sequence, std::size_t numbers);

struct PatternTotals {
  std::uint64_t calls = 0;                        ///< of MPI: without the phases' marks
  std::uint64_t messages = 0, message_bytes = 0;  ///< point-to-point, as sent
  std::uint64_t collectives = 0;                  ///< calls of all ranks
  std::uint64_t one_sided = 0, one_sided_bytes = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;  ///< files
  std::uint64_t dropped_tests = 0;
  std::vector<std::uint64_t> by_operation;  ///< index: Operation
};

/// Of all ranks in the trace. O(folded length).
PatternTotals totals_of(const PatternTrace& trace);

}  // namespace mora::predict
