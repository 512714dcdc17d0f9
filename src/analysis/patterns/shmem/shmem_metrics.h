/// The wait states of OpenSHMEM. Their rules: domain.cpp, threads/lock_chain.cpp.
#pragma once

#include "analysis/metric_info.h"

namespace mora::analysis {

extern const MetricInfo shmem_wait_at_init_info, shmem_wait_at_finalize_info, shmem_wait_at_barrier_info;
extern const MetricInfo shmem_lock_contention_info, shmem_late_broadcast_info, shmem_wait_at_nxn_info;

}  // namespace mora::analysis
