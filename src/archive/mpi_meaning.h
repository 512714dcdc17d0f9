/// How OTF2's definitions and records name what MPI's functions and collective operations do, both ways. Pure
/// functions, thread-safe.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

#include "mpi/function.h"

namespace mora::archive {

/// Role of the function's region; OTF2_REGION_ROLE_FUNCTION where no better one exists.
OTF2_RegionRole region_role(const mpi::Function& function);

/// OTF2 has no operations for neighbourhood collectives: theirs is that of the same name among all. What OTF2 does not
/// name at all is 63, which readers show as unknown.
OTF2_CollectiveOp collective_operation(mpi::Collective collective);

/// `other` for what OTF2 does not name.
mpi::Collective collective_of(std::uint32_t operation, bool among_neighbors);

}  // namespace mora::archive
