/// The texts of the rules, in the order of RmaRule; in a header, so that reports need no more of analysis/ than
/// headers.
#pragma once

#include <cstddef>
#include <iterator>

#include "analysis/rma_rules.h"

namespace mora::analysis {

inline constexpr RmaRuleInfo rma_rule_texts[] = {
    {"access-outside-epoch", "Access outside of any epoch",
     "a put, get or atomic was issued while no lock, no access epoch and no fence epoch was open on the window",
     "Open an epoch first: MPI_Win_lock, MPI_Win_start or MPI_Win_fence without MPI_MODE_NOSUCCEED.",
     "MPI-3.1, 11.5; Hermanns 2004, 3.3"},
    {"access-outside-group", "Access outside of the epoch's group",
     "a put, get or atomic went to a rank that the group of MPI_Win_start does not hold",
     "Give MPI_Win_start a group with every target.", "MPI-3.1, 11.5.2; Hermanns 2004, 3.4.1"},
    {"request-outside-lock", "Request-based operation outside of a lock epoch",
     "MPI_Rput, Rget, Raccumulate or Rget_accumulate was called in an epoch that is not passive target",
     "Use the operation without a request, or MPI_Win_lock / MPI_Win_lock_all.", "MPI-3.1, 11.3.5"},
    {"access-without-exposure", "Access epoch without an exposure epoch",
     "MPI_Win_start named a target that posted no matching exposure epoch for this rank",
     "Every MPI_Win_start needs one MPI_Win_post at each of its targets, with this rank in the group.",
     "MPI-3.1, 11.5.2; Hermanns 2004, 3.4.1"},
    {"exposure-without-access", "Exposure epoch without an access epoch",
     "MPI_Win_post named an origin that started no matching access epoch to this rank",
     "Leave the rank out of the group of MPI_Win_post, or let it call MPI_Win_start and MPI_Win_complete.",
     "MPI-3.1, 11.5.2; Hermanns 2004, 3.4.1"},
    {"access-epochs-ahead", "More than one access epoch ahead",
     "an access epoch was complete although the exposure epoch for the one before it had not even been posted",
     "The MPI library let access epochs run ahead, or the clocks are wrong: do not rely on it; compare the data "
     "quality rows on clocks.",
     "Hermanns 2004, 3.4.1; Mora's rule rma-rules"},
    {"mixed-epochs", "Epochs of different kinds overlap",
     "an epoch was opened on a window while one of another kind was open on it",
     "Close the epoch first (MPI_Win_complete, MPI_Win_wait, MPI_Win_unlock, MPI_Win_fence), or use another window.",
     "MPI-3.1, 11.5; Hermanns 2004, 3.4"},
    {"double-start", "Access epoch started twice",
     "MPI_Win_start was called while an access epoch was open on the window", "Call MPI_Win_complete first.",
     "MPI-3.1, 11.5.2"},
    {"double-post", "Exposure epoch posted twice",
     "MPI_Win_post was called while an exposure epoch was open on the window",
     "Call MPI_Win_wait, or MPI_Win_test until it succeeds, first.", "MPI-3.1, 11.5.2; Hermanns 2004, 3.4.1"},
    {"double-lock", "Target locked twice", "a target was locked that this rank had locked already on the window",
     "Call MPI_Win_unlock first; MPI_Win_lock_all locks every target.", "MPI-3.1, 11.5.3"},
    {"complete-without-start", "MPI_Win_complete without MPI_Win_start",
     "MPI_Win_complete was called while no access epoch was open", "Call MPI_Win_start before.", "MPI-3.1, 11.5.2"},
    {"wait-without-post", "MPI_Win_wait without MPI_Win_post",
     "MPI_Win_wait or a successful MPI_Win_test was called while no exposure epoch was open",
     "Call MPI_Win_post before; after a successful MPI_Win_test the epoch is closed.",
     "MPI-3.1, 11.5.2; Hermanns 2004, 3.4.1"},
    {"unlock-without-lock", "Unlock without a lock", "a target was unlocked that this rank had not locked",
     "Pair every MPI_Win_unlock with an MPI_Win_lock of the same target, and MPI_Win_unlock_all with MPI_Win_lock_all.",
     "MPI-3.1, 11.5.3"},
    {"flush-without-lock", "Flush outside of a lock epoch",
     "a flush was called while its target was not locked: flushes are for passive target",
     "Call it between MPI_Win_lock(_all) and MPI_Win_unlock(_all).", "MPI-3.1, 11.5.4"},
    {"unclosed-epoch", "Epoch never closed", "an epoch was still open when the trace ended",
     "Close every epoch before MPI_Finalize; normal if the program was stopped inside the epoch.",
     "MPI-3.1, 11.5; Hermanns 2004, 3.4"},
    {"freed-with-open-epoch", "Window freed with an open epoch",
     "MPI_Win_free was called while an epoch was open on the window",
     "Close the epoch first; a fence epoch with accesses needs a last MPI_Win_fence.", "MPI-3.1, 11.2.5"},
    {"noprecede-but-accessed", "MPI_MODE_NOPRECEDE, but there were accesses",
     "a fence said MPI_MODE_NOPRECEDE although this rank had issued operations since the last one: they may not be "
     "complete",
     "Drop the assertion.", "MPI-3.1, 11.5.5; Hermanns 2004, 3.6"},
    {"nosucceed-but-accessed", "MPI_MODE_NOSUCCEED, but accesses follow",
     "operations were issued after a fence that said MPI_MODE_NOSUCCEED: it opened no epoch for them",
     "Drop the assertion.", "MPI-3.1, 11.5.5; Hermanns 2004, 3.6"},
    {"noput-but-put", "MPI_MODE_NOPUT, but there were puts",
     "a put or accumulate went into a window whose owner had said MPI_MODE_NOPUT for that epoch: the data may be lost",
     "Drop the assertion at the target.", "MPI-3.1, 11.5.5; Hermanns 2004, 3.6"},
    {"conflicting-access", "Conflicting accesses",
     "accesses that overlap in the target's window, at least one of which changes it, were not ordered by any "
     "synchronisation: the result is undefined",
     "Complete the first one (a flush; it suffices for one origin) and let the other rank wait for that, or use "
     "accumulates of one operation, which may overlap.",
     "MPI-3.1, 11.7; Hermanns 2004, 3.3; Mora's rule conflicting-access"},
};
static_assert(std::size(rma_rule_texts) == static_cast<std::size_t>(RmaRule::count));

inline const RmaRuleInfo& info(RmaRule rule) { return rma_rule_texts[static_cast<std::size_t>(rule)]; }

}  // namespace mora::analysis
