/// The state of a running replay, and its functions: whose turn it is (simulation.cpp), what one action does
/// (one_action.cpp). Idea and cost: simulation.h.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "replay/asides.h"
#include "replay/costed_calls.h"
#include "replay/names.h"
#include "replay/runner.h"
#include "replay/simulation.h"
#include "replay/waiting/teams.h"
#include "replay/waiting/turns.h"

namespace mora::replay {

class Simulation {
 public:
  Simulation(const trace::Source& source, const Actions& actions, LockOrder locks, const SimulationOptions& options,
             const Network& network, const std::vector<std::uint32_t>& masters,
             const std::vector<std::uint32_t>& ranks);
  Result<Simulated> run(const ProgressCallback& callback);

 private:
  // ---- whose turn it is

  void wake(trace::LocationId l) { turns_.wake(l, l < runners_.size() ? runners_[l].now : asides_->now(l)); }
  void wake_all(Woken& woken) {
    for (const trace::LocationId l : woken) {
      if (turns_.is_blocked(l)) wake(l);
    }
    woken.clear();
  }
  /// Transfers that share something are served in order of time: each when no location does anything before it any more
  /// (those that are blocked wait for one that can go on, or for such a transfer).
  void serve_shared();
  /// No location can go on: the earliest blocked one does so at its recorded time, or all end here. False: all are
  /// through. Asides wait for members of their own operation only, all of which are in the trace (JoinedSequences), so
  /// they get on when their ranks do.
  bool give_up();
  /// For whom a blocked location waits: a world rank; no_id: not known.
  std::uint32_t awaited(const Runner& r, trace::LocationId l) const;
  /// Runs a location until it must wait or its slice is over; returns how many actions it did.
  Result<std::uint64_t> run_slice(trace::LocationId l);

  // ---- one action

  /// Does one action: time passes, act() once, then wait(). r.call is the time at which the call would end as recorded;
  /// it counts where the partner is not known. False: the location must wait and will try again.
  bool step(trace::LocationId l, Runner& r, const Action& a);
  /// Waiting passes in the region or interval in which the action stands.
  ReplayedNode& node_of(trace::LocationId l, const Action& a) { return result_.locations[l].nodes[a.node]; }
  /// Which message the next receive takes, without posting it: for a probe.
  void look_at_posting(trace::LocationId l, Runner& r);
  /// Posts the next receive. A synchronous sender waits for the time of the posting.
  void next_posting(trace::LocationId l, Runner& r);
  CollectiveUnderWay& collective_of(const MessageName& name);
  void leave_collective(const MessageName& name);
  /// What others see of the action: messages, signals, arrivals. It happens once, when the location gets to the action;
  /// the action's own waiting comes later and may take several attempts.
  void act(trace::LocationId l, Runner& r, const Action& a);
  void tell(trace::LocationId l, const Runner& r, const Action& a);
  /// Until when the action waits: done (with the time of what it waited for), blocked, or without a partner that is
  /// known.
  Outcome wait(trace::LocationId l, Runner& r, const Action& a);
  std::uint32_t lock_target(trace::LocationId l, const Action& a) const {
    return actions_.locations[l].locks[a.serial].target;
  }
  /// The lock was given back then by the one before.
  Outcome granted(trace::LocationId l, const Runner& r, const Action& a, Nanoseconds released);
  /// A non-blocking collective: those it needs, then what its algorithm lasts, and until its messages are through.
  Outcome collected(trace::LocationId l, Runner& r, const Action& a, const MessageName& name);
  /// `stays`: the message is only looked at, as by a probe.
  Outcome wait_for_message(trace::LocationId l, Runner& r, bool stays);
  /// The action is over at r.now.
  void finish(trace::LocationId l, Runner& r, const Action& a, Nanoseconds before, const Outcome& outcome);

  const Actions& actions_;
  const trace::JoinedSequences& sequences_;
  const Names names_;
  std::vector<SequenceTraits> traits_;  ///< by sequence
  HeldLocks locks_;
  Turns turns_;
  const bool stops_at_circle_;
  MessageListener* const listener_;
  Spool<Nanoseconds>* const ends_;
  Teams teams_;
  const std::vector<std::uint32_t>& ranks_;  ///< per location
  std::vector<Runner> runners_;
  NumberedWindows<OpenReceive> open_;  ///< by location: posted, not complete; by number of the posting
  InFlight messages_;
  std::optional<CostedCalls> costed_;  ///< nothing: the network is free
  std::optional<Asides> asides_;       ///< … or its messages share nothing
  std::unordered_map<std::uint64_t, CollectiveUnderWay> collectives_;
  Woken woken_;
  Simulated result_;
};

}  // namespace mora::replay
