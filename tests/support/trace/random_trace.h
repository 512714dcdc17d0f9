/// Random small traces for property tests. Tests only.
///
/// The same seed gives always the same trace: messages (blocking, non-blocking, cancelled, unmatched, clocks that
/// disagree), collectives on several communicators, blocking and not, windows under fences, locks and access epochs,
/// threads, cut-off streams, and many equal times within and between locations. The programs are plausible, but not
/// always correct: models and views must agree on damage, too.
#pragma once

#include <cstdint>
#include <memory>

#include "trace/memory_source.h"

namespace mora::trace::naive {

/// splitmix64: the same numbers on every machine, unlike std's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(next() % n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

struct RandomTraceOptions {
  std::uint64_t seed = 1;
  std::uint32_t steps = 40;  ///< actions of the program; about 8 records each
  bool rma = true;
  bool collectives = true;
  bool others = true;    ///< non-blocking collectives, threads and locks, input and output, counters, user events
  bool samples = false;  ///< among the others
  bool damage = true;    ///< unmatched halves, disagreeing clocks, cut-off streams, ranks that do not exist
};

std::unique_ptr<MemorySource> random_trace(const RandomTraceOptions& options);

}  // namespace mora::trace::naive
