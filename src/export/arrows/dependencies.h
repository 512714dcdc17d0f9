/// Dependencies among the operations and synchronisations of one-sided communication (Hermanns 2004, 7.4).
///
/// A dependency has no duration, and it may point forward or backward in time; it is never counted as a message. It
/// points from the event that depends to the event that it depends on:
///   request    GET_1TS → GET_1TO: the transfer leaves the target because the origin asked for it;
///   unlock     exit of MPI_Win_unlock → PUT_1TE: the unlock may not return before the Put has arrived;
///   post       exit of MPI_Win_start → exit of the MPI_Win_post of the same epoch, earlier or later in time;
///   complete   exit of MPI_Win_wait → exit of the MPI_Win_complete of the same epoch.
/// A fence is one collective instance, given by its exits, not by pairs. Puts between fences and between post, start,
/// complete and wait need no dependency: their ends already stand at the synchronisation.
#pragma once

#include <vector>

#include "trace/rma/synchronisations.h"

namespace mora::exports {

enum class DependencyKind : std::uint8_t { request, unlock, post, complete, fence };
const char* to_string(DependencyKind kind);  ///< as in the column `kind` of CSV: "request"

/// Event `from` depends on event `to` (numbers of the view).
struct Dependency {
  DependencyKind kind = DependencyKind::request;
  trace::WindowId window = trace::no_id;
  trace::Position from = 0, to = 0;         ///< 0 for fences
  std::vector<trace::Position> collective;  ///< fences: the exits of one instance, ascending
};

/// All dependencies, ordered by their earliest event. One pass and Synchronisations; memory: the list.
std::vector<Dependency> dependencies(const trace::View& view);

}  // namespace mora::exports
