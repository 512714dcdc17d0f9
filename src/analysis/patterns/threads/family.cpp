/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/threads/thread_metrics.h"

namespace mora::analysis {

MetricList thread_metrics() {
  return {&omp_wait_at_explicit_barrier_info, &omp_wait_at_implicit_barrier_info,
          &omp_critical_contention_info,      &omp_lock_contention_info,
          &pthread_mutex_contention_info,     &pthread_condition_contention_info,
          &pthread_wait_at_barrier_info,      &omp_idle_threads_info,
          &omp_limited_parallelism_info};
}

}  // namespace mora::analysis
