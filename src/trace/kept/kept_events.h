/// KeptEvents: the events of locations between the reading that looks for iterations and the one that analyses, so that
/// the archive is read once.
///
/// Idea: an event differs little from the last one of its kind on its location. What is kept of it is its kind, which
/// of its 32-bit pieces differ, the time since the event before, and the differences, each in 2, 4 or 10 bytes
/// (base/numbers/short_number.h): 6 to 10 bytes for most. Nothing is lost, whatever the event. A reading of counters is
/// compared with the last one of its counter.
/// Pieces of up to 64 KiB stay in memory up to a budget, beyond it they are in an unlinked file in $TMPDIR. The file
/// takes a sixteenth of what is free there: the rest is for what cannot be done without, as a bounded analysis, which
/// takes some ten times as much for the same events. Once that is not enough nothing stays on disk: the locations that
/// have pieces there are not kept, and have to be read again. What is on disk is
/// given once, and leaves it meanwhile: there is as much room then as if nothing had been kept.
///
/// Cost: about 190 instructions an event, 135 to keep and 55 to give (docs/performance.md). Thread safety: different
/// locations at the same time, each by one thread; none is given while others are kept.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "base/error.h"
#include "base/storage/spool.h"
#include "trace/event.h"
#include "trace/source.h"

namespace mora::trace {

/// What events of one location are compared with; the same while they are packed and while they are unpacked.
class LastEvents {
 public:
  LastEvents();
  /// Bytes that an event takes at most, and that must be readable behind the last.
  static constexpr std::size_t most_bytes = 288, behind = 2;

  /// Returns where the next one goes. `at` has room for most_bytes.
  std::byte* pack(const Event& event, std::byte* at);
  /// The event at `at`, which becomes the place of the next one. Valid until the next call.
  const Event& unpack(const std::byte*& at);

 private:
  static constexpr unsigned slot_bits = 6;
  static constexpr unsigned kinds = static_cast<unsigned>(EventKind::other) + 1;
  static constexpr unsigned counters = (1U << slot_bits) - kinds;  ///< those with other remainders have other slots
  static unsigned slot_of(const Event& event) {
    return event.kind == EventKind::metric ? kinds + event.vector % counters : static_cast<unsigned>(event.kind);
  }
  std::array<Event, kinds + counters> events_;
  Nanoseconds time_ = 0;  ///< of the last
};

class KeptEvents {
 public:
  /// `budget`: bytes in memory, all locations together; `readings`: how often each location in memory is given.
  KeptEvents(std::size_t locations, std::size_t budget, unsigned readings = 1)
      : file_(budget, share_of_disk), readings_(readings), locations_(locations) {}

  /// Passes a location's events on to `next`, those that it wants, and keeps all of them.
  class Keeper : public EventSink {
   public:
    Keeper(KeptEvents& kept, LocationId location, EventSink& next);
    void on_event(const Event& event) override;
    /// The location was read to its end: now it is kept, if there was room.
    void finish();

   private:
    void store();
    void forget();

    KeptEvents& kept_;
    const LocationId location_;
    EventSink& next_;
    const std::uint64_t wanted_;
    LastEvents last_;
    std::unique_ptr<std::byte[]> piece_;
    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
    std::size_t size_ = 0;
    bool has_room_ = true;
  };

  bool holds(LocationId location) const { return locations_[location].readings != 0; }
  /// Passes the events on, in their order, and the last time forgets them. Errors (system): the file cannot be read.
  Result<void> give(LocationId location, EventSink& sink);

 private:
  static constexpr unsigned share_of_disk = 16;
  struct Piece {
    SpoolFile::Chunk chunk;
    std::size_t bytes = 0;
  };
  struct Location {
    std::vector<Piece> pieces;
    unsigned readings = 0;  ///< to come
    bool is_on_disk = false;
  };
  void leave_disk();

  SpoolFile file_;
  const unsigned readings_;
  std::vector<Location> locations_;
  std::atomic<std::size_t> on_disk_ = 0;  ///< locations that are kept there
  std::shared_mutex leaving_;             ///< who keeps: shared; who takes all from the disk: alone
  bool has_left_ = false;
};

}  // namespace mora::trace
