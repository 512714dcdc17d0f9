/// Which rank and thread each location of an OTF2 archive is.
///
/// A rank is a position in the group of all MPI locations (OTF2_GROUP_TYPE_COMM_LOCATIONS); without such a group
/// processes are numbered by their reference. Threads of a process come first (the one in the MPI group as number 0),
/// then its device streams, then locations that hold only metrics. Accelerator groups belong to the process that
/// created them; other locations outside any process to the first process on the same node, else to rank 0. O(n log n)
/// for n locations.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "trace/definitions.h"
#include "trace/readers/otf2/definitions/definition_records.h"

namespace mora::trace::otf2 {

struct LocationTable {
  std::vector<Location> locations;  ///< by (rank, thread)
  std::vector<Node> nodes;
  std::vector<std::uint64_t> event_counts;                   ///< as declared
  std::unordered_map<std::uint64_t, std::uint32_t> rank_of;  ///< by location reference
  std::uint32_t world_size = 0;
};

/// Locations that belong to no process are left out and counted (`skipped-location`).
LocationTable tabulate_locations(const DefinitionRecords& records, DataQuality& quality);

}  // namespace mora::trace::otf2
