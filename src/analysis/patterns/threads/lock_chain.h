/// The chain of holders of one lock, and what each of them waited. Shared by OpenMP, POSIX threads (one process) and
/// OpenSHMEM (all processes). Source: Scalasca 2.6, OpenMP Critical Contention Time. O(n log n) for n acquisitions.
/// Pure but for the sink.
#pragma once

#include <vector>

#include "analysis/core/waits.h"

namespace mora::analysis {

/// One acquisition. Times are of the holder's own location. Trivially copyable: crosses partitions.
struct LockHold {
  Nanoseconds enter = 0;             ///< of the call that acquired
  Nanoseconds acquired = 0;          ///< time of the acquire record
  Nanoseconds released = INT64_MAX;  ///< INT64_MAX: never seen
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;          ///< of the acquiring call
  cube::CallPathId release_call_path = 0;  ///< of the releasing call
  cube::MetricId metric = cube::no_id;     ///< contention is charged here; no_id: this call never waits
  bool broken = false;                     ///< recording was off during the call
  bool shared = false;                     ///< others may have it, too: a reader, who waited at a semaphore or barrier
};

/// w_k = [t(release k-1) - E(acquire k)]+, at most up to the acquire record, charged to the acquiring call; a lock that
/// was released after it was acquired by the next one contradicts the clocks. Sorts the holds by acquisition: a release
/// is stamped before the lock is free and an acquire after it is taken, so that the order of the acquire records is the
/// order of acquisition (ties: earlier release, then location). Where some are shared, k - 1 is the last of those
/// before to be released; of a shared one the last that is not shared: its fellows did not keep it waiting.
/// `unreleased` counts holds without release that others followed: nothing is charged after them.
void score_lock_chain(std::vector<LockHold>& holds, WaitSink& sink, std::uint64_t& unreleased);

}  // namespace mora::analysis
