/// From the records of one journal to the events of one location (docs/formats/otf2.md, "Events").
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/location_writer.h"
#include "archive/vector_table.h"
#include "base/data_quality.h"
#include "experiment/code/regions.h"
#include "experiment/convert/clock_fit.h"
#include "experiment/convert/definitions.h"
#include "experiment/convert/marks.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Indices of the scheduler's counters among the archive's metrics (base/core_counters.h).
inline constexpr std::uint32_t core_metric_cpu = 0, core_metric_wait = 1;

/// Totals of one location, for the manifest and the banner.
struct LocationSummary {
  std::uint64_t calls = 0;
  std::uint64_t begin = 0, end = 0;  ///< stamps of the program's begin and end
  std::uint64_t mpi_ns = 0;          ///< time inside MPI calls
  std::uint64_t recorder_ns = 0;     ///< time the recorder itself said it took (writing chunks, clock exchange)
  std::uint64_t lost_calls = 0;
  std::uint64_t open_calls = 0;  ///< calls that had not returned when the process ended
  bool ended = false, finalized = false;
};

/// Facts that follow only from all journals together.
struct JobFacts {
  const archive::Definitions& definitions;
  const WindowUnits& window_units;
};

/// Writes all events of the journal. `known_end`: stamp of the latest sign of life of a process that did not close its
/// journal; the call that it was in ends then. Damage is counted in `quality` (where = "rank N"), never an error.
LocationSummary write_location(const journal::Journal& journal, std::uint64_t known_end, const ClockFit& clock,
                               const IdMap& ids, const CodeOfRank& code, const MarkTable& marks, const JobFacts& job,
                               archive::LocationWriter& out, archive::VectorTable& vectors, DataQuality& quality);

}  // namespace mora::experiment
