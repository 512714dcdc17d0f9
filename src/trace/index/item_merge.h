/// All locations' items in one order, transfer ends moved as the RMA model requires.
///
/// Source: the merging of traces in KOJAK, Hermanns 2004, 5.3; but an end is released by the number of its epoch
/// instead of by queues (links/transfers.h), because queues release transfers of a later epoch too early.
/// Idea. A heap holds the next item of every location; the order is (time, location, ordinal). Where several locations
/// have items at one instant, a receive goes after its send if that lies in the same instant, and a closing call after
/// the starts whose ends it releases; otherwise the smaller location goes first (rule `equal-times`). In the extended
/// model the end of a transfer whose closing call is in the trace waits at its gate until that call is reached, and
/// goes out directly before it, in the order of recording. An end whose closing call is missing, or returned before it
/// by the clocks, keeps its recorded time and is counted.
/// Cost: one heap operation per change of location. Memory: one chunk per location, open transfers, one instant. Not
/// thread-safe.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "base/data_quality.h"
#include "trace/index/items.h"
#include "trace/index/view_options.h"

namespace mora::trace {

struct MergedItem {
  Item item;
  ItemDetail detail;         ///< only where the type has one
  std::uint32_t stream = 0;  ///< location that recorded it
};

class ItemMerge {
 public:
  ItemMerge(const Items& items, const Definitions& definitions, RmaModel model, DataQuality& quality);
  /// The next item of the merged order; false at the end or when failed() (an item cannot be read back from disk).
  bool next(MergedItem& out);
  bool failed() const { return failed_; }

 private:
  struct Cursor {
    Cursor(const Items& all, std::size_t location)
        : items(all.items.cursor(location)),
          details(all.details.cursor(location)),
          closings(all.closings.cursor(location)),
          arguments(all.arguments.cursor(location)),
          receive_serials(all.receive_serials.cursor(location)) {}
    Spool<Item>::Cursor items;
    Spool<ItemDetail>::Cursor details;
    Spool<Closing>::Cursor closings;
    Spool<std::int32_t>::Cursor arguments;
    Spool<std::uint32_t>::Cursor receive_serials;
    const Item* head = nullptr;
  };
  struct Head {
    Nanoseconds time;
    std::uint32_t location;
    bool operator<(const Head& other) const {
      return time != other.time ? time < other.time : location < other.location;
    }
  };
  struct Waiting {
    std::uint64_t number = 0, order = 0;
    MergedItem end;
  };
  struct Gate {
    std::uint64_t closed = 0;  ///< highest number reached
    std::deque<Waiting> waiting;
  };
  void advance(std::uint32_t location);
  void sift_down();
  Nanoseconds second_time() const;
  void take(std::uint32_t location, MergedItem& out);
  void number(std::uint32_t location, MergedItem& out);
  bool held_back(MergedItem& item);
  void emit(MergedItem& item, std::vector<Closing>& closings);
  void take_closings(std::uint32_t location, std::vector<Closing>& closings);
  void instant();
  void entangled_instant();
  void give_up_waiting();
  void unreleased(const MergedItem& item, bool late);

  const Items& items_;
  const Definitions& definitions_;
  const bool extended_;
  DataQuality& quality_;
  std::vector<Cursor> cursors_;
  std::vector<Head> heap_;
  std::vector<Gate> gates_;
  std::deque<MergedItem> ready_;
  struct Entry {
    MergedItem merged;
    std::vector<Closing> closings;
    bool held = false;  ///< an end that waits at its gate
  };
  std::vector<Entry> instant_;  ///< by location, then in stream order
  std::size_t in_instant_ = 0;
  std::vector<Closing> closings_;
  std::uint64_t order_ = 0;
  bool failed_ = false;
};

}  // namespace mora::trace
