/// The non-blocking collectives of a rank, as its locations' streams record them: start and completing call of each.
/// About 130 bytes per operation.
#pragma once

#include "analysis/core/domain.h"
#include "analysis/storage/storage.h"
#include "trace/links/recording_gaps.h"
#include "trace/links/request_map.h"

namespace mora::analysis {

struct NonblockingOperation {
  Nanoseconds start_enter = 0;  ///< B
  Nanoseconds start_leave = 0;
  Nanoseconds enter = 0;  ///< of the completing call; = leave where another thread completed it
  Nanoseconds leave = 0;
  std::uint32_t start_node = 0;
  std::uint32_t node = 0;  ///< of the completing call
  cube::LocationId location = 0;
  std::uint32_t comm = 0xFFFFFFFF;
  std::uint32_t stretch = 0;  ///< how often recording had been off before
  std::uint32_t root = 0xFFFFFFFF;
  std::uint32_t vector = 0xFFFFFFFF;
  trace::Collective collective = trace::Collective::none;
  bool sends = false;
  bool receives = false;
  bool is_complete = false;
  bool start_is_broken = false;  ///< recording was off during part of the call
  bool completion_is_broken = false;
  bool may_wait = false;  ///< the completing call is a wait or ends a loop of tests, recorded as a whole
  bool is_mixed = false;  ///< … that completed a message or a transfer too
  CompletionKind account = completes_collective;  ///< by which the completing call is accounted
  // Where a loop of tests waited: a range of RankOperations::polled; empty: in the completing call.
  std::uint32_t first_polled = 0;
  std::uint32_t polled = 0;
  // The answer: whom it needed.
  Nanoseconds needed_begin = 0;
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
  // Who of those it needed came last to complete it, if that was before it was complete here.
  Nanoseconds completing_begin = 0;
  cube::LocationId completing = cube::no_id;
  cube::CallPathId completing_call_path = cube::no_id;
};

struct RankOperations {
  std::uint32_t rank = 0;
  SpillVector<NonblockingOperation> operations;  ///< location by location, in order of starting
  SpillVector<TimeInterval> polled;

  /// Where a completed operation waited if it did.
  template <class Visit>
  void each_wait(const NonblockingOperation& operation, const Visit& visit) const {
    if (operation.polled == 0) visit(TimeInterval{operation.enter, operation.leave});
    for (std::uint32_t i = 0; i < operation.polled; ++i) visit(polled[operation.first_polled + i]);
  }
};

/// Fills `operations`, which outlives it.
std::unique_ptr<Collector> make_operation_collector(const DomainContext& context, cube::LocationId location,
                                                    RankOperations& operations);

}  // namespace mora::analysis
