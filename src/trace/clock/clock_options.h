/// The options of the correction of clocks, with their defaults. Times in ns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace mora::trace {

enum class ClockMode : std::uint8_t {
  never,
  automatic,  ///< if there is more than one clock, and by them something was received before it was sent
  always,     ///< whatever is violated, on one clock too
};

struct ClockOptions {
  ClockMode mode = ClockMode::automatic;
  /// Least time from the sending to the receiving end of an edge. The defaults are those of Scalasca's timestamp
  /// correction (Scalasca 2.6): 1 us inside a node, 3 us between nodes, 0.1 us between threads.
  Nanoseconds inside_node = 1000;
  Nanoseconds between_nodes = 3000;
  Nanoseconds between_threads = 100;
  /// After a jump the corrected clock runs slower than the recorded one by this share, until both agree again:
  /// 1 - gamma = 1/100000 (gamma = 0.99999, as in Scalasca 2.6). At most one half.
  std::uint32_t loss_numerator = 1;
  std::uint32_t loss_denominator = 100000;
  /// Backward amortisation spreads a jump over this many times its height before it.
  std::uint32_t window = 100;
  /// Bytes of edges and corrections that stay in memory; the rest is spooled to TMPDIR.
  std::size_t memory = std::size_t{256} << 20;
  unsigned workers = 0;  ///< threads that read locations; 0 = usable cores
};

}  // namespace mora::trace
