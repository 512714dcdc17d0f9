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
#include "replay/waiting/numbered_windows.h"

namespace mora::replay {

inline constexpr Nanoseconds never = INT64_MIN;

/// Locations whose wait may be over: they try their action again.
using Woken = std::vector<trace::LocationId>;

/// What one location gives and one takes, by (sequence, serial): messages, signals.
class InFlight {
 public:
  /// For sequences 0 … count-1. Their messages are near each other, as those of MPI are (numbered_windows.h).
  explicit InFlight(std::size_t sequences) : given_(sequences), messages_(sequences) {}
  /// One more sequence, for the messages of one collective operation, until close(); `is_dense`: of each number.
  std::uint32_t open(bool is_dense) { return messages_.add(is_dense); }
  void close(std::uint32_t sequence) { messages_.remove(sequence); }
  /// What is under way: messages, and sequences of open().
  std::uint64_t count() const { return messages_.count() + messages_.in_use() - given_; }

  /// It is handed over. `sender_waits`: the sender asks when its receive was posted(). `woken` gets the location that
  /// waits for it, if one does.
  void give(std::uint32_t sequence, std::uint32_t serial, Nanoseconds time, bool sender_waits, Woken& woken);
  /// When it was handed over, once; nothing: `location` is woken when it is.
  std::optional<Nanoseconds> take(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location);
  /// As take(), but it stays.
  std::optional<Nanoseconds> look(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location);

  /// Its receive is posted.
  void post(std::uint32_t sequence, std::uint32_t serial, Nanoseconds time, Woken& woken);
  /// When that was, if it was.
  std::optional<Nanoseconds> posted(std::uint32_t sequence, std::uint32_t serial);
  struct Met {
    Nanoseconds handed_over = never, posted = never;
  };
  /// Its sender asks, once; nothing: `location` is woken when it is posted.
  std::optional<Met> meet(std::uint32_t sequence, std::uint32_t serial, trace::LocationId location);

 private:
  struct Message {
    Nanoseconds handed_over = never, posted = never;
    trace::LocationId receiver = no_id, sender = no_id;  ///< that wait
    bool is_live = false;
    bool is_taken = false;
    bool sender_waits = false;  ///< … or will ask
  };
  const std::size_t given_;  ///< sequences that are not of open()
  NumberedWindows<Message> messages_;
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
