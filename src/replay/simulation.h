/// The replay itself: every location goes on until it needs what another has not done yet.
///
/// Idea: what a location waits for is determined by the trace alone, and a wait ends at the maximum of its own time and
/// of the times of what it waits for. So all times are the least solution of a system of equations in max and plus, and
/// the order in which locations run does not matter; they run in slices, earliest first, so that none runs ahead of the
/// others and fills the memory with messages. When no location can go on, the earliest blocked location (ties: the
/// lowest) goes on at its recorded time: that state is the same for all orders, too (Mora's rule damage-in-replay).
///
/// What messages share is no such equation: who is served first depends on who comes first. So a transfer is served
/// when no location can do anything before it any more: all that can go on are later, and the blocked ones wait for one
/// of those, or for a transfer that begins later (costs/shared_transfers.h). The exception are waits that end in the
/// past: a non-blocking scan that learns that a lower rank sends nothing, and a collective that waits for its senders
/// only and whose last member to come sends nothing; later messages are served after those that were served meanwhile.
///
/// Cost: O(actions) time, O(log locations) per slice. Memory: a cursor per location and what is under way: messages not
/// yet received, open collectives. A rendezvous or synchronous send whose request is freed (MPI_Request_free) stays
/// until the end: its completion is no event, so nobody asks for it.
#pragma once

#include "base/progress.h"
#include "replay/actions/action.h"
#include "replay/actions/message_listener.h"
#include "replay/costs/network.h"
#include "replay/replay.h"
#include "replay/waiting/lock_groups.h"

namespace mora::replay {

struct SimulationOptions {
  std::uint64_t shuffle = 0;            ///< for tests: not 0: locations run in an order, and in slices, drawn from this
  MessageListener* listener = nullptr;  ///< hears of the first thread of each rank; the network is not free
  Spool<Nanoseconds>* ends = nullptr;   ///< gets when each action was over, in the order of its location
  bool stops_at_circle = false;  ///< a wait that no order of events can end is the program's own: Simulated::blocked
};

struct Simulated {
  std::vector<ReplayedLocation> locations;
  std::vector<BlockedCall> blocked;            ///< with stops_at_circle: who never got on
  std::uint64_t collectives_by_need = 0;       ///< not run as messages, since their sizes are not known
  std::uint64_t given_up = 0;                  ///< waits that no order of events could end
  std::uint64_t under_way = 0;                 ///< of all that begins and ends: what is left; 0 of a whole trace
  std::vector<std::uint64_t> without_partner;  ///< per location: waits whose partner is not in the trace
  std::vector<std::uint64_t> several_threads;  ///< … is not known, because several threads of a rank take part
};

/// `actions` must be detailed unless the network is free; they may be simulated again. Errors: what was spooled cannot
/// be read back.
Result<Simulated> simulate(const trace::Source& source, const Actions& actions, LockOrder locks,
                           const SimulationOptions& options, const Network& network, const ProgressCallback& progress);

/// replay_on_ideal_network() with these.
Result<Replayed> replay_in_order(trace::Source& source, const ReplayOptions& options, const SimulationOptions& order);

/// replay_on() with these, all networks.
Result<std::vector<Replayed>> replay_in_order(trace::Source& source, const std::vector<const Network*>& networks,
                                              const ReplayOptions& options, const Collecting& collecting,
                                              const SimulationOptions& order);

}  // namespace mora::replay
