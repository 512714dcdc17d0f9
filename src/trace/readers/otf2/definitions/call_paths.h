/// Call paths of an archive that Mora wrote: the calling contexts that are the only path of their region
/// (docs/formats/otf2.md, "Definitions"). O(contexts).
#pragma once

#include <otf2/otf2.h>

#include <unordered_map>

#include "trace/readers/otf2/definitions/archive_definitions.h"

namespace mora::trace::otf2 {

/// By region: the calling context of its caller. Empty in others' archives.
using CallerContexts = std::unordered_map<OTF2_RegionRef, OTF2_CallingContextRef>;
CallerContexts contexts_of_callers(const DefinitionRecords& records);

/// Fills Definitions::callers, Region::caller and the references to callers. Contexts are taken in the order in which
/// they are defined: a caller whose own caller comes later has none.
void resolve_callers(const DefinitionRecords& records, const CallerContexts& callers, ArchiveDefinitions& out);

}  // namespace mora::trace::otf2
