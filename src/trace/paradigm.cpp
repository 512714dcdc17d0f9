#include "trace/paradigm.h"

#include <algorithm>

namespace mora::trace {

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_shmem_name(std::string_view name) {
  return name.starts_with("shmem_") || name.starts_with("shmemx_") || name.starts_with("pshmem_") ||
         is_one_of(name, {"start_pes", "shmalloc", "shfree", "shrealloc", "shmemalign"});
}

/// "cudaDeviceSynchronize", "cuStreamSynchronize", "hipEventSynchronize(hipEvent_t)", "clFinish",
/// "zeFenceHostSynchronize". Functions of the program may begin so, too: what follows must be a thing that these
/// libraries are about.
bool is_device_name(std::string_view name) {
  static constexpr std::string_view prefixes[] = {"cuda", "cu", "hip", "cl", "ze", "ur", "pi"};
  static constexpr std::string_view things[] = {
      "API",     "Array",   "Bind",    "Build",   "Choose",  "Command", "Compile", "Configure", "Context", "Create",
      "Ctx",     "Device",  "Driver",  "Enqueue", "Event",   "Export",  "Ext",     "External",  "Fence",   "Finish",
      "Flush",   "Free",    "Func",    "Get",     "Graph",   "Host",    "Image",   "Import",    "Init",    "Ipc",
      "Kernel",  "Launch",  "Library", "Link",    "Malloc",  "Mem",     "Module",  "Occupancy", "Peek",    "Pointer",
      "Profile", "Program", "Queue",   "Release", "Retain",  "Runtime", "Set",     "Signal",    "Stream",  "Surf",
      "Tex",     "Thread",  "USM",     "Unload",  "Virtual", "Wait"};
  for (const std::string_view prefix : prefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    if (std::any_of(std::begin(things), std::end(things), [&](std::string_view t) { return rest.starts_with(t); }))
      return true;
  }
  return name.starts_with("acc_") || name.starts_with("sycl::");
}

}  // namespace

std::string openmp_directive(std::string_view name) {
  name = without_place(name);
  if (name.starts_with("!$")) name.remove_prefix(2);
  if (!name.starts_with("omp") || name.size() < 4) return {};
  if (name[3] != ' ' && name[3] != '_' && name[3] != ':') return {};
  name.remove_prefix(4);
  std::string directive(name);
  std::replace(directive.begin(), directive.end(), '_', ' ');
  std::replace(directive.begin(), directive.end(), ':', ' ');
  while (!directive.empty() && directive.back() == ' ') directive.pop_back();
  return directive;
}

bool is_task(const Region& region) {
  if (region.kind != RegionKind::user) return false;
  if (region.role != RegionRole::unknown) return region.role == RegionRole::task;
  return is_one_of(openmp_directive(region.name), {"task", "untied task"});
}

bool is_semaphore_call(std::string_view name) {
  return is_one_of(name, {"sem_wait", "sem_timedwait", "sem_clockwait", "sem_trywait", "sem_post"});
}

Paradigm paradigm_of(std::string_view name) {
  name = without_place(name);
  if (!openmp_directive(name).empty()) return Paradigm::openmp;
  if (name.starts_with("pthread_") || is_semaphore_call(name)) return Paradigm::pthread;
  if (is_device_name(name)) return Paradigm::device;
  return is_shmem_name(name) ? Paradigm::shmem : Paradigm::unknown;
}

Paradigm paradigm_of(const Region& region) {
  if (region.kind != RegionKind::user) return Paradigm::unknown;
  return region.paradigm == Paradigm::unknown ? paradigm_of(region.name) : region.paradigm;
}

}  // namespace mora::trace
