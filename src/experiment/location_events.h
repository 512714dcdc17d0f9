/// From the records of one journal to the events of one location (docs/formats/otf2.md, "Events").
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/location_writer.h"
#include "base/data_quality.h"
#include "experiment/clock_fit.h"
#include "experiment/definitions.h"
#include "experiment/marks.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Key of a region on one process: function and return address.
inline std::uint64_t region_key(unsigned function, std::uint64_t site) {
  return static_cast<std::uint64_t>(function) << 48 | site;
}

/// Hash-consed per-peer byte counts of one location: the content of vectors.<rank>.
class VectorTable {
 public:
  std::uint32_t intern(std::vector<std::uint64_t> counts);
  bool empty() const { return order_.empty(); }
  std::string file_content() const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& v) const;
  };
  std::unordered_map<std::vector<std::uint64_t>, std::uint32_t, Hash> ids_;
  std::vector<const std::vector<std::uint64_t>*> order_;
};

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

/// Writes all events of the journal. Damage is counted in `quality` (where = "rank N"), never an error.
LocationSummary write_location(const journal::Journal& journal, const ClockFit& clock, const IdMap& ids,
                               const std::unordered_map<std::uint64_t, std::uint32_t>& regions, const MarkTable& marks,
                               const JobFacts& job, archive::LocationWriter& out, VectorTable& vectors,
                               DataQuality& quality);

}  // namespace mora::experiment
