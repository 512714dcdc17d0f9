/// Which index each definition of a trace gets in the archive::Definitions of an archive that is written.
///
/// Definitions that are equal in all their contents are written once and share an index (Hermanns 2004, 5.3).
/// Communicators and windows are instances: two with equal members stay two (Mora's rule window-identity).
#pragma once

#include <cstdint>
#include <vector>

#include "archive/definitions.h"
#include "export/otf2/comm_ranks.h"
#include "trace/definitions.h"

namespace mora::exports {

/// Indices of one archive. Immutable but for what writing events finds out (mutable members). Not thread-safe.
struct ArchivePlan {
  /// `plain`: regions of one name become one, whatever their call sites; processes and threads only.
  ArchivePlan(const trace::Definitions& definitions, bool plain);

  /// no_id: the trace does not define it.
  std::uint32_t region(trace::RegionId id) const {
    return id < region_indices.size() ? region_indices[id] : archive::no_id;
  }
  std::uint32_t group(trace::GroupId id) const {
    return id < group_indices.size() ? group_indices[id] : archive::no_id;
  }
  /// No record of the archive's definitions takes more bytes.
  std::uint64_t largest_definition() const;
  /// The reserved communicator of a window's transfers.
  std::uint32_t transfers_on(trace::WindowId window) const {
    return archive::Definitions::transfers_on(definitions.communicators.size(), window);
  }
  /// The communicator of messages whose format has none (ALOG, Pajé): all ranks.
  std::uint32_t world_instead() const {
    return archive::Definitions::world_instead(definitions.communicators.size(), definitions.windows.size());
  }
  /// Thread 0 of a rank has its number, threads follow 2^32 apart, as Score-P numbers them.
  std::uint64_t location(trace::LocationId id) const {
    const trace::Location& l = definitions.locations[id];
    return l.rank + (static_cast<std::uint64_t>(l.thread) << 32);
  }

  bool writes(const trace::Location& location) const { return !plain || location.kind == trace::LocationKind::cpu; }

  const trace::Definitions& definitions;
  CommRanks ranks;
  bool plain;
  std::vector<trace::RegionId> regions;  ///< per index: the region that is written
  std::vector<std::uint32_t> region_indices;
  std::vector<std::vector<std::uint32_t>> groups;  ///< distinct member lists; those of communicators too
  std::vector<std::uint32_t> group_indices;        ///< per trace group
  std::vector<std::uint32_t> comm_groups, remote_groups;
  /// Per index: left by whole teams of threads; noted while events are written, before the definitions are.
  mutable std::vector<bool> team_regions;
  mutable bool needs_world = false;  ///< likewise: messages without a communicator were written
  std::uint32_t world_group = 0;
  std::uint32_t world_size = 0;  ///< at least every rank that has a location
};

}  // namespace mora::exports
