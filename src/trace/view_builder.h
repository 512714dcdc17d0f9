/// Makes a view: collects items from all locations, moves transfer ends, orders, numbers and links. Used by view.cpp.
///
/// Every item has a key (time, location of the record, ordinal of the record, rank among items of one record). Moved
/// ends take the key of their releasing call with ranks before it, first recorded end first. Where an item must follow
/// another of equal time but a smaller location (a reception its sending), the order of that one instant is repaired by
/// taking, again and again, the smallest location whose next item waits for nothing.
/// Cost: O(n log n) time, O(n) memory.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/links/message_links.h"
#include "trace/rma/epoch_links.h"
#include "trace/view.h"

namespace mora::trace {

class ViewBuilder {
 public:
  explicit ViewBuilder(View& view);
  Result<void> run();

 private:
  class Collector;
  friend class Collector;

  struct Key {
    Nanoseconds time = 0;
    LocationId location = 0;
    std::uint64_t ordinal = 0;
    std::int64_t rank = 0;
    auto operator<=>(const Key&) const = default;
  };
  static constexpr std::uint64_t nothing = UINT64_MAX;
  struct Item {
    Key key;
    ViewEvent event;
    std::uint64_t link = nothing;  ///< item that the event points to
  };
  struct Transfer {
    std::uint64_t start = nothing;  ///< item of PUT_1TS, GET_1TS
    std::uint64_t end = nothing;    ///< item of PUT_1TE, GET_1TE
  };

  Result<void> collect();
  void release_transfers();
  void link_messages();
  void order();
  void repair_instant(std::vector<std::uint64_t>& sorted, std::size_t from, std::size_t to);
  void number(const std::vector<std::uint64_t>& sorted);

  View& view_;
  const Definitions& definitions_;
  std::vector<Item> items_;
  std::vector<Transfer> transfers_;
  MessageLinks messages_;
  EpochLinks epochs_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace mora::trace
