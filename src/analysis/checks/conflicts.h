/// Accesses of one epoch that overlap in the target's window.
#pragma once

#include <functional>
#include <vector>

#include "analysis/checks/rule_halves.h"

namespace mora::analysis::checks {

/// An access, in the partition that compares all accesses to one target.
struct MetAccess {
  RangeAccess range;
  CheckedCall call;
};

/// Calls `found(earlier, later)` for accesses that conflict: ranges overlap, at least one changes what the other
/// accesses, and nothing orders them. Two accumulates never conflict (their operation is not recorded), two gets
/// neither. All of `accesses` are of one window, target, slot and, but for locks, one epoch. Never reports what is no
/// conflict; of several conflicts of one access it reports one, and among locks it may miss some. O(n log n). Sorts
/// `accesses`.
void find_conflicts(std::vector<MetAccess>& accesses,
                    const std::function<void(const MetAccess& earlier, const MetAccess& later)>& found);

}  // namespace mora::analysis::checks
