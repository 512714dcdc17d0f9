/// Regions of OpenMP, POSIX threads, OpenSHMEM and the libraries of accelerators: what their time is accounted as.
///
/// What the format says of a region (Region::paradigm, role: OTF2) comes first; otherwise its name decides, as
/// Score-P, OPARI and their like write it: "!$omp barrier @a.c:10", "omp_set_lock", "pthread_mutex_lock",
/// "shmem_barrier_all", "hipEventSynchronize". Blanks, '_' and ':' are one separator, so that "omp_implicit_barrier" is
/// a directive too (the text language has no blanks in names). Pure; safe from any thread.
#pragma once

#include "analysis/metrics/classification.h"

namespace mora::analysis {

/// Account::computation if the region belongs to none of them, or holds the program's own work (parallel, loop, single,
/// task, the block of a critical section …).
RegionTraits classify_library_region(const trace::Region& region);

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
