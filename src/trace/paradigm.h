/// Which library a region that is no call of MPI belongs to: OpenMP, POSIX threads, OpenSHMEM, that of an accelerator.
///
/// What the format says (Region::paradigm: OTF2) comes first; otherwise the name decides, as Score-P, OPARI and their
/// like write it: "!$omp barrier @a.c:10", "omp_set_lock", "pthread_mutex_lock", "shmem_barrier_all",
/// "hipEventSynchronize". Blanks, '_' and ':' are one separator, so that "omp_implicit_barrier" is a directive too (the
/// text language has no blanks in names). Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "trace/definitions.h"

namespace mora::trace {

/// Paradigm::unknown: the program's own, or MPI's. Regions of OpenMP that hold the program's work (parallel, loop,
/// task …) are OpenMP's.
Paradigm paradigm_of(const Region& region);
/// Of a name alone.
Paradigm paradigm_of(std::string_view name);

/// "shmem_put@a.c:7" -> "shmem_put": the name may have its place in it.
inline std::string_view without_place(std::string_view name) { return name.substr(0, name.find('@')); }

/// "!$omp implicit barrier @a.c:10", "omp_implicit_barrier" -> "implicit barrier"; empty: no such name.
std::string openmp_directive(std::string_view name);

/// The execution of a task of OpenMP.
bool is_task(const Region& region);

/// sem_wait and its like.
bool is_semaphore_call(std::string_view name);

}  // namespace mora::trace
