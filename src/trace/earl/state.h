/// S_i: what is open after event i, moved one event forward or back.
///
/// Source: Wolf 1998, 4.2 (activations and messages), extended by transfers and origins as in Hermanns 2004, 5.4.
/// A state holds the region stacks per location and what waits for its partner: messages, transfers, GET_1TOs,
/// non-blocking collectives, input and output, forks. Which of them an event closes is told by its link, which comes
/// with the event (event_decoder.h): who belongs to whom is the same with and without an index.
///
/// Moving back is exact and needs nothing but the event: what it opened is removed, what it closed is the target of its
/// link and is put back.
///
/// Cost: apply and undo O(log open). Memory: what is open. Not thread-safe (event_object.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/earl/event_object.h"

namespace mora::trace::earl {

class State {
 public:
  explicit State(const Definitions& definitions);

  Position index() const { return index_; }

  /// Sets the enter pointer of `event`, which follows this state; what its pointers lead to (null where not pinned).
  struct Pointers {
    EventRef enter, link;
  };
  Pointers resolve(ViewEvent& event) const;

  /// S_i -> S_i+1. Precondition: event->number is index() + 1, its pointers are those of resolve().
  void apply(const EventRef& event);
  /// S_i -> S_i-1. Precondition: event->number is index(), and apply(event) led here.
  void undo(const EventRef& event);

  // All youngest first.
  std::vector<Position> stack(LocationId location) const;
  std::vector<Position> queue(std::optional<std::uint32_t> destination, std::optional<std::uint32_t> source) const;
  std::vector<Position> transfers() const;
  std::vector<Position> origins() const;

  /// Number of events that this state refers to.
  std::uint64_t elements() const;
  bool operator==(const State& other) const;

 private:
  std::vector<Position> open(EarlType a, EarlType b, EarlType c) const;

  const Definitions* definitions_;
  Position index_ = 0;
  std::vector<std::vector<EventRef>> stacks_;
  std::map<Position, EventRef> open_;
};

}  // namespace mora::trace::earl
