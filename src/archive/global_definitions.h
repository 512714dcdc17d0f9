/// The global definitions of an archive (docs/formats/otf2.md, "Definitions"), written last, because they hold the
/// number of events.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>

#include "archive/definitions.h"

namespace mora::archive {

/// `program`: name of the string that ProgramBegin refers to; `machine`: root of the system tree, empty = "machine";
/// `event_counts`: by number of the location. Returns OTF2_SUCCESS or the first error of libotf2.
OTF2_ErrorCode write_global_definitions(OTF2_GlobalDefWriter* writer, const Definitions& definitions,
                                        const std::string& program, const std::string& machine,
                                        const std::map<std::uint64_t, std::uint64_t>& event_counts);

/// The description of a marked region. `replication`: so many processes do the same computation in it; no_id = all.
std::string mark_description(std::uint32_t replication);

}  // namespace mora::archive
