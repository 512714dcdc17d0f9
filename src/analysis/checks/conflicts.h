/// Accesses of one epoch that overlap in the target's window, and those of different ranks that may.
#pragma once

#include <functional>
#include <vector>

#include "analysis/rma_access.h"

namespace mora::analysis::checks {

/// Calls `found(earlier, later)` for accesses that conflict: ranges overlap, may_conflict(), and nothing orders them.
/// All of `accesses` are of one memory and target and either of one fence or exposure epoch, in which nothing orders
/// them, or of one origin (`are_of_one_origin`), whose own records order them: of these, pairs that meet_in_epochs()
/// are left out. Never reports what is no conflict; of several conflicts of one access it reports one, and of one
/// origin it may miss some. O(n log n). Sorts `accesses`.
void find_conflicts(std::vector<MetAccess>& accesses, bool are_of_one_origin,
                    const std::function<void(const MetAccess& earlier, const MetAccess& later)>& found);

/// Of accesses to one memory of one target those whose origins must be ordered by something that the target does not
/// see: ranges that hang together by overlaps, with accesses of different ranks that may_conflict(), do not
/// meet_in_epochs() and are not kept apart by a lock. O(n log n). Sorts `accesses`.
std::vector<MetAccess> in_need_of_order(std::vector<MetAccess>& accesses);

}  // namespace mora::analysis::checks
