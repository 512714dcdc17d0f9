/// What the MPI function of a region does: the table of MPI (mpi/function.h) for regions. Pure functions, thread-safe.
#pragma once

#include "mpi/function.h"
#include "trace/definitions.h"

namespace mora::trace {

using mpi::CallClass;
using mpi::Collective;
using mpi::CollectiveShape;
using mpi::FunctionId;
using mpi::RmaOperation;

/// The row of Region::function; of an MPI region that does not say its function, that of its name.
inline const mpi::Function& function_of(const Region& region) {
  const bool by_name = region.function == FunctionId::none && region.kind == RegionKind::mpi;
  return mpi::function(by_name ? mpi::find(region.name) : region.function);
}
inline CallClass call_class(const Region& region) { return function_of(region).call; }  ///< none: no MPI function

}  // namespace mora::trace
