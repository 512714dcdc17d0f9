/// The non-blocking collectives of a rank, as its locations' streams record them: start and completing call of each.
/// About 130 bytes per operation.
#pragma once

#include "analysis/engine/domain.h"
#include "analysis/engine/storage.h"
#include "trace/links/recording_gaps.h"
#include "trace/links/request_map.h"

namespace mora::analysis {

struct NonblockingOperation {
  Nanoseconds start_enter = 0;  ///< B
  Nanoseconds start_leave = 0;
  Nanoseconds enter = 0;  ///< of the completing call
  Nanoseconds leave = 0;
  std::uint64_t call = 0;  ///< number of the completing call on its location
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
  bool may_wait = false;      ///< the completing call is a wait, recorded as a whole
  bool with_message = false;  ///< … that completed a message too
  // The answer: whom it needed.
  Nanoseconds needed_begin = 0;
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
};

struct RankOperations {
  std::uint32_t rank = 0;
  SpillVector<NonblockingOperation> operations;  ///< location by location, in order of starting
};

/// Fills `operations`, which outlives it.
std::unique_ptr<Collector> make_operation_collector(const DomainContext& context, cube::LocationId location,
                                                    RankOperations& operations);

}  // namespace mora::analysis
