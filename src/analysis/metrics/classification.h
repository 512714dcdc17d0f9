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
};

struct RegionTraits {
  Account account = Account::computation;
  bool is_mpi = false;
  bool is_test = false;  ///< MPI_Test*: never blocks
  bool is_init = false;  ///< MPI_Init, MPI_Init_thread
  bool is_finalize = false;
};

RegionTraits classify_region(const trace::Region& region);

/// Index = RegionId.
std::vector<RegionTraits> classify_regions(const trace::Definitions& definitions);

/// Id of the metric that a call of the account adds its time to.
std::string_view metric_of(Account account);

}  // namespace mora::analysis
  bool is_poll = false;  ///< MPI_Test*, MPI_Iprobe, MPI_Improbe: may find nothing
