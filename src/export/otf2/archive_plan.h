/// Which OTF2 reference each definition of a trace gets in an archive that is written.
///
/// Definitions that are equal in all their contents are written once and share a reference (Hermanns 2004, 5.3).
/// Communicators and windows are instances: two with equal members stay two (Mora's rule window-identity).
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <vector>

#include "export/otf2/comm_ranks.h"
#include "trace/definitions.h"

namespace mora::exports {

/// References of one archive. Immutable but for what writing events finds out (mutable members). Not thread-safe.
struct ArchivePlan {
  /// `plain`: regions of one name become one, whatever their call sites.
  ArchivePlan(const trace::Definitions& definitions, bool plain);

  static constexpr OTF2_StringRef empty_string = 0;
  static constexpr OTF2_StringRef program_string = 1;
  static constexpr OTF2_StringRef first_string = 2;  ///< + index in Definitions::strings
  static constexpr OTF2_GroupRef locations_group = 0;
  static constexpr OTF2_GroupRef self_group = 1;
  static constexpr OTF2_GroupRef first_group = 2;  ///< + index in `groups`

  OTF2_RegionRef region(trace::RegionId id) const {
    return id < region_refs.size() ? region_refs[id] : OTF2_UNDEFINED_REGION;
  }
  OTF2_GroupRef group(trace::GroupId id) const {
    return id < group_refs.size() ? group_refs[id] + first_group : OTF2_UNDEFINED_GROUP;
  }
  /// The reserved communicator of a window's transfers.
  OTF2_CommRef transfers_on(trace::WindowId window) const {
    return static_cast<OTF2_CommRef>(definitions.communicators.size()) + window;
  }
  /// The communicator of messages whose format has none (ALOG, Pajé): all ranks.
  OTF2_CommRef world_instead() const {
    return static_cast<OTF2_CommRef>(definitions.communicators.size() + definitions.windows.size());
  }
  /// Thread 0 of a rank has its number, threads follow 2^32 apart, as Score-P numbers them.
  OTF2_LocationRef location(trace::LocationId id) const {
    const trace::Location& l = definitions.locations[id];
    return l.rank + (static_cast<OTF2_LocationRef>(l.thread) << 32);
  }

  const trace::Definitions& definitions;
  CommRanks ranks;
  bool plain;
  std::vector<trace::RegionId> regions;  ///< per reference: the region that is written
  std::vector<OTF2_RegionRef> region_refs;
  std::vector<std::vector<std::uint32_t>> groups;  ///< distinct member lists; those of communicators too
  std::vector<std::uint32_t> group_refs;           ///< per trace group
  std::vector<std::uint32_t> comm_groups, remote_groups;
  /// Per reference: left by whole teams of threads; noted while events are written, before the definitions are.
  mutable std::vector<bool> team_regions;
  mutable bool needs_world = false;  ///< likewise: messages without a communicator were written
  std::uint32_t world_group = 0;
  std::uint32_t world_size = 0;  ///< at least every rank that has a location
};

}  // namespace mora::exports
