/// One location's stream becomes items (items.h).
///
/// Idea. All that one location's events tell is decided while it is read, so that locations can be read at the same
/// time: the channel of a message and its number there, the gate and number that end a transfer (rma/epoch_counter.h),
/// the instance number of a collective. The collector also builds the events of the view that are no records: the exit
/// of a call is ENTER's partner with the type of the collective or synchronisation recorded inside it; a transfer
/// becomes its start, its remote halves and its end, which waits until the stream reaches its time.
/// Cost: O(1) per event, O(log n) per transfer with n transfers under way. Memory: open requests, transfers and
/// regions.
/// Limits: ordinals are kept modulo 2^32.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "trace/index/items.h"
#include "trace/source.h"

namespace mora::trace {

/// The k of each receive on its channel, by posting order (links/channel.h), while the stream is read.
///
/// A receive's k is known when every receive posted before it is complete or cancelled; memory is what lies behind the
/// oldest open request.
class PostingOrder {
 public:
  explicit PostingOrder(std::vector<std::uint32_t>& serials) : serials_(serials) {}
  /// A receive was posted under this request number.
  void posted(std::uint64_t request);
  /// The posted receive will take no message.
  void cancelled(std::uint64_t request);
  /// A receive on `channel` is complete; without `request` it was a blocking one, posted now. Appends one entry to
  /// `serials`, whose value may be set later.
  void received(std::uint32_t channel, std::optional<std::uint64_t> request);
  /// The stream is over: requests that never completed took no message.
  void finish();

 private:
  struct Posted {
    std::uint32_t channel = no_id;
    std::uint32_t receive = no_id;  ///< index of the receive
    bool resolved = false;
  };
  void settle();
  std::vector<std::uint32_t>& serials_;
  std::deque<Posted> open_;
  std::uint64_t first_ = 0;  ///< number of open_.front()
  std::unordered_map<std::uint64_t, std::uint64_t> requests_;
  std::unordered_map<std::uint32_t, std::uint32_t> next_;  ///< per channel
};

class ItemCollector : public EventSink {
 public:
  ItemCollector(const Definitions& definitions, LocationId location, Items& items, DataQuality& quality);
  void on_event(const Event& event) override;
  /// The stream is over. An error of any append is reported here.
  Result<void> finish();

 private:
  struct Open {
    Event exit;
    bool has_exit = false;
  };
  struct PendingEnd {
    Item item;
    ItemDetail detail;
    std::size_t depth = 0;  ///< of the region it belongs to
  };
  void put(const Item& item);
  void put(Item item, const ItemDetail& detail);
  Item item(const Event& event, EarlType type) const;
  ItemDetail common(const Event& event) const;
  /// One record, one event.
  void simple(const Event& event, EarlType type, const ItemDetail& detail);
  void message(const Event& event, bool send);
  void leave(const Event& event);
  void transfer(const Event& event);
  /// A synchronisation: notes which gates the item closes.
  void close(Item& item, const Event& event);
  void flush_ends(Nanoseconds until);
  void ends_of_call(Nanoseconds time);
  /// The shared number of the channel; asked once per location and channel, because the table is locked.
  std::uint32_t channel_number(const Channel& channel, bool receive);

  const Definitions& definitions_;
  const LocationId location_;
  const std::uint32_t rank_;
  Items& items_;
  DataQuality& quality_;
  EpochCounter epochs_;
  PostingOrder posting_;
  std::vector<Open> stack_;
  // Transfer ends that stand later in the stream.
  std::multimap<Nanoseconds, PendingEnd> timed_ends_;
  std::vector<PendingEnd> ends_at_leave_;  ///< inner calls last
  Nanoseconds last_ = 0;
  struct ChannelHash {
    std::size_t operator()(const Channel& c) const;
  };
  std::unordered_map<Channel, std::uint32_t, ChannelHash> channels_;
  std::unordered_map<std::uint64_t, std::uint32_t> instances_;  ///< per communicator or window: collectives so far
  std::vector<std::uint64_t> counts_;
  std::uint64_t ordinal_ = 0;
  std::uint32_t transfers_ = 0;
  std::optional<Error> error_;
};

}  // namespace mora::trace
