/// Non-blocking collectives on a network on which messages share something: each member goes on by itself, beside what
/// its rank does, and runs the messages of the algorithm as a blocking one would.
///
/// Idea: an aside is a location like others: it runs until it needs what is not there, and its messages are served in
/// order of time with all others (costs/shared_transfers.h). Asides begin when those whose data the member needs have
/// come, as the wait for a non-blocking collective does where nothing is shared (Mora's rule predicted-collectives), so
/// that they end as late as there while nothing hinders them. Each has a port and a processor of its own. Members of
/// which nothing is known that they wait for do not wait for their aside. Cost: as of a blocking collective. Not
/// thread-safe.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "replay/costed_calls.h"
#include "replay/names.h"
#include "replay/runner.h"
#include "replay/waiting/turns.h"

namespace mora::replay {

class Asides {
 public:
  /// Asides have the locations from `first` on.
  Asides(CostedCalls& calls, InFlight& messages, Turns& turns, trace::LocationId first)
      : calls_(calls), messages_(messages), turns_(turns), first_(first) {}

  struct Arrival {
    std::uint32_t rank = 0, position = 0, members = 0;
    trace::LocationId location = 0;
    Nanoseconds time = 0;
    bool sends = false, is_root = false;
  };
  /// A member has begun the operation; asides that can begin are given a turn.
  void arrive(const MessageName& name, const Arrival& arrival, const Detail& call);
  /// When the member's aside is over; INT64_MIN: it has none; nothing: the location is woken when it is.
  std::optional<Nanoseconds> over(const MessageName& name, std::uint32_t position, trace::LocationId waiter);
  /// A member has what it came for.
  void leave(const MessageName& name);

  /// The turn of an aside.
  bool is_aside(trace::LocationId l) const { return l >= first_; }
  void run(trace::LocationId l, Woken& woken);
  /// Operations.
  std::uint64_t under_way() const { return operations_.size(); }
  Nanoseconds now(trace::LocationId l) const { return asides_[l - first_].calls.now; }

 private:
  struct Operation {
    std::shared_ptr<const CollectivePlan> plan;  ///< nullptr: it is not known which messages it has
    std::uint32_t messages = no_id;
    Detail call;
    std::uint64_t first_number = 0;  ///< of the messages of each member
    std::vector<Arrival> arrivals;   ///< by position; of those who have not come `location` is no_id
    std::vector<trace::LocationId> asides;
    std::uint32_t arrived = 0, lower = 0, begun = 0, over = 0, left = 0;
    Nanoseconds latest_lower = never;  ///< that sends, of the `lower` first members, who all have come
  };
  struct Aside {
    CallState calls;
    std::uint32_t rank = 0, position = 0;
    std::uint64_t operation = 0;
    bool is_over = false;
    trace::LocationId waiter = no_id;
  };
  void begin(std::uint64_t id, Operation& operation, std::uint32_t position, Nanoseconds time);
  void begin_all(std::uint64_t id, Operation& operation, Nanoseconds time);
  void release(std::uint64_t id, Operation& operation);

  CostedCalls& calls_;
  InFlight& messages_;
  Turns& turns_;
  const trace::LocationId first_;
  std::unordered_map<std::uint64_t, Operation> operations_;
  std::deque<Aside> asides_;
  std::vector<trace::LocationId> unused_;
  ReplayedNode nobodys_;  ///< gets the time of asides
};

}  // namespace mora::replay
