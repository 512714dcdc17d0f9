/// The clocks of a job: one fit for each, and how far ranks that read different ones are apart.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/data_quality.h"
#include "experiment/convert/recorded_rank.h"

namespace mora::experiment {

/// By the clock's id (mora_file_header), of the ranks that have a journal.
std::map<std::uint64_t, ClockFit> fit_clocks(const std::vector<RecordedRank>& ranks);

/// Offsets of this rank's stamps to rank 0's: exactly 0 where both read the same clock.
std::vector<archive::ClockOffset> clock_offsets(const RecordedRank& rank, const RecordedRank& zero,
                                                const std::map<std::uint64_t, ClockFit>& fits, DataQuality& quality,
                                                std::size_t number);

}  // namespace mora::experiment
