#include "analysis/metrics/library_regions.h"

#include <algorithm>
#include <string>

#include "base/names.h"
#include "trace/paradigm.h"

namespace mora::analysis {

namespace {

using trace::Paradigm;
using trace::RegionRole;

bool has(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return name.find(w) != name.npos; });
}
bool is_one_of(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

RegionRole role_of(std::string_view directive) {
  using enum RegionRole;
  static constexpr std::pair<std::string_view, RegionRole> roles[] = {
      {"parallel", parallel},
      {"parallel for", parallel},
      {"parallel do", parallel},
      {"parallel sections", parallel},
      {"for", workshare},
      {"do", workshare},
      {"loop", workshare},
      {"sections", workshare},
      {"section", workshare},
      {"workshare", workshare},
      {"single", workshare},
      {"single sblock", workshare},
      {"master", workshare},
      {"barrier", barrier},
      {"ebarrier", barrier},
      {"implicit barrier", implicit_barrier},
      {"ibarrier", implicit_barrier},
      {"critical", critical},
      {"critical sblock", critical_block},
      {"flush", flush},
      {"ordered", ordered},
      {"ordered sblock", ordered_block},
      {"task", task},
      {"untied task", task},
      {"create task", task_create},
      {"create task (untied)", task_create},
      {"taskwait", task_wait},
      {"taskgroup", task_wait},
  };
  return value_in(roles, directive, unknown);
}

Account account_of(RegionRole role) {
  static constexpr std::pair<RegionRole, Account> accounts[] = {
      {RegionRole::barrier, Account::omp_explicit_barrier},
      {RegionRole::implicit_barrier, Account::omp_implicit_barrier},
      {RegionRole::critical, Account::omp_critical},
      {RegionRole::flush, Account::omp_flush},
      {RegionRole::ordered, Account::omp_ordered},
      {RegionRole::task_wait, Account::omp_taskwait},
      {RegionRole::task_create, Account::other_openmp}};
  return value_in(accounts, role, Account::computation);
}

RegionTraits classify_openmp(const trace::Region& region, const std::string& directive) {
  RegionTraits traits;
  RegionRole role = region.role != RegionRole::unknown ? region.role : role_of(directive);
  traits.is_parallel = role == RegionRole::parallel;
  traits.is_task = role == RegionRole::task;
  traits.account = account_of(role);
  if (role != RegionRole::unknown) return traits;
  if (is_one_of(directive, {"set lock", "unset lock", "test lock", "set nest lock", "unset nest lock", "test nest lock",
                            "init lock", "destroy lock", "init nest lock", "destroy nest lock", "init lock with hint",
                            "init nest lock with hint"})) {
    traits.account = Account::omp_lock_api;
    traits.is_test = directive.starts_with("test");
  } else if (directive == "atomic" || directive.starts_with("get ") || directive.starts_with("set ")) {
    traits.account = Account::other_openmp;
  }
  return traits;
}

RegionTraits classify_pthread(std::string_view name) {
  RegionTraits traits;
  traits.account = Account::other_pthread;
  if (is_one_of(name, {"pthread_create", "pthread_join", "pthread_exit", "pthread_cancel", "pthread_detach",
                       "pthread_tryjoin_np", "pthread_timedjoin_np"})) {
    traits.account = Account::pthread_management;
  } else if (has(name, {"_mutex_", "_spin_", "_rwlock_"})) {
    traits.account = Account::pthread_mutex;
    traits.is_test = has(name, {"try"});
    traits.is_shared_lock = has(name, {"rdlock"});
  } else if (has(name, {"_cond_"})) {
    traits.account = Account::pthread_condition;
  } else if (const bool is_barrier = has(name, {"_barrier_wait"}); is_barrier || trace::is_semaphore_call(name)) {
    traits.account = is_barrier ? Account::pthread_barrier : Account::pthread_condition;
    traits.is_test = has(name, {"try"});
    traits.is_shared_lock = true;
  }
  return traits;
}

Account shmem_account(std::string_view name) {
  if (name == "start_pes" || has(name, {"_init", "_finalize", "_global_exit"})) return Account::shmem_init_finalize;
  if (is_one_of(name, {"shmalloc", "shfree", "shrealloc", "shmemalign"}) ||
      has(name, {"_malloc", "_calloc", "_free", "_realloc", "_align"}))
    return Account::shmem_memory;
  if (has(name, {"_lock"})) return Account::shmem_locks;
  if (has(name, {"_barrier", "_sync"})) return Account::shmem_barrier;
  if (has(name, {"_wait", "_test"})) return Account::shmem_wait_until;
  if (has(name, {"_fence", "_quiet"})) return Account::shmem_fence;
  // Atomics before puts and gets, reductions before "and", "add".
  if (has(name, {"_to_all", "_reduce", "_broadcast", "_collect", "_fcollect", "_alltoall"}))
    return Account::shmem_collective;
  if (has(name, {"_atomic_", "_fadd", "_finc", "_cswap", "_swap", "_add", "_inc", "_fetch", "_set"}))
    return Account::shmem_atomics;
  if (has(name, {"_put", "_get", "_iput", "_iget", "_p", "_g"})) {
    const std::string_view last = name.substr(name.rfind('_'));
    if (last == "_p" || last == "_g" || has(name, {"_put", "_get", "_iput", "_iget"})) return Account::shmem_rma;
  }
  return Account::other_shmem;
}

/// shmem_n_pes, shmem_ptr, shmem_pe_accessible: not part of any group.
bool is_query(std::string_view name) { return has(name, {"_n_pes", "_my_pe", "accessible", "_ptr", "_info_get"}); }

RegionTraits classify_device(std::string_view name) {
  RegionTraits traits;
  traits.account = Account::other_device;
  name = name.substr(0, name.find('('));
  // cudaStreamWaitEvent and its like make the device wait, not the processor.
  if (has(name, {"Synchronize", "clFinish", "QueueFinish", "clWaitForEvents", "EventWait", "EventsWait", "acc_wait"}) ||
      (name.starts_with("sycl::") && has(name, {"::wait"})))
    traits.account = Account::device_wait;
  else if (has(name, {"Memcpy", "Memset", "memcpy", "memset", "MemoryCopy", "MemoryFill", "EnqueueRead", "EnqueueWrite",
                      "EnqueueCopy", "EnqueueFill", "EnqueueMap", "EnqueueUnmap", "EnqueueMem", "EnqueueSVM",
                      "Prefetch", "acc_update", "enqueue_upload", "enqueue_download"}))
    traits.account = Account::device_transfer;
  return traits;
}

}  // namespace

RegionTraits classify_library_region(const trace::Region& region) {
  const std::string_view name = trace::without_place(region.name);
  RegionTraits traits;
  switch (trace::paradigm_of(region)) {
    case Paradigm::openmp:
      return classify_openmp(region, trace::openmp_directive(name));
    case Paradigm::pthread:
      return classify_pthread(name);
    case Paradigm::device:
      return classify_device(name);
    case Paradigm::shmem:
      traits.account = is_query(name) ? Account::other_shmem : shmem_account(name);
      traits.is_test = traits.account == Account::shmem_locks && has(name, {"_test"});
      break;
    case Paradigm::without_work:
      traits.account = Account::without_work;
      break;
    case Paradigm::unknown:
      break;
  }
  return traits;
}

RegionTraits classify_library_label(const std::string& label) {
  trace::Region region;
  region.name = label;
  return classify_library_region(region);
}

ShmemOperation shmem_operation(const trace::Region& region) {
  ShmemOperation operation;
  const std::string_view name = trace::without_place(region.name);
  switch (classify_library_region(region).account) {
    case Account::shmem_init_finalize:
      operation.call = has(name, {"_finalize"})      ? ShmemCall::finalize
                       : has(name, {"_global_exit"}) ? ShmemCall::none
                                                     : ShmemCall::init;
      operation.is_all = true;
      break;
    case Account::shmem_barrier:
      operation.call = ShmemCall::barrier;
      operation.is_all = name.ends_with("_all");
      break;
    case Account::shmem_collective:
      operation.call = has(name, {"_broadcast"}) ? ShmemCall::broadcast : ShmemCall::n_to_n;
      break;
    case Account::shmem_locks:
      operation.call = has(name, {"_clear"})  ? ShmemCall::clear_lock
                       : has(name, {"_test"}) ? ShmemCall::test_lock
                                              : ShmemCall::set_lock;
      break;
    default:
      break;
  }
  return operation;
}

}  // namespace mora::analysis
