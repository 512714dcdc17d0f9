/// One-sided accesses whose place at the target was recorded, and which of them may not overlap.
#pragma once

#include <cstdint>

#include "analysis/rma_rules.h"
#include "mpi/meaning.h"
#include "trace/definitions.h"

namespace mora::analysis {

enum class AccessClass : std::uint8_t { put, get, accumulate };
enum class EpochSlot : std::uint8_t { fence, access, lock };

/// Local times of an access: how many records of one-sided communication its location had before.
inline constexpr std::uint32_t not_completed = 0xFFFFFFFF;

struct RangeAccess {
  trace::WindowId window = trace::no_id;
  /// Windows over one memory have one number: no_id if their addresses are known (`offset` is then one), else the
  /// window.
  trace::WindowId memory = trace::no_id;
  std::uint32_t target = 0;  ///< world rank
  std::uint64_t offset = 0;
  std::uint64_t extent = 0;
  std::uint32_t call = 0;    ///< index of RuleHalves::calls
  std::uint32_t number = 0;  ///< fence: fences before; access: k; lock: counts the stretches between flushes
  std::uint32_t all_fences = trace::no_id;  ///< of the origin on the window, when it freed it
  std::uint32_t issued = 0;                 ///< at this record …
  std::uint32_t completed = not_completed;  ///< … and complete at that one
  AccessClass access = AccessClass::put;
  mpi::Reduction reduction = mpi::Reduction::unknown;  ///< of accumulates
  EpochSlot slot = EpochSlot::fence;
  bool takes_lock = false;      ///< in a lock epoch without MPI_MODE_NOCHECK
  bool is_exclusive = false;    ///< … of MPI_LOCK_EXCLUSIVE
  bool ends_at_target = false;  ///< complete there only when the target's MPI_Win_wait has seen MPI_Win_complete
};

/// An access, in the partition that compares all accesses to one target.
struct MetAccess {
  RangeAccess range;
  CheckedCall call;
};

/// Two reductions of one place: the same one, or one of them only reads (MPI-3.1, 11.2.1: accumulate_ops is
/// same_op_no_op); what is not known, and MPI_Compare_and_swap, which has none, is taken as allowed.
inline bool reductions_agree(mpi::Reduction a, mpi::Reduction b) {
  const auto agrees_with_all = [](mpi::Reduction r) {
    return r == mpi::Reduction::unknown || r == mpi::Reduction::no_op;
  };
  return a == b || agrees_with_all(a) || agrees_with_all(b);
}

/// Whether accesses to one place conflict if nothing orders them (MPI-3.1, 11.7).
inline bool may_conflict(const RangeAccess& a, const RangeAccess& b) {
  if (a.access != b.access) return true;
  return a.access == AccessClass::put ||
         (a.access == AccessClass::accumulate && !reductions_agree(a.reduction, b.reduction));
}

/// Whether a lock keeps them apart, whichever comes first.
inline bool exclude_each_other(const RangeAccess& a, const RangeAccess& b) {
  return a.window == b.window && a.takes_lock && b.takes_lock && (a.is_exclusive || b.is_exclusive);
}

/// They are of one kind of active target epoch of one window: those of one epoch are compared there, the others
/// ordered.
inline bool meet_in_epochs(const RangeAccess& a, const RangeAccess& b) {
  return a.window == b.window && a.slot == b.slot && a.slot != EpochSlot::lock;
}

/// First byte behind the range; at most the largest number, where a damaged trace would leave 64 bits.
inline std::uint64_t end_of(const RangeAccess& range) {
  return range.offset > UINT64_MAX - range.extent ? UINT64_MAX : range.offset + range.extent;
}

}  // namespace mora::analysis
