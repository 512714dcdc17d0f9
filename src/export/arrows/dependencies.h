/// Kind 3 of spec/000 2.17: what depends on what among the operations and synchronisations of one-sided communication.
///
/// A dependency is quasi-timeless and may point forward or backward in time; it is never counted as a message (VIS-30).
/// It points from what depends to what it depends on:
///   request    GET_1TS → GET_1TO: the transfer leaves the target because the origin asked (VIS-35);
///   unlock     exit of MPI_Win_unlock → PUT_1TE: it may not return before the Put has arrived (VIS-35);
///   post       exit of MPI_Win_start → exit of the MPI_Win_post of the same epoch, wherever in time (VIS-33);
///   complete   exit of MPI_Win_wait → exit of the MPI_Win_complete of the same epoch.
/// A fence is one collective instance: its exits, not pairs (VIS-31). Puts of fences and GATS need none (VIS-35).
#pragma once

#include <vector>

#include "trace/rma/synchronisations.h"

namespace mora::exports {

enum class DependencyKind : std::uint8_t { request, unlock, post, complete, fence };
const char* to_string(DependencyKind kind);

struct Dependency {
  DependencyKind kind = DependencyKind::request;
  trace::WindowId window = trace::no_id;
  trace::Position from = 0, to = 0;         ///< 0 for fences
  std::vector<trace::Position> collective;  ///< fences: the exits of one instance, ascending
};

/// All dependencies, ordered by their earliest event. One pass and Synchronisations; memory: the list.
std::vector<Dependency> dependencies(const trace::View& view);

}  // namespace mora::exports
