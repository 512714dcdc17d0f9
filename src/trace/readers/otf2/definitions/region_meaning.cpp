#include "trace/readers/otf2/definitions/region_meaning.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "archive/attributes.h"
#include "base/names.h"

namespace mora::trace::otf2 {

const char* paradigm_name(OTF2_Paradigm paradigm) {
  static constexpr const char* names[] = {
      "",        "USER",     "COMPILER", "OPENMP",   "MPI",   "CUDA",      "MEASUREMENT", "PTHREAD",   "HMPP",
      "OMPSS",   "HARDWARE", "GASPI",    "UPC",      "SHMEM", "WINTHREAD", "QTTHREAD",    "ACETHREAD", "TBBTHREAD",
      "OPENACC", "OPENCL",   "MTAPI",    "SAMPLING", "",      "HIP",       "KOKKOS"};
  return paradigm < std::size(names) ? names[paradigm] : "";
}

bool has_threads(OTF2_Paradigm paradigm) {
  static constexpr OTF2_Paradigm with_threads[] = {
      OTF2_PARADIGM_OPENMP,   OTF2_PARADIGM_PTHREAD,   OTF2_PARADIGM_OMPSS,     OTF2_PARADIGM_WINTHREAD,
      OTF2_PARADIGM_QTTHREAD, OTF2_PARADIGM_ACETHREAD, OTF2_PARADIGM_TBBTHREAD, OTF2_PARADIGM_MTAPI};
  return std::ranges::count(with_threads, paradigm) != 0;
}

bool takes_whole_team(OTF2_RegionRole role, OTF2_Paradigm paradigm) {
  static constexpr OTF2_RegionRole of_all[] = {OTF2_REGION_ROLE_BARRIER,   OTF2_REGION_ROLE_IMPLICIT_BARRIER,
                                               OTF2_REGION_ROLE_LOOP,      OTF2_REGION_ROLE_SECTIONS,
                                               OTF2_REGION_ROLE_WORKSHARE, OTF2_REGION_ROLE_SINGLE};
  return has_threads(paradigm) && std::ranges::count(of_all, role) != 0;
}

Paradigm paradigm_of(OTF2_Paradigm paradigm) {
  static constexpr std::pair<OTF2_Paradigm, Paradigm> ours[] = {
      {OTF2_PARADIGM_OPENMP, Paradigm::openmp}, {OTF2_PARADIGM_PTHREAD, Paradigm::pthread},
      {OTF2_PARADIGM_SHMEM, Paradigm::shmem},   {OTF2_PARADIGM_CUDA, Paradigm::device},
      {OTF2_PARADIGM_HIP, Paradigm::device},    {OTF2_PARADIGM_OPENCL, Paradigm::device},
      {OTF2_PARADIGM_OPENACC, Paradigm::device}};
  return value_in(ours, paradigm, Paradigm::unknown);
}

RegionRole role_of(OTF2_RegionRole role) {
  using enum RegionRole;
  static constexpr std::pair<OTF2_RegionRole, RegionRole> ours[] = {
      {OTF2_REGION_ROLE_PARALLEL, parallel},
      {OTF2_REGION_ROLE_LOOP, workshare},
      {OTF2_REGION_ROLE_SECTIONS, workshare},
      {OTF2_REGION_ROLE_SECTION, workshare},
      {OTF2_REGION_ROLE_WORKSHARE, workshare},
      {OTF2_REGION_ROLE_SINGLE, workshare},
      {OTF2_REGION_ROLE_SINGLE_SBLOCK, workshare},
      {OTF2_REGION_ROLE_MASTER, workshare},
      {OTF2_REGION_ROLE_BARRIER, barrier},
      {OTF2_REGION_ROLE_IMPLICIT_BARRIER, implicit_barrier},
      {OTF2_REGION_ROLE_CRITICAL, critical},
      {OTF2_REGION_ROLE_CRITICAL_SBLOCK, critical_block},
      {OTF2_REGION_ROLE_FLUSH, flush},
      {OTF2_REGION_ROLE_ORDERED, ordered},
      {OTF2_REGION_ROLE_ORDERED_SBLOCK, ordered_block},
      {OTF2_REGION_ROLE_TASK, task},
      {OTF2_REGION_ROLE_TASK_UNTIED, task},
      {OTF2_REGION_ROLE_TASK_CREATE, task_create},
      {OTF2_REGION_ROLE_TASK_WAIT, task_wait},
  };
  return value_in(ours, role, unknown);
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

bool is_without_work(const RegionRecord& r, std::string_view description) {
  return r.role == OTF2_REGION_ROLE_ARTIFICIAL && description == archive::without_work_description;
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
