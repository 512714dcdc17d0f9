/// The families of wait states: each folder beside this file lists its own, in display order, parents before children.
/// Ancestors may be plain times (metrics/times.cpp) or wait states; metrics/registry.cpp puts all of them in one tree.
#pragma once

#include <vector>

#include "analysis/metric_info.h"

namespace mora::analysis {

using MetricList = std::vector<const MetricInfo*>;

MetricList point_to_point_metrics();  ///< patterns/point_to_point/
MetricList collective_metrics();      ///< patterns/collective/, and MPI_Init, MPI_Finalize
MetricList nonblocking_metrics();     ///< patterns/nonblocking/: non-blocking collectives
MetricList active_target_metrics();   ///< patterns/active_target/: fences, post-start-complete-wait, window handling
MetricList passive_target_metrics();  ///< patterns/passive_target/: locks, flushes, progress; SHMEM
MetricList thread_metrics();          ///< patterns/threads/: OpenMP, POSIX threads
MetricList io_metrics();              ///< patterns/io/: MPI-IO
MetricList shmem_metrics();           ///< patterns/shmem/: OpenSHMEM
MetricList efficiency_metrics();      ///< efficiency/: no waiting
MetricList cause_metrics();           ///< causes/: delay costs, critical path

}  // namespace mora::analysis
