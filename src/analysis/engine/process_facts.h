/// What the processes of an analysis must tell each other apart from halves and scores: which locations could not be
/// read, and the data quality.
#pragma once

#include <cstdint>

#include "analysis/carrier/carrier.h"
#include "base/data_quality.h"

namespace mora::analysis {

/// How reading went in this process. Not thread-safe.
struct Reading {
  std::uint64_t read = 0;  ///< locations tried
  std::uint64_t unreadable = 0;
  std::uint32_t location = 0xFFFFFFFF;  ///< smallest that failed, and its error
  Error error;

  void fail(std::uint32_t failed_location, const Error& why) {
    ++unreadable;
    if (failed_location >= location) return;
    location = failed_location;
    error = why;
  }
};

/// Collective. An error, of the smallest location, if nothing of the whole trace could be read.
Result<void> check_reading(const Reading& reading, Carrier& carrier);

/// Collective. `found` by the engine: added over all processes. `after` of the source, as it was `before` everywhere:
/// rows that reading brought name their location, or are the same in every process that found them; so the most counts.
Result<DataQuality> gather_quality(const DataQuality& found, const DataQuality& before, const DataQuality& after,
                                   Carrier& carrier);

}  // namespace mora::analysis
