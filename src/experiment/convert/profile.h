/// What the calls of a job add up to, by location, function and call path: from journals of `mora record --stats`
/// (journal/profile.h) instead of an archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "experiment/convert/location_events.h"
#include "experiment/manifest.h"

namespace mora::experiment {

/// Of one region, that is: function, place and call path. Times in ns.
struct ProfileRow {
  std::uint32_t region = 0;
  std::int64_t visits = 0, time = 0;
  std::int64_t shortest = 0, longest = 0;  ///< a single call; of polls in a row, all of them
  std::int64_t bytes_sent = 0, bytes_received = 0, messages_sent = 0, messages_received = 0;
  std::int64_t transfers = 0, transfer_bytes = 0;  ///< one-sided
  std::int64_t recorded_polls = 0;                 ///< of tests and probes: records, of which a row of polls is one
};

struct LocationProfile {
  std::uint32_t rank = 0, thread = 0;
  std::int64_t wall = 0;                        ///< from MPI_Init, or the thread's first call, to the end
  std::int64_t recorder = 0, not_recorded = 0;  ///< of it, outside of MPI
  std::int64_t core_readings = 0;               ///< that a trace would have; 0 in profiles that do not count them
  std::vector<ProfileRow> rows;                 ///< by region
};

struct Profile {
  archive::Definitions definitions;        ///< regions, callers, nodes, processes
  std::vector<LocationProfile> locations;  ///< by rank and thread
};

/// Adds up the journal of a thread. `summary`: its totals.
LocationProfile read_profile(const ThreadInput& thread, std::uint32_t rank, const ClockFit& clock,
                             std::uint64_t known_end, LocationSummary& summary, DataQuality& quality);

}  // namespace mora::experiment
