#include "archive/mpi_meaning.h"

#include <algorithm>
#include <utility>

namespace mora::archive {
namespace {

using mpi::Collective;

/// The first pair of a collective, and of an operation, counts; neighbourhoods stand behind.
constexpr std::pair<Collective, OTF2_CollectiveOp> operations[] = {
    {Collective::barrier, OTF2_COLLECTIVE_OP_BARRIER},
    {Collective::bcast, OTF2_COLLECTIVE_OP_BCAST},
    {Collective::gather, OTF2_COLLECTIVE_OP_GATHER},
    {Collective::gatherv, OTF2_COLLECTIVE_OP_GATHERV},
    {Collective::scatter, OTF2_COLLECTIVE_OP_SCATTER},
    {Collective::scatterv, OTF2_COLLECTIVE_OP_SCATTERV},
    {Collective::allgather, OTF2_COLLECTIVE_OP_ALLGATHER},
    {Collective::allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV},
    {Collective::alltoall, OTF2_COLLECTIVE_OP_ALLTOALL},
    {Collective::alltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV},
    {Collective::alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW},
    {Collective::allreduce, OTF2_COLLECTIVE_OP_ALLREDUCE},
    {Collective::reduce, OTF2_COLLECTIVE_OP_REDUCE},
    {Collective::reduce_scatter, OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {Collective::reduce_scatter_block, OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {Collective::scan, OTF2_COLLECTIVE_OP_SCAN},
    {Collective::exscan, OTF2_COLLECTIVE_OP_EXSCAN},
    {Collective::create_handle, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {Collective::destroy_handle, OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
    {Collective::allocate, OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE},
    {Collective::allocate, OTF2_COLLECTIVE_OP_ALLOCATE},
    {Collective::deallocate, OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE},
    {Collective::deallocate, OTF2_COLLECTIVE_OP_DEALLOCATE},
    {Collective::neighbor_allgather, OTF2_COLLECTIVE_OP_ALLGATHER},
    {Collective::neighbor_allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV},
    {Collective::neighbor_alltoall, OTF2_COLLECTIVE_OP_ALLTOALL},
    {Collective::neighbor_alltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV},
    {Collective::neighbor_alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW},
};

}  // namespace

OTF2_CollectiveOp collective_operation(Collective collective) {
  for (const auto& [known, operation] : operations)
    if (known == collective) return operation;
  return 63;
}

Collective collective_of(std::uint32_t operation, bool among_neighbors) {
  Collective found = Collective::other;
  for (const auto& [collective, known] : operations) {
    if (known != operation) continue;
    if (!among_neighbors || mpi::is_neighborhood(collective)) return collective;
    if (found == Collective::other) found = collective;
  }
  return found;
}

OTF2_RegionRole region_role(const mpi::Function& function) {
  using enum mpi::CollectiveShape;
  switch (function.form == mpi::Form::blocking ? function.shape : none) {
    case barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case one_to_all:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case all_to_one:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case all_to_all:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case prefix:
      return OTF2_REGION_ROLE_COLL_OTHER;
    case neighborhood:
    case none:
      break;
  }
  switch (function.subject) {
    case mpi::Subject::point_to_point:
      return OTF2_REGION_ROLE_POINT2POINT;
    case mpi::Subject::one_sided:
      return OTF2_REGION_ROLE_RMA;
    case mpi::Subject::file:
      return OTF2_REGION_ROLE_FILE_IO;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
}

}  // namespace mora::archive
