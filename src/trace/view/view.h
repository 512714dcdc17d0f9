/// A view: all locations merged into one numbered stream of KOJAK/EARL events, with pointers and states.
///
/// Numbers run 1…m by (time, location, ordinal in the file); at equal time the reception of a message never comes
/// before its sending, nor the end of a transfer before its start. The view fixes the RMA model (Hermanns 2004, 4.4):
/// *basic* leaves the end of a one-sided transfer where it was recorded, *extended* moves it directly before the exit
/// of the call that completes it (links/transfers.h). A pointer is the number of an earlier event, or 0 (null). State
/// i is what is open after event i; state 0 is empty (Wolf 1998, 4.2 and 4.3; Hermanns 2004, 5.4).
///
/// Cost, m events: one event or column value O(1); a region stack O(log m + depth); a queue O(events open there +
/// events since the last snapshot), at most about 1024 events or the number of open ones (index/index_linker.h).
/// Memory: the index is a mapped file, not loaded; views of small traces are in memory. Thread safety: const members
/// may be called from several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "trace/index/event_store.h"
#include "trace/index/view_options.h"
#include "trace/measured_time.h"
#include "trace/source.h"

namespace mora::trace {

using Position = std::uint64_t;  ///< 1…size(); 0 = null

/// One event of the view, decoded. Fields that the type does not have are no_id or 0.
struct ViewEvent {
  Nanoseconds time = 0;  ///< since the start of the trace (Definitions::time_origin is the trace's own clock there)
  Position enter = 0;    ///< enterptr: ENTER of the innermost region open before the event (docs/formats/trace-text.md)
  /// Backward: RECV: sendptr; PUT_1TE, GET_1TE, ATOMIC_1TE, NBC_END, IO_END: startptr; GET_1TS: originptr; JOIN:
  /// forkptr; WLOCK, WUNLOCK (per window and target), ALOCK, RLOCK (per lock): lockptr, the previous event of the same
  /// lock; MPICEXIT, MPIWCEXIT: the previous exit of the same collective instance (OMPCEXIT has none: records name no
  /// instance).
  Position link = 0;
  /// ENTER: its exit; SEND: its RECV; starts and origins: what points back to them; WLOCK, ALOCK: the release by the
  /// same process; collective exits: the next of the chain. 0 = none (not received, not completed, end of chain).
  /// A message that the clocks say was received before it was sent: the SEND's is the earlier RECV, the RECV's the
  /// SEND.
  Position forward = 0;
  std::uint64_t bytes = 0;     ///< message length; bytes sent
  std::uint64_t received = 0;  ///< bytes received
  std::uint64_t id = 0;        ///< rmaid; request; lock id; io matching id; METRIC: metric_value.h; USER: string index
  std::uint64_t target_offset = no_offset;  ///< PUT_1TS, GET_1TS, ATOMIC_1TS: event.h; no_offset: not recorded
  std::uint64_t target_extent = 0;
  std::uint64_t ordinal = 0;   ///< of the record it comes from, in the stream of `recorded_on`
  LocationId location = 0;     ///< where it belongs
  LocationId recorded_on = 0;  ///< differs for the remote halves of transfers
  RegionId region = no_id;     ///< ENTER and exits
  std::uint32_t peer = no_id;  ///< world rank: dest, src, target; io, forks: no_id
  std::int32_t tag = 0;        ///< messages; ENTER: the number of an interval, the level of MPI_Pcontrol
  CommId comm = no_id;
  std::uint32_t root = no_id;
  WindowId window = no_id;
  GroupId group = no_id;
  std::uint32_t index = no_id;  ///< IO: file; METRIC: metric; SAMPLE: caller; USER: user type
  std::uint32_t assertion = 0;
  EarlType type = EarlType::enter;
  Collective collective = Collective::none;
  Reduction reduction = Reduction::unknown;  ///< PUT_1TS of an accumulate, ATOMIC_1TS: MPI_SUM ...
  bool synex = false;                        ///< MPIWEXIT: the call ended an epoch
  bool exclusive = false;                    ///< WLOCK: an exclusive lock was asked for
  bool local = false;                        ///< WFLUSH: MPI_Win_flush_local
};

/// A collective operation that some members have entered and not all have left.
struct OpenCollective {
  CommId comm = no_id;
  Collective collective = Collective::none;
  std::vector<Position> inside;  ///< the ENTERs, ascending
};

/// The lock epochs of one window at one target that are open: requested and not yet released. Which of them holds the
/// lock is not recorded (rma/lock_epochs.h derives it).
struct LockState {
  WindowId window = no_id;
  std::uint32_t target = no_id;     ///< world rank
  std::vector<Position> requested;  ///< WLOCKs without their WUNLOCK, ascending
};

class IndexFile;
enum class IndexSection : std::uint32_t;

class View {
 public:
  /// Opens the index of `options` if it exists, is undamaged and belongs to this trace; else reads every location of
  /// the source and builds it. A location that cannot be read is counted (`unreadable-location`). Errors: no location
  /// can be read (unreadable), the trace has more events than a view can number (unreadable), no space for the index
  /// (system). The source must outlive the view.
  static Result<std::unique_ptr<View>> make(Source& source, const ViewOptions& options);
  /// As above, with default options: nothing is kept.
  static Result<std::unique_ptr<View>> make(Source& source, RmaModel model);
  ~View();

  Position size() const { return size_; }
  /// Precondition: 1 <= position <= size().
  ViewEvent event(Position position) const;
  const Definitions& definitions() const { return source_.definitions(); }
  Source& source() const { return source_; }
  RmaModel model() const { return options_.model; }
  /// From the first record of the trace to the last, relative like all times: no event lies outside of it, but not
  /// every record is an event.
  const MeasuredTime& measured() const;

  // Single values, for loops. Precondition as for event().
  Nanoseconds time(Position p) const;
  EarlType type(Position p) const;
  LocationId location(Position p) const;
  Position enter(Position p) const;
  Position forward(Position p) const;
  Position link(Position p) const;
  std::int32_t argument(Position p) const;  ///< ENTER: as ViewEvent::tag
  /// ENTER and exits: region; others: no_id.
  RegionId region(Position p) const;
  /// What the event carries beside the columns; nothing for ENTER and EXIT.
  std::optional<EventDetail> detail(Position p) const;
  /// All columns, every block checked. Cost on first use of a reopened index: one pass over it. The pointers stay valid
  /// as long as the view.
  const EventColumns& columns() const;

  /// Regions from the outermost to that of the event (for ENTER and exits their own region included).
  std::vector<RegionId> call_path(Position position) const;

  // Per location.
  std::uint64_t count_on(LocationId location) const;
  Position nth_on(LocationId location, std::uint64_t n) const;  ///< n = 0 … count_on - 1
  /// Last event of the location with number <= `limit`; 0 = none.
  Position last_on(LocationId location, Position limit) const;
  /// Last event with time <= t; 0 = none.
  Position at_time(Nanoseconds t) const;

  // States. `at` = 0 … size().
  std::vector<Position> stack(LocationId location, Position at) const;  ///< ENTERs, youngest first
  /// SENDs that are not received after event `at`, youngest first. EARL's order of arguments: destination, source
  /// (world ranks).
  std::vector<Position> queue(Position at, std::optional<std::uint32_t> destination = {},
                              std::optional<std::uint32_t> source = {}) const;
  std::vector<Position> transfers(Position at) const;  ///< transfer queue: PUT_1TS, GET_1TS, ATOMIC_1TS, youngest first
  std::vector<Position> origins(Position at) const;    ///< origin queue: GET_1TO, youngest first
  std::vector<OpenCollective> collectives(Position at) const;
  std::vector<LockState> locks(Position at) const;

  /// What reading the source repaired and what merging left without partner.
  const DataQuality& quality() const { return quality_; }
  /// For loops from front to back: tells the system that what lies before `position` need not stay in memory. Nothing
  /// becomes invalid; what is needed again is read again.
  void forget_before(Position position) const;
  /// An Error if a damaged part of a kept index could not be made anew, because the trace cannot be read any more or
  /// has changed. Positions stay valid, but every value since then is 0 and every list empty: whoever reads a view asks
  /// this once at the end, before the result is called complete.
  Result<void> intact() const;
  /// Whether intact() has a value: one load.
  bool is_intact() const { return !failed(); }

  /// Size of the index in bytes, in memory or on disk; whether it was opened rather than built.
  std::uint64_t index_bytes() const;
  bool reopened() const { return reopened_; }

 private:
  View(Source& source, ViewOptions options);
  /// The index, with the block that holds this byte checked; a damaged index is replaced by a new one.
  const IndexFile& at(IndexSection section, std::uint64_t byte) const;
  const IndexFile& whole(IndexSection section) const;
  /// The index, with the number of event `p` in the column checked.
  template <class Value>
  const IndexFile& packed(PackedColumn<Value> EventColumns::*column, Position p) const;
  std::uint64_t row(Position p) const;
  const IndexFile& repair() const;
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::vector<Position> open(Position limit, EarlType a, EarlType b, EarlType c) const;

  Source& source_;
  ViewOptions options_;
  Position size_ = 0;
  mutable std::atomic<const IndexFile*> index_{nullptr};
  mutable std::mutex repairing_;
  mutable std::unique_ptr<IndexFile> zeros_;  ///< for a reopened index that turns out to be damaged beyond repair
  mutable Error failure_;                     ///< why; set before failed_
  mutable std::atomic<bool> failed_{false};
  mutable std::vector<std::unique_ptr<IndexFile>>
      indexes_;  ///< the last is in use; pointers into older ones stay valid
  DataQuality quality_;
  bool reopened_ = false;
};

}  // namespace mora::trace
