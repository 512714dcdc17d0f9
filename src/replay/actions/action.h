/// Actions: what one location does to others, or waits for, in the order of its stream; and how long it is busy in
/// between. Times in ns.
///
/// Time outside MPI calls is *kept*: it passes in the replay, too. Time in calls is *dropped*: the replay finds its
/// own. User regions and intervals need no actions: how long one of them is busy does not depend on the network, so it
/// is added up while the location is read (LocationActions::nodes); an action says in which of them its waiting passes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/storage/spool.h"
#include "mpi/meaning.h"
#include "replay/actions/replayed_node.h"
#include "replay/actions/window_call.h"
#include "trace/links/joined_sequences.h"
#include "trace/links/lock_order.h"

namespace mora::replay {

using trace::no_id;

enum class ActionKind : std::uint8_t {
  send,          ///< number `serial` of the location's sequence `key`, as wherever there is a key
  await_posted,  ///< a synchronous send needs its receive: serial as of its send
  post,          ///< the location's next receive is posted
  post_matched,  ///< … by a matched probe, which waits for the message
  receive,       ///< the location's next receive is posted and complete
  complete,      ///< receive number `serial` of the location is complete
  probe,         ///< waits for the message of the location's next receive
  arrive,        ///< at member `key`'s collective number `serial`
  collect,       ///< what the collective gives is here
  collective,    ///< both
  signal,        ///< to the partner of epoch `serial`: it is posted, or with of_complete: it is complete
  await,         ///< waits for that
  transfer,      ///< a one-sided one begins; only with details
  transferred,   ///< waits for own ones: as its detail says; only with details
  lock,          ///< serial: number of the lock epoch on the location
  unlock,
  fork,       ///< serial
  fork_wait,  ///< a thread begins: serial; dropped: how long after the fork
  join,       ///< waits for all threads: serial
  join_signal,
  io_arrive,   ///< at a collective operation on a file; dropped: the recorded time
  io_collect,  ///< waits for all members, and lasts what is left of `dropped` without the waiting in the trace
  end,         ///< of the stream
};

/// Whose arrival a member of a collective needs.
enum class Need : std::uint8_t {
  nobody,
  all,       ///< all members
  senders,   ///< all members that send (known when all have arrived)
  root,      ///< listed there, too
  lower,     ///< senders of lower rank in the communicator
  partners,  ///< those listed in Actions::partners
};

enum ActionFlag : std::uint8_t {
  member_sends = 1,
  member_is_root = 2,
  same_call = 4,  ///< as the action before
  of_complete = 8,
  awaits_receive = 16,  ///< a synchronous send
  is_buffered = 32,     ///< a send whose buffer is free at once, whatever its size
  costs_of_call = 64,   ///< of the signals, awaits of one call: the one at which it spends what it costs by itself
};

struct Action {
  Nanoseconds kept = 0;       ///< busy since the action before
  Nanoseconds dropped = 0;    ///< in calls that only communicate since the action before, as recorded
  std::uint32_t key = no_id;  ///< of the location's sequences
  std::uint32_t serial = 0;
  std::uint32_t node = 0;
  ActionKind kind = ActionKind::end;
  Need need = Need::nobody;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Action) == 32);

/// What a replay on a network that costs something must know beside the action: sizes and partners. Kept only for such
/// a replay. Ranks are world ranks.
struct Detail {
  std::uint64_t bytes = 0;       ///< of a message; collectives, transfers: sent
  std::uint64_t received = 0;    ///< collectives; transfers: what comes back
  std::uint32_t peer = no_id;    ///< messages, signals: the other end; collectives: root; transfers: target, or all
  std::uint32_t comm = no_id;    ///< collectives; transfers: the window
  std::uint32_t vector = no_id;  ///< collectives: counts per member (Source::vector); transfers: that has a request
  mpi::Collective collective = mpi::Collective::none;
  bool synchronous = false;  ///< a send that waits for its receive whatever its size
  bool replies = false;      ///< a transfer with a result; transferred: complete at the target, too, not only here
  WindowCall window_call = WindowCall::none;  ///< of all that calls on windows do: whose costs
};
static_assert(sizeof(Detail) == 32);

/// Which actions have one.
constexpr bool has_detail(ActionKind kind) {
  switch (kind) {
    case ActionKind::send:
    case ActionKind::await_posted:
    case ActionKind::receive:
    case ActionKind::complete:
    case ActionKind::arrive:
    case ActionKind::collect:
    case ActionKind::collective:
    case ActionKind::signal:
    case ActionKind::await:
    case ActionKind::transfer:
    case ActionKind::transferred:
      return true;
    default:
      return false;
  }
}

/// What the replay must know of a sequence before anything runs.
struct SequenceTraits {
  bool synchronous = false;      ///< some send waits for its receive
  bool needs_positions = false;  ///< some member of some collective needs certain others
  std::uint64_t longest = 0;     ///< bytes of the largest message; only with details
};

/// A receive in the order of posting; key no_id: it took no message.
struct Posting {
  std::uint32_t key = no_id, serial = 0;
};

struct LockEpoch {
  trace::WindowId window = no_id;
  std::uint32_t target = no_id;  ///< world rank
  trace::LockTurn turn;
  bool ordered = false;           ///< it was released, and the lock was asked for to exclude others
  Nanoseconds granted_by = 0;     ///< leave of the call that asked
  Nanoseconds release_leave = 0;  ///< … of the call that released
};

/// What is kept of a location in memory: nothing that grows with the number of events, but lock epochs and forks.
struct LocationActions {
  std::vector<trace::LocalSequence> sequences;  ///< until all locations are read; then Actions::joined
  std::vector<SequenceTraits> traits;           ///< by the location's sequences; may be shorter
  std::vector<LockEpoch> locks;                 ///< in order of the requests
  std::vector<ReplayedNode> nodes;
  std::vector<Nanoseconds> forks, joins;    ///< of a rank's first thread
  std::vector<std::uint32_t> join_signals;  ///< of other threads: per join
  Nanoseconds begin = 0;
  Nanoseconds finalize = 0;  ///< recorded enter of MPI_Finalize; else time of the last event
  bool was_read = false;
  std::uint64_t unrecorded_partners = 0;  ///< calls that create communicators, whose members are not recorded
};

/// Where an event of the stream stands among the actions, so that it can be told when it happens in the replay.
struct EventPlace {
  Nanoseconds kept = 0;     ///< busy since the last action before it
  std::uint64_t added = 0;  ///< actions that it added, or a probe before it
};

/// What becomes of a location's events.
struct Collecting {
  bool detailed = false;  ///< for a network that costs something: sizes and partners; a node for each MPI call
  Spool<EventPlace>* places = nullptr;  ///< gets one for each event, by location
  /// Millionths: time outside of MPI calls is multiplied by them.
  std::uint64_t compute_factor = 1'000'000;
  std::vector<std::uint64_t> location_factors;  ///< beside it, by location; empty: 1

  std::uint64_t factor_of(trace::LocationId location) const {
    if (location >= location_factors.size()) return compute_factor;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(compute_factor) * location_factors[location] /
                                      1'000'000);
  }
};

/// The actions of all locations; what does not fit in `memory` bytes is on disk.
struct Actions {
  Actions(std::size_t count, std::size_t memory, const Collecting& how = {})
      : collecting(how),
        actions(count, memory / 3 * (how.detailed ? 1 : 2)),
        postings(count, memory / 6),
        partners(count, memory / 6),
        details(how.detailed ? count : 0, memory / 3),
        locations(count) {}
  Collecting collecting;
  Spool<Action> actions;
  Spool<Posting> postings;
  /// Per Need::partners: how many, their positions in the communicator; per Need::root: 1, its rank.
  Spool<std::uint32_t> partners;
  Spool<Detail> details;  ///< with collecting.detailed: one for each action that has one
  std::vector<LocationActions> locations;
  trace::JoinedSequences joined;
};

}  // namespace mora::replay
