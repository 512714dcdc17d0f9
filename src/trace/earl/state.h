/// S_i: what is open after event i, moved one event forward or back.
///
/// Source: Wolf 1998, 4.2 (activations and messages), extended by transfers and origins as in Hermanns 2004, 5.4.
/// A state holds the region stacks per location, and by key what waits for its partner: messages (source, destination,
/// tag, communicator), transfers and GET_1TOs (origin, rmaid), non-blocking collectives, input and output and forks
/// (location, id); and the last event of each lock. A partner takes the *oldest* waiting event of its key, for forks,
/// requests and input and output the youngest.
///
/// Moving back is exact and needs nothing but the event: what it opened is removed, what it closed is the target of its
/// pointer and is put back.
///
/// The difference from View: EARL's rule knows no posting of receives (rule `without-index`). Two receives of equal
/// keys posted in one order and completed in the other get their SENDs in the order of completion here, in the order of
/// posting, which is MPI's, in the view (links/channel.h). And a receive here takes any older SEND of its key: after a
/// reception whose sending is lost, or later by the clocks, all later ones of its key are shifted by one. Chains of
/// collective exits (ViewEvent::link) exist in the view only: EARL has none, and what a lost process left incomplete
/// would stay in every state.
///
/// Cost: apply and undo O(log open + log keys). Memory: what is open. Not thread-safe (event_object.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "trace/earl/event_object.h"

namespace mora::trace::earl {

class State {
 public:
  explicit State(const Definitions& definitions);

  Position index() const { return index_; }

  /// Pointers of `event` when it follows this state, in the event itself; what they lead to (null where not pinned).
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
  enum class Queue : std::uint8_t { message, transfer, origin, request, io, fork };
  struct Key {
    Queue queue = Queue::message;
    std::uint32_t a = 0, b = 0, c = 0;
    std::uint64_t id = 0;
    auto operator<=>(const Key&) const = default;
  };
  /// (window, target) or (rank, lock), told apart by the first.
  using Lock = std::tuple<bool, std::uint32_t, std::uint64_t>;

  std::uint32_t rank(const ViewEvent& event) const { return definitions_->locations[event.location].rank; }
  std::optional<Key> opens(const ViewEvent& event) const;
  std::optional<Key> closes(const ViewEvent& event) const;
  std::optional<Lock> lock(const ViewEvent& event) const;

  const Definitions* definitions_;
  Position index_ = 0;
  std::vector<std::vector<EventRef>> stacks_;
  std::map<std::pair<Key, Position>, EventRef> open_;
  std::map<Lock, Position> locks_;
};

}  // namespace mora::trace::earl
