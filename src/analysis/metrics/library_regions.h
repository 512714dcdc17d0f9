/// Regions of OpenMP, POSIX threads, OpenSHMEM and the libraries of accelerators: what their time is accounted as.
///
/// Which library a region belongs to says trace/paradigm.h; what it is there the format (Region::role: OTF2), or its
/// name. Pure; safe from any thread.
#pragma once

#include <string>

#include "analysis/metrics/classification.h"

namespace mora::analysis {

/// Account::computation if the region belongs to none of them, or holds the program's own work (parallel, loop, single,
/// task, the block of a critical section …).
RegionTraits classify_library_region(const trace::Region& region);
/// The same of a region that has this name and nothing else that tells: the label of a call path.
RegionTraits classify_library_label(const std::string& label);

/// What members of an OpenSHMEM operation do to one another.
enum class ShmemCall : std::uint8_t {
  none,
  init,
  finalize,
  barrier,  ///< also sync
  broadcast,
  n_to_n,  ///< reductions, collect, fcollect, alltoall
  set_lock,
  test_lock,  ///< never waits
  clear_lock,
};
/// `is_all`: all processes take part, whatever else is recorded (shmem_barrier_all).
struct ShmemOperation {
  ShmemCall call = ShmemCall::none;
  bool is_all = false;
};
/// By name; ShmemCall::none if the region is no call of OpenSHMEM that has a rule.
ShmemOperation shmem_operation(const trace::Region& region);

}  // namespace mora::analysis
