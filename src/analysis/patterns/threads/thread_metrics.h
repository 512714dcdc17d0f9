/// The wait states of threads. Their rules: process_threads.cpp, lock_chain.cpp, idle_threads.cpp.
#pragma once

#include "analysis/metric_info.h"

namespace mora::analysis {

extern const MetricInfo omp_wait_at_explicit_barrier_info, omp_wait_at_implicit_barrier_info;
extern const MetricInfo omp_critical_contention_info, omp_lock_contention_info;
extern const MetricInfo pthread_mutex_contention_info, pthread_condition_contention_info, pthread_wait_at_barrier_info;
extern const MetricInfo omp_idle_threads_info, omp_limited_parallelism_info;

}  // namespace mora::analysis
