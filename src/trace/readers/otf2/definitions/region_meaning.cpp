#include "trace/readers/otf2/definitions/region_meaning.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "archive/attributes.h"

namespace mora::trace::otf2 {

const char* paradigm_name(OTF2_Paradigm paradigm) {
  static constexpr const char* names[] = {
      "",        "USER",     "COMPILER", "OPENMP",   "MPI",   "CUDA",      "MEASUREMENT", "PTHREAD",   "HMPP",
      "OMPSS",   "HARDWARE", "GASPI",    "UPC",      "SHMEM", "WINTHREAD", "QTTHREAD",    "ACETHREAD", "TBBTHREAD",
      "OPENACC", "OPENCL",   "MTAPI",    "SAMPLING", "",      "HIP",       "KOKKOS"};
  return paradigm < std::size(names) ? names[paradigm] : "";
}

bool has_threads(OTF2_Paradigm paradigm) {
  switch (paradigm) {
    case OTF2_PARADIGM_OPENMP:
    case OTF2_PARADIGM_PTHREAD:
    case OTF2_PARADIGM_OMPSS:
    case OTF2_PARADIGM_WINTHREAD:
    case OTF2_PARADIGM_QTTHREAD:
    case OTF2_PARADIGM_ACETHREAD:
    case OTF2_PARADIGM_TBBTHREAD:
    case OTF2_PARADIGM_MTAPI:
      return true;
    default:
      return false;
  }
}

bool takes_whole_team(OTF2_RegionRole role, OTF2_Paradigm paradigm) {
  if (!has_threads(paradigm)) return false;
  switch (role) {
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
    case OTF2_REGION_ROLE_LOOP:
    case OTF2_REGION_ROLE_SECTIONS:
    case OTF2_REGION_ROLE_WORKSHARE:
    case OTF2_REGION_ROLE_SINGLE:
      return true;
    default:
      return false;
  }
}

Paradigm paradigm_of(OTF2_Paradigm paradigm) {
  switch (paradigm) {
    case OTF2_PARADIGM_OPENMP:
      return Paradigm::openmp;
    case OTF2_PARADIGM_PTHREAD:
      return Paradigm::pthread;
    case OTF2_PARADIGM_SHMEM:
      return Paradigm::shmem;
    case OTF2_PARADIGM_CUDA:
    case OTF2_PARADIGM_HIP:
    case OTF2_PARADIGM_OPENCL:
    case OTF2_PARADIGM_OPENACC:
      return Paradigm::device;
    default:
      return Paradigm::unknown;
  }
}

RegionRole role_of(OTF2_RegionRole role) {
  switch (role) {
    case OTF2_REGION_ROLE_PARALLEL:
      return RegionRole::parallel;
    case OTF2_REGION_ROLE_LOOP:
    case OTF2_REGION_ROLE_SECTIONS:
    case OTF2_REGION_ROLE_SECTION:
    case OTF2_REGION_ROLE_WORKSHARE:
    case OTF2_REGION_ROLE_SINGLE:
    case OTF2_REGION_ROLE_SINGLE_SBLOCK:
    case OTF2_REGION_ROLE_MASTER:
      return RegionRole::workshare;
    case OTF2_REGION_ROLE_BARRIER:
      return RegionRole::barrier;
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
      return RegionRole::implicit_barrier;
    case OTF2_REGION_ROLE_CRITICAL:
      return RegionRole::critical;
    case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
      return RegionRole::critical_block;
    case OTF2_REGION_ROLE_FLUSH:
      return RegionRole::flush;
    case OTF2_REGION_ROLE_ORDERED:
      return RegionRole::ordered;
    case OTF2_REGION_ROLE_ORDERED_SBLOCK:
      return RegionRole::ordered_block;
    case OTF2_REGION_ROLE_TASK:
    case OTF2_REGION_ROLE_TASK_UNTIED:
      return RegionRole::task;
    case OTF2_REGION_ROLE_TASK_CREATE:
      return RegionRole::task_create;
    case OTF2_REGION_ROLE_TASK_WAIT:
      return RegionRole::task_wait;
    default:
      return RegionRole::unknown;
  }
}

bool is_interval(const RegionRecord& r) {
  return r.paradigm == OTF2_PARADIGM_USER && (r.role == OTF2_REGION_ROLE_CODE || r.role == OTF2_REGION_ROLE_LOOP);
}

bool is_our_mark(const RegionRecord& r, std::string_view description) {
  return is_interval(r) && description.starts_with("mora:interval");
}

bool is_our_program(const RegionRecord& r, std::string_view description) {
  return r.paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM && r.role == OTF2_REGION_ROLE_ARTIFICIAL &&
         description == archive::program_description;
}

std::uint32_t replication(std::string_view description) {
  constexpr std::string_view before = "mora:interval replication=";
  if (!description.starts_with(before)) return 1;
  description.remove_prefix(before.size());
  if (description == "all") return no_id;
  std::uint32_t processes = 1;
  std::from_chars(description.data(), description.data() + description.size(), processes);
  return std::max<std::uint32_t>(processes, 1);
}

}  // namespace mora::trace::otf2
