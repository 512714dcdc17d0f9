/// The account of an MPI function: by its class in the table of functions (trace/mpi_function.h), by its name where the
/// class does not tell calls apart (files, communicators, windows).
#include "analysis/metrics/classification.h"

#include "analysis/metrics/library_regions.h"
#include "base/names.h"

namespace mora::analysis {

namespace {

/// Reads, writes and seeks are input and output; everything else about files is management.
bool is_file_io(std::string_view function) {
  for (const std::string_view word : {"read", "write", "seek", "sync"}) {
    if (function.find(word) != std::string_view::npos) return true;
  }
  return false;
}

Account account_of_file_call(std::string_view name) {
  if (!is_file_io(name)) return Account::file_management;
  for (const std::string_view word : {"_all", "_ordered", "_sync"}) {
    if (name.find(word) != std::string_view::npos) return Account::io_collective;
  }
  return Account::io_individual;
}

/// Functions that the table does not tell apart.
Account account_by_name(std::string_view name) {
  const auto begins_with = [&](std::initializer_list<std::string_view> beginnings) {
    for (const std::string_view beginning : beginnings) {
      if (name.starts_with(beginning)) return true;
    }
    return false;
  };
  if (begins_with({"MPI_File_"})) return account_of_file_call(name);
  if (begins_with({"MPI_Win_attach", "MPI_Win_detach"})) return Account::window_handling;
  if (begins_with({"MPI_Comm_", "MPI_Group_", "MPI_Cart", "MPI_Graph", "MPI_Dist_graph", "MPI_Intercomm_"})) {
    return Account::communicator;
  }
  return Account::other_mpi;
}

Account account_of(const trace::MpiFunctionInfo& info, std::string_view name) {
  using enum trace::CallClass;
  switch (info.call_class) {
    case none:
      return Account::computation;
    case other:
      return account_by_name(name);
    case send:
    case receive:
    case send_receive:
    case send_start:
    case receive_start:
    case request_setup:
    case start:
    case probe:
    case matched_probe:
    case wait_single:
    case wait_multiple:
    case test:
    case cancel:
    case request_free:
      return Account::point_to_point;
    case collective:
      return info.collective == trace::Collective::barrier ? Account::barrier : Account::collective;
    case collective_start:
      return Account::collective;
    case init:
    case finalize:
      return Account::init_finalize;
    case communicator:
      return Account::communicator;
    case window_create:
    case window_free:
      return Account::window_handling;
    case fence:
      return Account::fence;
    case post:
    case start_epoch:
    case complete:
    case wait_epoch:
    case test_epoch:
      return Account::post_start_complete_wait;
    case lock:
    case unlock:
    case passive_other:
      return Account::locks;
    case put:
    case get:
    case accumulate:
      return Account::one_sided;
    case file:
      return account_of_file_call(name);
  }
  return Account::other_mpi;
}

}  // namespace

RegionTraits classify_region(const trace::Region& region) {
  if (region.kind != trace::RegionKind::mpi) return classify_library_region(region);
  RegionTraits traits;
  const trace::MpiFunctionInfo& info = region.function != 0
                                           ? trace::mpi_function_info(region)
                                           : trace::mpi_function_info(trace::mpi_function(region.name));
  traits.is_mpi = true;
  traits.account = account_of(info, region.name);
  if (traits.account == Account::computation) traits.account = Account::other_mpi;
  traits.is_test = info.call_class == trace::CallClass::test;
  traits.is_poll = traits.is_test || info.name == "MPI_Iprobe" || info.name == "MPI_Improbe";
  traits.is_request_transfer = traits.account == Account::one_sided && region.name.starts_with("MPI_R");
  traits.is_init = info.call_class == trace::CallClass::init;
  traits.is_finalize = info.call_class == trace::CallClass::finalize;
  return traits;
}

std::vector<RegionTraits> classify_regions(const trace::Definitions& definitions) {
  std::vector<RegionTraits> traits;
  traits.reserve(definitions.regions.size());
  for (const trace::Region& region : definitions.regions) traits.push_back(classify_region(region));
  return traits;
}

constexpr const char* account_metrics[] = {"computation",
                                           "mpi",
                                           "init-finalize",
                                           "mpi-communicator",
                                           "mpi-file",
                                           "barrier",
                                           "window-handling",
                                           "fence",
                                           "locks",
                                           "post-start-complete-wait",
                                           "point-to-point",
                                           "collective",
                                           "one-sided",
                                           "mpi-io",
                                           "mpi-io-individual",
                                           "mpi-io-collective",
                                           "openmp",
                                           "omp-explicit-barrier",
                                           "omp-implicit-barrier",
                                           "omp-critical",
                                           "omp-lock-api",
                                           "omp-ordered",
                                           "omp-taskwait",
                                           "omp-flush",
                                           "pthreads",
                                           "pthread-management",
                                           "pthread-mutex",
                                           "pthread-condition",
                                           "shmem",
                                           "shmem-init-finalize",
                                           "shmem-memory",
                                           "shmem-barrier",
                                           "shmem-wait-until",
                                           "shmem-fence",
                                           "shmem-locks",
                                           "shmem-rma",
                                           "shmem-collective",
                                           "shmem-atomics"};

std::string_view metric_of(Account account) { return name_in(account_metrics, account); }

}  // namespace mora::analysis
