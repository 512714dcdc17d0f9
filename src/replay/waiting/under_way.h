/// What is under way while locations are replayed: messages and signals one by one, collectives by member.
///
/// Everything here exists from the first that arrives to the last that leaves, so memory is what is under way. O(1) per
/// message or signal; a collective whose members need certain others keeps their arrivals one by one, else O(1) per
/// member. Times in ns. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "replay/actions/action.h"

namespace mora::replay {

inline constexpr Nanoseconds never = INT64_MIN;

/// Locations whose wait may be over: they try their action again.
using Woken = std::vector<trace::LocationId>;

/// Times that one location gives and one takes, by (sequence, serial): messages, signals.
class InFlight {
 public:
  /// `woken` gets the location that waits for it, if one does.
  void give(std::uint32_t sequence, std::uint32_t serial, Nanoseconds time, Woken& woken);
  /// The value; nothing: `location` is woken when it is there.
  std::optional<Nanoseconds> take(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location);
  /// As take(), but it stays.
  std::optional<Nanoseconds> look(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location);
  /// The value, if it is there; nobody is woken for it.
  std::optional<Nanoseconds> peek(std::uint32_t sequence, std::uint32_t serial) const {
    const auto at = entries_.find(id(sequence, serial));
    return at == entries_.end() || at->second.time == never ? std::nullopt : std::optional(at->second.time);
  }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Nanoseconds time = never;
    trace::LocationId waiter = no_id;
  };
  static std::uint64_t id(std::uint32_t sequence, std::uint32_t serial) {
    return std::uint64_t{sequence} << 32 | serial;
  }
  struct Hash {
    std::size_t operator()(std::uint64_t x) const {
      x *= 0x9E3779B97F4A7C15U;
      return static_cast<std::size_t>(x ^ (x >> 32));
    }
  };
  std::unordered_map<std::uint64_t, Entry, Hash> entries_;
};

/// One collective operation of which some member has arrived and some has not left.
class CollectiveUnderWay {
 public:
  /// `by_position`: some member may need certain others only.
  CollectiveUnderWay(std::uint32_t members, bool by_position);

  struct Arrival {
    std::uint32_t position = 0, rank = 0;
    Nanoseconds time = 0;
    Nanoseconds recorded = never;  ///< of operations on files: when it was so in the trace
    bool sends = false, is_root = false;
  };
  /// A member has come to the call; `woken` gets those that need not wait any more.
  void arrive(const Arrival& arrival, Woken& woken);
  /// The latest arrival of those that are needed, `never` if they have nothing to send; nothing: `location` is woken
  /// when more is known. `needed`: of Need::partners their positions, of Need::root its rank.
  std::optional<Nanoseconds> value(Need need, std::uint32_t position, std::span<const std::uint32_t> needed,
                                   trace::LocationId location);
  Nanoseconds recorded() const { return recorded_; }
  /// A member has what it came for. True: it was the last.
  bool leave() { return ++left_ == members_; }

 private:
  bool is_complete() const { return arrived_ == members_; }
  struct ByPosition {
    explicit ByPosition(std::uint32_t n)
        : times(n, never), sends(n, false), below(n + 1, never), waiting_below(n + 1, no_id) {}
    std::vector<Nanoseconds> times;
    std::vector<bool> sends;
    std::vector<Nanoseconds> below;  ///< latest sender of lower position, known up to `known`
    std::uint32_t known = 0;
    std::vector<trace::LocationId> waiting_below;
    std::unordered_map<std::uint32_t, std::vector<trace::LocationId>> waiting_for;
  };
  std::uint32_t members_ = 0, arrived_ = 0, left_ = 0;
  Nanoseconds all_ = never, senders_ = never, recorded_ = never;
  std::vector<std::pair<std::uint32_t, Nanoseconds>> roots_;  ///< rank, arrival; one unless the trace is damaged
  std::vector<trace::LocationId> waiting_for_all_, waiting_for_root_;
  std::unique_ptr<ByPosition> by_position_;
};

}  // namespace mora::replay
