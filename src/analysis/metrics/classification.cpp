/// The account of an MPI function: by its class in the table of MPI functions (mpi/function.h), then by what it does to
/// a file or what it is about.
#include "analysis/metrics/classification.h"

#include "analysis/metrics/library_regions.h"
#include "base/names.h"

namespace mora::analysis {

namespace {

Account account_of_file_call(const mpi::Function& f) {
  if (f.file == mpi::FileAccess::management) return Account::file_management;
  return f.by_all ? Account::io_collective : Account::io_individual;
}

Account account_of(const mpi::Function& f) {
  using enum trace::CallClass;
  static constexpr std::pair<trace::CallClass, Account> by_class[] = {
      {none, Account::computation},
      {collective, Account::collective},
      {collective_start, Account::collective},
      {init, Account::init_finalize},
      {finalize, Account::init_finalize},
      {communicator, Account::communicator},
      {group, Account::communicator},
      {window_create, Account::window_handling},
      {window_free, Account::window_handling},
      {window_attach, Account::window_handling},
      {fence, Account::fence},
      {lock, Account::locks},
      {unlock, Account::locks},
      {passive_other, Account::locks},
      {put, Account::one_sided},
      {get, Account::one_sided},
      {accumulate, Account::one_sided},
  };
  if (f.call == other || f.call == collective_setup)
    return f.subject == mpi::Subject::communicator ? Account::communicator : Account::other_mpi;
  if (f.call == file) return account_of_file_call(f);
  if (f.call == collective && f.collective == mpi::Collective::barrier) return Account::barrier;
  if (f.subject == mpi::Subject::point_to_point) return Account::point_to_point;
  return value_in(by_class, f.call, Account::post_start_complete_wait);
}

}  // namespace

RegionTraits classify_region(const trace::Region& region) {
  if (region.kind != trace::RegionKind::mpi) return classify_library_region(region);
  RegionTraits traits;
  const mpi::Function& function = trace::function_of(region);
  traits.is_mpi = true;
  traits.account = account_of(function);
  if (traits.account == Account::computation) traits.account = Account::other_mpi;
  traits.is_test = function.call == trace::CallClass::test;
  traits.is_poll = mpi::polls_messages(function);
  traits.is_probe = function.call == trace::CallClass::probe;
  traits.is_matched_probe = function.call == trace::CallClass::matched_probe && !traits.is_poll;
  traits.is_look = traits.is_poll || traits.is_probe || traits.is_matched_probe;
  traits.is_request_transfer = mpi::is_request_based(function);
  traits.is_init = function.call == trace::CallClass::init;
  traits.is_finalize = function.call == trace::CallClass::finalize;
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
                                           "pthread-barrier",
                                           "device",
                                           "device-wait",
                                           "device-transfer",
                                           "without-work",
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
