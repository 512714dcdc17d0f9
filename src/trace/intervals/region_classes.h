/// What a region means to the search for intervals, decided once for all regions of a trace. Pure functions,
/// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "trace/definitions.h"

namespace mora::trace {

enum class RegionClass : std::uint8_t {
  plain,            ///< user code, other libraries
  interval,         ///< each visit is an interval; its enter brings the number
  chosen_interval,  ///< … because the user chose it (--interval-regions): number 0
  call,             ///< an MPI call that is no part of marks
  sends,            ///< MPI_Send, MPI_Isend, MPI_Sendrecv …: may begin a mark
  receives,         ///< MPI_Recv, MPI_Irecv, MPI_Wait, …: may go on with one
  control,          ///< MPI_Pcontrol
};

/// The class of each region. `patterns`: IntervalOptions::regions, shell patterns for names.
std::vector<RegionClass> region_classes(const std::vector<Region>& regions, const std::vector<std::string>& patterns);

/// Those that fit no region which could become an interval: user code and other libraries, not MPI, not marked.
std::vector<std::string> unmatched_patterns(const std::vector<Region>& regions,
                                            const std::vector<std::string>& patterns);

/// For each region the first one that marks the same intervals: calls are one per file and line, whichever function
/// marks there (begun with MPI_Send on one rank and MPI_Sendrecv on another), other regions per name, file and line.
std::vector<RegionId> interval_sites(const std::vector<Region>& regions);

inline bool is_call(RegionClass c) { return c >= RegionClass::call; }

}  // namespace mora::trace
