/// What the time of a region is accounted as, from what its MPI function does (trace/mpi_function.h).
#pragma once

#include <string_view>
#include <vector>

#include "analysis/metric_info.h"
#include "trace/mpi_function.h"

namespace mora::analysis {

enum class Account : std::uint8_t {
  computation,  ///< not an MPI call
  other_mpi,    ///< in `mpi` itself
  init_finalize,
  communicator,
  file_management,
  barrier,
  window_handling,
  fence,
  locks,
  post_start_complete_wait,
  point_to_point,
  collective,
  one_sided,
  io,
  io_individual,
  io_collective,
  other_openmp,  ///< in `openmp` itself
  omp_explicit_barrier,
  omp_implicit_barrier,
  omp_critical,
  omp_lock_api,
  omp_ordered,
  omp_taskwait,
  omp_flush,
  other_pthread,  ///< in `pthreads` itself
  pthread_management,
  pthread_mutex,
  pthread_condition,
  pthread_barrier,
  other_device,  ///< in `device` itself
  device_wait,
  device_transfer,
  without_work,
  other_shmem,  ///< in `shmem` itself
  shmem_init_finalize,
  shmem_memory,
  shmem_barrier,
  shmem_wait_until,
  shmem_fence,
  shmem_locks,
  shmem_rma,
  shmem_collective,
  shmem_atomics,
};
inline constexpr Account last_account = Account::shmem_atomics;
/// Any time in OpenMP's own constructs.
inline bool is_openmp(Account account) { return account >= Account::other_openmp && account <= Account::omp_flush; }
/// Any time in OpenSHMEM calls: they are the last of the enumeration.
inline bool is_shmem(Account account) { return account >= Account::other_shmem; }

struct RegionTraits {
  Account account = Account::computation;
  bool is_mpi = false;
  bool is_test = false;           ///< MPI_Test*: never blocks
  bool is_poll = false;           ///< MPI_Test*, MPI_Iprobe, MPI_Improbe: may find nothing
  bool is_probe = false;          ///< MPI_Probe, MPI_Iprobe: the receive that follows tells what was found
  bool is_matched_probe = false;  ///< MPI_Mprobe
  bool is_look = false;           ///< any of these three
  bool is_init = false;           ///< MPI_Init, MPI_Init_thread
  bool is_finalize = false;
  bool is_request_transfer = false;  ///< MPI_Rput, Rget, Raccumulate, Rget_accumulate
  bool is_parallel = false;          ///< an OpenMP parallel region
  bool is_task = false;              ///< an OpenMP task, wherever it is executed
  bool is_shared_lock = false;  ///< what it waits for several threads may have at once: readers, semaphores, barriers
  /// The call of a library: its time is its own, also between MPI calls inside it.
  bool keeps_own() const { return account != Account::computation; }
};

/// By name, group and paradigm of the region alone.
RegionTraits classify_region(const trace::Region& region);

/// Index = RegionId.
std::vector<RegionTraits> classify_regions(const trace::Definitions& definitions);

/// Id of the metric that a call of the account adds its time to.
std::string_view metric_of(Account account);

}  // namespace mora::analysis
