/// One location's OTF2 records become events that keep the guarantees of source.h.
///
/// Source: OTF2 3.0, API reference (event records); Score-P 8 for which records stand for which MPI call; Mora's own
/// archives: docs/formats/otf2.md. Each record has its function here: location_callbacks.cpp calls them for libotf2,
/// the fuzz driver directly. A record may refer to anything: what is not defined becomes `other` and is counted.
/// Records without an event kind of their own become `user` events (README.md). A leave closes the regions inside its
/// own first; a leave without enter is dropped; both are counted. Where a reading finds lost leaves (lost_leaves.h), a
/// second one is told of them.
/// Cost: one virtual call per event and no allocation. Memory: the region stack and open collective file operations.
/// One thread per object.
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "base/data_quality.h"
#include "trace/event.h"
#include "trace/metrics/metric_value.h"
#include "trace/mpi_function.h"
#include "trace/readers/building/lost_leaves.h"
#include "trace/readers/otf2/definitions/archive_definitions.h"
#include "trace/readers/otf2/definitions/clock.h"
#include "trace/source.h"

namespace mora::trace::otf2 {

class LocationReader {
 public:
  /// `lost`: as an earlier reading of the same location found them.
  LocationReader(const ArchiveDefinitions& definitions, LocationId location, Clock clock, EventSink& sink,
                 LostLeaves lost = {});

  /// Registers the callbacks for all records that are interpreted.
  static void set_callbacks(OTF2_EvtReaderCallbacks* callbacks);

  /// Closes what is open and adds a row for each repair. `whole`: the stream was read to its end; `records_read`: as
  /// libotf2 counted them.
  void finish(bool whole, std::uint64_t records_read, DataQuality& quality);
  /// After finish(): what this reading found beyond what it was given.
  LostLeaves lost_leaves() && { return std::move(found_lost_).take(); }
  /// Records that became events so far.
  std::uint64_t delivered() const { return records_; }

  // One function per record, or per group of records that mean the same. `stamp`: time stamp in ticks; ids are the
  // archive's references, ranks those of the communicator or window; `list`: the record's attributes, or null.
  void enter(std::uint64_t stamp, std::uint64_t region, OTF2_AttributeList* list = nullptr);
  void leave(std::uint64_t stamp, std::uint64_t region);
  void enter_context(std::uint64_t stamp, std::uint64_t context) {
    enter_region(stamp, definitions_.contexts[context]);
  }
  void leave_context(std::uint64_t stamp, std::uint64_t context) {
    leave_region(stamp, definitions_.contexts[context]);
  }
  void sample(std::uint64_t stamp, std::uint64_t context);
  void message(EventKind kind, std::uint64_t stamp, std::uint32_t peer, std::uint64_t comm, std::uint32_t tag,
               std::uint64_t bytes, std::uint64_t request);
  /// send_complete, receive_request or cancelled.
  void request(EventKind kind, std::uint64_t stamp, std::uint64_t id);
  /// A record without fields.
  void plain(EventKind kind, std::uint64_t stamp);
  /// The recorder wrote its buffer: overhead from `stamp` to `stop`.
  void flush_buffer(std::uint64_t stamp, std::uint64_t stop);
  void collective_end(EventKind kind, std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t op,
                      std::uint64_t comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                      std::uint64_t request);
  /// The record does not say which collective began; the name of the region does.
  void collective_request(std::uint64_t stamp, std::uint64_t request);
  /// Creation or end of a window.
  void window_event(EventKind kind, std::uint64_t stamp, std::uint64_t window);
  void rma_collective_end(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t op, std::uint64_t window,
                          std::uint32_t root, std::uint64_t sent, std::uint64_t received);
  void group_sync(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t level, std::uint64_t window,
                  std::uint64_t group);
  /// `acquired`: the record says that the lock was got, which may have been asked for before.
  void lock(EventKind kind, std::uint64_t stamp, std::uint64_t window, std::uint32_t remote, bool exclusive,
            bool acquired, OTF2_AttributeList* list);
  void transfer(EventKind kind, std::uint64_t stamp, OTF2_AttributeList* list, std::uint64_t window,
                std::uint32_t remote, std::uint64_t bytes, std::uint64_t received, std::uint64_t id,
                RmaOperation operation);
  void atomic(std::uint64_t stamp, OTF2_AttributeList* list, std::uint64_t window, std::uint32_t remote,
              OTF2_RmaAtomicType type, std::uint64_t sent, std::uint64_t received, std::uint64_t id);
  void rma_complete(std::uint64_t stamp, std::uint64_t window, std::uint64_t id);
  /// A flush if it stands in a call of MPI_Win_flush…, else a user event.
  void rma_sync(std::uint64_t stamp, std::uint64_t window, std::uint32_t remote);
  void fork(std::uint64_t stamp, std::uint32_t threads, std::uint64_t id);
  void join(std::uint64_t stamp, std::uint64_t id);
  void thread_lock(EventKind kind, std::uint64_t stamp, std::uint64_t lock);
  void io_begin(std::uint64_t stamp, std::uint64_t handle, bool collective, std::uint64_t bytes, std::uint64_t id);
  void io_end(std::uint64_t stamp, std::uint64_t handle, std::uint64_t bytes, std::uint64_t id);
  /// One event per value of the record.
  void metric(std::uint64_t stamp, std::uint64_t metric, std::uint8_t n, const OTF2_Type* types,
              const OTF2_MetricValue* values);
  void number_parameter(std::uint64_t stamp, std::uint64_t parameter, const MetricValue& value);
  void text_parameter(std::uint64_t stamp, std::uint64_t parameter, std::uint64_t text);
  /// `text`: index in Definitions::strings, no_id none; `number`: whatever else the record says.
  void user(UserRecord record, std::uint64_t stamp, std::uint32_t text, std::uint64_t number,
            std::uint32_t file = no_id);
  std::uint32_t file_of(std::uint64_t handle) const { return definitions_.handles[handle]; }
  /// Locks of OpenSHMEM have a number, as those of threads. False: not inside an OpenSHMEM call.
  bool shmem_lock(EventKind kind, std::uint64_t stamp, std::uint64_t lock);
  bool in_shmem() const;
  std::uint32_t comm_name(std::uint64_t comm) const { return definitions_.comm_names[comm]; }
  std::uint32_t handle_name(std::uint64_t handle) const;
  std::uint32_t file_name(std::uint64_t file) const;
  std::uint32_t context_name(std::uint64_t context) const;
  std::uint32_t window_name(std::uint64_t window) const;

 private:
  struct Open : OpenRegion {
    FunctionId function;
    std::uint64_t lock_window = UINT64_MAX;  ///< asked for in this region and not yet said to be got
    std::uint32_t lock_target = 0;
  };

  /// A fresh event at the (never decreasing) time of the stamp.
  Event& begin(EventKind kind, std::uint64_t stamp) {
    event_ = Event{};
    event_.kind = kind;
    Nanoseconds t = clock_(stamp);
    if (t < last_) {
      t = last_;
      ++repairs_.clamped;
    }
    last_ = t;
    event_.time = t;
    ++records_;
    return event_;
  }
  void deliver() {
    if ((wanted_ & kind_bit(event_.kind)) != 0) sink_.on_event(event_);
  }
  /// An id of what is not defined: the event is delivered as `other`.
  void undefined() {
    ++undefined_;
    event_.kind = EventKind::other;
  }
  void io(EventKind kind, std::uint64_t stamp, std::uint64_t handle, bool collective, std::uint64_t bytes,
          std::uint64_t id);
  void enter_region(std::uint64_t stamp, RegionId region, OTF2_AttributeList* list = nullptr);
  void leave_region(std::uint64_t stamp, RegionId region);
  void close_top();
  void end_lost(std::uint64_t stamp);
  /// World rank of a communicator's rank as seen from here; no_id if undefined.
  std::uint32_t world_rank(CommId comm, std::uint32_t rank) const;
  std::uint32_t window_rank(WindowId window, std::uint32_t rank) const;
  const mpi::Function& function() const {
    return mpi::function(stack_.empty() ? FunctionId::none : stack_.back().function);
  }
  CallClass inside() const { return function().call; }

  const ArchiveDefinitions& definitions_;
  const LocationId location_;
  const std::uint32_t rank_;
  const Clock clock_;
  EventSink& sink_;
  const std::uint64_t wanted_;  ///< kinds
  Event event_;
  Nanoseconds last_;
  bool at_end_ = false;  ///< the stream is over: what is closed now is not in the file
  std::vector<Open> stack_;
  const LostLeaves lost_;
  LostLeavesCursor next_lost_{lost_};
  bool top_is_lost_ = false;
  FindLostLeaves found_lost_;
  std::uint64_t enters_ = 0;
  std::vector<bool> peers_are_remote_;               ///< per communicator
  std::unordered_set<std::uint64_t> collective_io_;  ///< ids of collective operations that have begun
  std::uint64_t records_ = 0;
  std::uint64_t undefined_ = 0;
  NestingRepairs repairs_;
};

}  // namespace mora::trace::otf2
