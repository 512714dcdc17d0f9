/// The parts of an index, wherever they live (memory, mapped file).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/event_store.h"

namespace mora::trace {

class IndexStorage {
 public:
  virtual ~IndexStorage() = default;

  EventColumns columns;
  std::span<const std::uint64_t> location_begin;  ///< per location, first index in `location_events`; one more at the end
  std::span<const std::uint32_t> location_events;  ///< positions of each location's events, ascending
  /// Snapshot k holds what is open after event snapshot_at[k]: snapshot_open[snapshot_begin[k] … snapshot_begin[k + 1]).
  std::span<const std::uint32_t> snapshot_at;
  std::span<const std::uint64_t> snapshot_begin;
  std::span<const std::uint32_t> snapshot_open;  ///< positions, ascending
  std::uint64_t bytes = 0;
};

/// In vectors.
class MemoryIndex : public IndexStorage {
 public:
  std::vector<Nanoseconds> time;
  std::vector<std::uint32_t> enter, forward, ordinal, location, code;
  std::vector<EarlType> type;
  std::vector<EventDetail> detail;
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> events;
  std::vector<std::uint32_t> snapshots, snapshot_events;
  std::vector<std::uint64_t> snapshot_begins;
  /// Points the spans at the vectors; call when they are complete.
  void publish();
};

}  // namespace mora::trace
