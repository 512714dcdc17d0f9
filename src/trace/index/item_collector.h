/// One location's stream becomes items (items.h).
///
/// Idea. All that one location's events tell is decided while it is read, so that locations can be read at the same
/// time: the number of a message on its channel (links/location_ends.h), the gate and number that end a transfer
/// (links/transfers.h), the number of a collective call. The collector also builds the events of the view that
/// are no records: the exit of a call is ENTER's partner with the type of the collective or synchronisation recorded
/// inside it; a transfer becomes its start, its remote halves and its end, which waits until the stream reaches its
/// time. Cost: O(1) per event, O(log n) per transfer with n transfers under way. Memory: open requests, transfers and
/// regions.
/// Limits: ordinals are kept modulo 2^32.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "trace/index/items.h"
#include "trace/index/view_options.h"
#include "trace/links/location_ends.h"
#include "trace/source.h"

namespace mora::trace {

class ItemCollector : public EventSink {
 public:
  /// `several_threads`: the location's rank has others. Of the options, watch (once it says stop, events are passed
  /// over) and beginning (items behind it are counted only).
  ItemCollector(const Definitions& definitions, LocationId location, bool several_threads, Items& items,
                DataQuality& quality, const ViewOptions& options);
  void on_event(const Event& event) override;
  /// The stream is over. An error of any append is reported here.
  Result<void> finish();
  /// From the first record to the last, events of the view or not.
  const MeasuredTime& measured() const { return measured_; }

 private:
  struct Open {
    Nanoseconds enter = 0;
    Event exit;
    SequenceEnd end;           ///< of a collective operation
    std::uint32_t closed = 0;  ///< how many closings were in closed_ before
    bool has_exit = false;
  };
  struct PendingEnd {
    Item item;
    ItemDetail detail;
    std::size_t depth = 0;  ///< of the region it belongs to
  };
  bool stopped();  ///< every 2^16 events: says so, and asks
  /// False: it lies behind the beginning that is wanted.
  bool put(const Item& item);
  void put(Item item, const ItemDetail& detail);
  Item item(const Event& event, EarlType type) const;
  ItemDetail common(const Event& event) const;
  /// One record, one event.
  void simple(const Event& event, EarlType type, const ItemDetail& detail);
  void message(const Event& event, bool send);
  void leave(const Event& event);
  void transfer(const Event& event);
  /// Notes which gates the item closes.
  void close(Item& item, std::span<const EpochTicket> closed);
  void flush_ends(Nanoseconds until);
  void ends_of_call(Nanoseconds time);
  /// Of the innermost open region; of the program, if none is.
  Nanoseconds enter_time() const { return stack_.empty() ? measured_.first : stack_.back().enter; }

  const Definitions& definitions_;
  const LocationId location_;
  const std::uint32_t rank_;
  Items& items_;
  DataQuality& quality_;
  LocationEnds ends_;
  std::vector<Open> stack_;
  std::vector<EpochTicket> closed_;  ///< what the synchronisations of all open regions close
  // Transfer ends that stand later in the stream.
  std::multimap<Nanoseconds, PendingEnd> timed_ends_;
  std::vector<PendingEnd> ends_at_leave_;  ///< inner calls last
  MeasuredTime measured_;
  Nanoseconds last_ = 0;
  std::uint64_t own_count_ = 0;                                     ///< items of this location
  std::unordered_map<LocationId, std::uint64_t> counts_elsewhere_;  ///< of others: remote halves of transfers
  std::uint64_t ordinal_ = 0;
  BuildWatch* const watch_;
  Beginning* const beginning_;
  std::uint64_t wanted_ = 0, all_ = 0;  ///< of the beginning: accepted so far; items, also those left out
  Nanoseconds until_ = INT64_MAX;       ///< items after it are left out
  std::uint32_t transfers_ = 0;
  std::optional<Error> error_;
};

}  // namespace mora::trace
