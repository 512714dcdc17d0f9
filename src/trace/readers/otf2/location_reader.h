/// One location's OTF2 records become events, mended as source.h promises.
///
/// Cost: one virtual call per event and no allocation; the Event is reused, only its used fields are set anew.
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <vector>

#include "base/data_quality.h"
#include "trace/event.h"
#include "trace/mpi_function.h"
#include "trace/readers/otf2/archive_definitions.h"
#include "trace/readers/otf2/clock.h"
#include "trace/source.h"

namespace mora::trace::otf2 {

class LocationReader {
 public:
  LocationReader(const ArchiveDefinitions& definitions, LocationId location, Clock clock, EventSink& sink);

  /// Registers the callbacks for all records that are interpreted.
  static void set_callbacks(OTF2_EvtReaderCallbacks* callbacks);

  /// Closes what is open and reports what was mended. `whole`: the stream was read to its end.
  void finish(bool whole, std::uint64_t records_read, DataQuality& quality);
  std::uint64_t delivered() const { return records_; }

 private:
  struct Open {
    RegionId region;
    std::uint16_t function;
    bool lock_requested = false;
  };

  /// A fresh event at the (never decreasing) time of the stamp.
  Event& begin(EventKind kind, std::uint64_t stamp) {
    event_ = Event{};
    event_.kind = kind;
    Nanoseconds t = clock_(stamp);
    if (t < last_) {
      t = last_;
      ++clamped_;
    }
    last_ = t;
    event_.time = t;
    ++records_;
    return event_;
  }
  void deliver() { sink_.on_event(event_); }
  void enter(std::uint64_t stamp, std::uint64_t region);
  void leave(std::uint64_t stamp, std::uint64_t region);
  void close_top();
  void message(EventKind kind, std::uint64_t stamp, std::uint32_t peer, std::uint64_t comm, std::uint32_t tag,
               std::uint64_t bytes, std::uint64_t request);
  void request(EventKind kind, std::uint64_t stamp, std::uint64_t id);
  void collective_end(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t op, std::uint64_t comm,
                      std::uint32_t root, std::uint64_t sent, std::uint64_t received);
  void window_event(EventKind kind, std::uint64_t stamp, std::uint64_t window);
  void rma_collective_end(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t op, std::uint64_t window);
  void group_sync(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t level, std::uint64_t window,
                  std::uint64_t group);
  void lock(EventKind kind, std::uint64_t stamp, std::uint64_t window, std::uint32_t remote, bool exclusive,
            bool acquired, OTF2_AttributeList* list);
  void transfer(EventKind kind, std::uint64_t stamp, OTF2_AttributeList* list, std::uint64_t window,
                std::uint32_t remote, std::uint64_t bytes, std::uint64_t received, std::uint64_t id, bool atomic);
  /// World rank of a communicator's rank as seen from here; no_id if undefined.
  std::uint32_t world_rank(CommId comm, std::uint32_t rank) const;
  std::uint32_t window_rank(WindowId window, std::uint32_t rank) const;
  CallClass inside() const;

  const ArchiveDefinitions& definitions_;
  const LocationId location_;
  const std::uint32_t rank_;
  const Clock clock_;
  EventSink& sink_;
  Event event_;
  Nanoseconds last_;
  bool at_end_ = false;  ///< the stream is over: what is closed now is not in the file
  std::vector<Open> stack_;
  std::vector<bool> peers_are_remote_;  ///< per communicator
  std::uint64_t records_ = 0;
  std::uint64_t clamped_ = 0, undefined_ = 0, stray_leaves_ = 0, missing_leaves_ = 0;
};

}  // namespace mora::trace::otf2
