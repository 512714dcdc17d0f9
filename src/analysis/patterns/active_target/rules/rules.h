/// The rules of the active-target wait states, over epochs.h and over the fences of a window. Each is a pure function
/// of the times of one transaction or fence; amounts go to the sink. Safe from any thread if the sink is. Times in ns.
#pragma once

#include "analysis/patterns/active_target/rules/epochs.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

extern const MetricInfo late_post_info, early_transfer_info, early_wait_info, late_complete_info, early_fence_info;
extern const MetricInfo pairwise_synchronizations_info, pairwise_synchronizations_unneeded_info;

/// The exposure epoch whose post came last; ties: the smallest location. The transaction must not be empty.
const SeenExposure& latest_post(std::span<const SeenExposure> exposures);

/// Late Post of a closed access epoch. True if the post came while start or complete was waiting: then no data call of
/// the epoch is charged (Mora's rule late-post).
bool late_post(const AccessTransaction& transaction, WaitSink& sink);
/// Early Transfer: only if late_post() said false.
void early_transfer(const AccessTransaction& transaction, WaitSink& sink);
/// Early Wait and its child Late Complete of a closed exposure epoch; nothing if MPI_Win_test closed it.
void early_wait(const ExposureTransaction& transaction, WaitSink& sink);
/// Late Complete of an Early Wait that ends at `until` and was ended by `last` (Mora's rule late-complete).
void late_complete(const ExposureTransaction& transaction, const SeenAccess& last, Nanoseconds until, WaitSink& sink);

/// One member of a fence instance besides what Member says.
struct FenceAccess {
  Nanoseconds last_towards = no_time;           ///< latest L of a data call of the epoch towards this member
  cube::LocationId by = cube::no_id;            ///< who made it
  cube::CallPathId by_call_path = cube::no_id;  ///< … and where
};
/// Early Fence of all members; `accesses` is parallel to instance.members.
void early_fence(const CollectiveInstance& instance, std::span<const FenceAccess> accesses, WaitSink& sink);

/// Counts `all` partners of one synchronisation, of which `unneeded` did not access.
void count_pairwise(cube::CallPathId call_path, cube::LocationId location, std::int64_t all, std::int64_t unneeded,
                    WaitSink& sink);

}  // namespace mora::analysis
