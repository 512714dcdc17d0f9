/// By shape of the operation (trace/mpi_function.h); creating communicators and windows synchronises all members.
#include "replay/collective_needs.h"

#include "trace/mpi_function.h"

namespace mora::replay {

using trace::Collective;
using trace::CollectiveShape;

Need need_of(Collective collective, bool is_root, bool has_root, bool receives) {
  switch (trace::shape(collective)) {
    case CollectiveShape::barrier:
      return Need::all;
    case CollectiveShape::one_to_all:
      if (is_root || !receives) return Need::nobody;
      return has_root ? Need::root : Need::senders;  // the root of the other group is its only sender
    case CollectiveShape::all_to_one:
      return receives && (is_root || !has_root) ? Need::senders : Need::nobody;
    case CollectiveShape::all_to_all:
      return receives ? Need::senders : Need::nobody;
    case CollectiveShape::prefix:
      return receives ? Need::lower : Need::nobody;
    case CollectiveShape::none:
      break;
  }
  switch (collective) {
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw:
      return receives ? Need::senders : Need::nobody;
    case Collective::none:
    case Collective::destroy_handle:  // freeing a communicator is local
      return Need::nobody;
    default:
      return Need::all;
  }
}

bool needs_positions(Collective collective) {
  switch (collective) {
    case Collective::scan:
    case Collective::exscan:
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw:
      return true;
    default:
      return false;
  }
}

}  // namespace mora::replay
