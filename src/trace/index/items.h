/// What one location contributes to a view, in its own order: events of the view without numbers and pointers.
///
/// Collectors (item_collector.h) write items while locations are read, several at a time; the merge (item_merge.h)
/// brings them into one order; the linker (index_linker.h) numbers them and sets the pointers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/storage/spool.h"
#include "trace/index/event_store.h"
#include "trace/links/joined_sequences.h"
#include "trace/links/transfers.h"
#include "trace/measured_time.h"

namespace mora::trace {

/// 24 bytes. Everything but ENTER and EXIT is followed by an ItemDetail in the same stream's details.
struct Item {
  Nanoseconds time = 0;
  std::uint32_t ordinal = 0;
  std::uint32_t code = 0;      ///< ENTER, EXIT: region
  std::uint32_t location = 0;  ///< where it belongs
  EarlType type = EarlType::enter;
  bool closes = false;  ///< closings follow in the stream's closings, up to one that is the last
  bool argued = false;  ///< ENTER: a number follows in the stream's arguments
  std::uint8_t pad = 0;
};
static_assert(sizeof(Item) == 24);

/// What the links of an item are made from.
struct ItemDetail {
  EventDetail detail;
  /// SEND, RECV, exits of collectives: the sequence, first as its location numbers it, behind the merge of all
  /// (Items::joined); no_id: none. Transfer ends: number of the gate, no_id none.
  std::uint32_t channel = no_id;
  /// SEND: which one on the location's channel, behind the merge (RECV, too) the number of the message, no_id: it has
  /// no partner. Transfers: number on their origin.
  std::uint32_t serial = 0;
  std::uint64_t ticket = 0;  ///< transfer ends: which closing at the gate; starts: target_offset, extent in `received`
};
static_assert(sizeof(ItemDetail) == 64);

/// A closing call reaches this number at a gate (links/transfers.h): it ends the transfers that wait for it.
struct Closing {
  std::uint32_t gate = 0;
  std::uint32_t last = 0;  ///< 1: no more of this item
  std::uint64_t number = 0;
};

/// Numbers for gates, shared by all collectors and thread-safe while they run. Which number a gate gets depends on the
/// order in which threads ask; no result may depend on it.
class LinkTables {
 public:
  std::uint32_t gate(const EpochGate& gate);
  void closes(std::uint32_t gate, std::uint64_t number);
  /// All locations are read: finds out at which gates the numbers of others do not hold.
  void tear(const JoinedSequences& joined);

  struct GateInfo {
    EpochGate gate;
    bool is_torn = false;  ///< other processes' numbers at it do not hold
    std::uint64_t highest = 0;
    std::vector<std::uint64_t> missing;  ///< numbers below `highest` that never closed
    bool closes(std::uint64_t number) const;
  };
  std::vector<GateInfo> gates;

 private:
  std::mutex mutex_;
  std::map<EpochGate, std::uint32_t> gate_numbers_;
};

/// All items of a trace, as the collectors leave them for the merge: one stream per recording location.
struct Items {
  Items(std::size_t locations, std::size_t budget)
      : items(locations, budget / 2),
        details(locations, budget / 2),
        closings(locations, budget / 16),
        arguments(locations, budget / 64),
        receive_serials(locations, budget / 64),
        counts(locations),
        sequences(locations) {}
  Spool<Item> items;
  Spool<ItemDetail> details;
  Spool<Closing> closings;
  Spool<std::int32_t> arguments;
  Spool<std::uint32_t> receive_serials;  ///< k of each RECV with a known partner: known only after the item was written
  LinkTables tables;
  /// Per location (where the event belongs): how many.
  std::vector<std::atomic<std::uint64_t>> counts;
  /// Per reading location, until all are read; then `joined`.
  std::vector<std::vector<LocalSequence>> sequences;
  JoinedSequences joined;
  MeasuredTime measured;  ///< once all locations are read
};

}  // namespace mora::trace
