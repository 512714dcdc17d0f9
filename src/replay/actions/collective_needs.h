/// Whose data a member of a collective gets, and so for whom it waits. Pure functions.
#pragma once

#include "replay/actions/action.h"
#include "trace/event.h"

namespace mora::replay {

/// Members that send or receive nothing wait for no other, except in barriers and where something is created (Mora's
/// rule ideal-network). `is_root`: this member is; `has_root`: the root is a rank of this process's group.
Need need_of(trace::Collective collective, bool is_root, bool has_root, bool receives);

/// Operations whose members may need certain others only: arrivals are then kept one by one.
bool needs_positions(trace::Collective collective);

}  // namespace mora::replay
