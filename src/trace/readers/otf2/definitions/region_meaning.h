/// What OTF2's roles and paradigms of regions mean to Mora.
/// Source: OTF2 3.0, general definitions. Pure, thread-safe.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string_view>

#include "trace/definitions.h"
#include "trace/readers/otf2/definitions/definition_records.h"

namespace mora::trace::otf2 {

/// The group of a region that the archive puts into no group: "USER", "OPENMP", ….
const char* paradigm_name(OTF2_Paradigm paradigm);

/// Members of a communicator of this paradigm are threads, not processes.
bool has_threads(OTF2_Paradigm paradigm);

/// All threads of a team leave the region together.
bool takes_whole_team(OTF2_RegionRole role, OTF2_Paradigm paradigm);

/// In the words of trace/definitions.h; what has no word there is `unknown`.
Paradigm paradigm_of(OTF2_Paradigm paradigm);
RegionRole role_of(OTF2_RegionRole role);

/// A marked part of the program: Mora's marks, and Score-P's user regions (roles CODE and LOOP; OTF2 3.0 has no role
/// for phases and dynamic regions, they are among these). Instrumented functions are none.
bool is_interval(const RegionRecord& r);

/// A mark recorded by Mora, whatever name the program gave it ("MPI_Send").
bool is_our_mark(const RegionRecord& r, std::string_view description);

/// The region that Mora defines for the program as a whole: others' tools ask for it, no event refers to it.
bool is_our_program(const RegionRecord& r, std::string_view description);

/// A state of another tool's trace in which a thread does nothing for the program, as Mora's exports write it.
bool is_without_work(const RegionRecord& r, std::string_view description);

/// How many processes do the same in an interval, from its description (docs/formats/otf2.md); no_id = all.
std::uint32_t replication(std::string_view description);

}  // namespace mora::trace::otf2
