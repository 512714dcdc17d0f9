/// Cartesian topologies of an archive.
#pragma once

#include "trace/readers/otf2/definitions/archive_definitions.h"
#include "trace/readers/otf2/definitions/definition_records.h"

namespace mora::trace::otf2 {

/// Adds them to `out.trace`, whose communicators are there. What refers to nothing, or names a place outside of its
/// topology, is left out and counted. Ranks of OTF2 are of the topology's communicator.
void resolve_grids(const DefinitionRecords& records, ArchiveDefinitions& out);

}  // namespace mora::trace::otf2
