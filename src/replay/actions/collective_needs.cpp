/// By shape of the operation (mpi/meaning.h); creating communicators and windows synchronises all members.
#include "replay/actions/collective_needs.h"

#include "mpi/meaning.h"

namespace mora::replay {

using mpi::Collective;
using mpi::CollectiveShape;

Need need_of(Collective collective, bool is_root, bool has_root, bool receives) {
  switch (mpi::shape(collective)) {
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
    case CollectiveShape::neighborhood:
      return receives ? Need::senders : Need::nobody;
    case CollectiveShape::none:
      break;
  }
  // Freeing a communicator is local.
  return collective == Collective::none || collective == Collective::destroy_handle ? Need::nobody : Need::all;
}

bool needs_positions(Collective collective) {
  return mpi::has_partners(collective) || mpi::shape(collective) == CollectiveShape::prefix;
}

}  // namespace mora::replay
