/// One process of the job between the two passes of the conversion (convert.h): its journals and what they define.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "experiment/code/regions.h"
#include "experiment/convert/definitions.h"
#include "experiment/convert/location_events.h"
#include "experiment/journals/marks.h"
#include "experiment/journals/process_records.h"
#include "experiment/processors/processors.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

struct OffsetReading {
  std::uint64_t ticks;
  std::int64_t offset_ns;
  std::uint64_t round_trip_ns;
};

/// Another thread than that which called MPI_Init.
struct OtherThread {
  std::uint32_t number;
  journal::Journal journal;
  CodeOfRank code = {};
};

/// The location of a thread.
inline std::uint64_t location_of(std::uint64_t rank, std::uint32_t thread) {
  return rank | static_cast<std::uint64_t>(thread) << 32;
}

/// Everything about one rank between the two passes.
struct RecordedRank {
  std::optional<journal::Journal> journal;
  std::string failure;  ///< why the journal cannot be read
  std::vector<OtherThread> others;
  HandedRequests handed;
  LocalDefinitions definitions;
  MarkTable marks;
  CodeOfRank code;
  std::vector<OffsetReading> offsets;
  ProcessorUse processors;
  IdMap ids;
  LocationSummary summary;
  std::optional<Error> error;
  std::vector<std::string> files;  ///< written

  /// Threads that were in the teams of one: as many may have computed at once. After the first pass.
  std::uint32_t team_threads() const;
  /// The first pass over the journals of a process that has one. One thread at a time.
  void read_definitions();
};

/// What is received in shmem_collect, into the ranks' `ids`: only all processes together know it. What they do not is
/// counted.
void find_collected(std::vector<RecordedRank>& ranks, DataQuality& quality);

}  // namespace mora::experiment
