/// One function per kind of action; an action that cannot be done yet leaves its location blocked until the partner
/// wakes it. Idea and cost: simulation.h.
#include "replay/simulation.h"

#include <algorithm>

#include "base/numbers/saturated.h"
#include "replay/costed_calls.h"
#include "replay/names.h"
#include "replay/told_actions.h"
#include "replay/waiting/teams.h"
#include "replay/waiting/turns.h"
#include "replay/waiting/under_way.h"

namespace mora::replay {

namespace {

class Simulation {
 public:
  Simulation(const trace::Source& source, const Actions& actions, LockOrder locks, const SimulationOptions& options,
             const Network& network, const std::vector<std::uint32_t>& masters, const std::vector<std::uint32_t>& ranks)
      : actions_(actions),
        sequences_(actions.joined),
        names_(actions.joined),
        locks_(std::move(locks)),
        turns_(actions.locations.size(), options.shuffle),
        stops_at_circle_(options.stops_at_circle),
        listener_(options.listener),
        ends_(options.ends),
        teams_(actions.locations, masters),
        ranks_(ranks) {
    if (!network.is_free())
      costed_.emplace(network, source, static_cast<std::uint32_t>(sequences_.all().size()), messages_, posted_,
                      listener_);
    traits_ = traits_of(actions_, costed_ ? &*costed_ : nullptr);
    const auto n = static_cast<trace::LocationId>(actions_.locations.size());
    runners_.reserve(n);
    result_.locations.resize(n);
    result_.without_partner.resize(n, 0);
    result_.several_threads.resize(n, 0);
    for (trace::LocationId l = 0; l < n; ++l) {
      const LocationActions& from = actions_.locations[l];
      runners_.emplace_back(actions_, l);
      runners_[l].now = from.begin;
      runners_[l].is_first_thread = masters[l] == l;
      result_.locations[l].begin = result_.locations[l].end = from.begin;
      result_.locations[l].nodes = from.nodes;
      result_.locations[l].finalize = from.finalize;
      if (from.was_read) wake(l);
    }
    if (listener_ != nullptr) tell_begins(*listener_, actions_.locations, runners_, ranks_);
  }

  Result<Simulated> run(const ProgressCallback& callback) {
    std::uint64_t total = 0;
    for (trace::LocationId l = 0; l < runners_.size(); ++l) total += actions_.actions.count(l);
    Progress progress(callback, "replay", total);
    for (;;) {
      for (;;) {
        serve_shared();
        const trace::LocationId l = turns_.next();
        if (l == no_id) break;
        MORA_TRY(const std::uint64_t done, run_slice(l));
        progress.advance(done);
      }
      if (!give_up()) {
        if (costed_) result_.collectives_by_need = costed_->collectives_by_need();
        return std::move(result_);
      }
    }
  }

 private:
  // ---- whose turn it is

  void wake(trace::LocationId l) { turns_.wake(l, runners_[l].now); }
  void wake_all(Woken& woken) {
    for (const trace::LocationId l : woken) {
      if (turns_.is_blocked(l)) wake(l);
    }
    woken.clear();
  }

  /// Transfers that share something are served in order of time: each when no location does anything before it any more
  /// (those that are blocked wait for one that can go on, or for such a transfer).
  void serve_shared() {
    while (costed_ && !costed_->shared().empty() &&
           (turns_.is_nobodys() || costed_->shared().next() < turns_.earliest())) {
      costed_->shared().serve(woken_);
      wake_all(woken_);
    }
  }

  /// No location can go on: the earliest blocked one does so at its recorded time, or all end here. False: all are
  /// through.
  bool give_up() {
    const trace::LocationId l = turns_.earliest_blocked();
    if (l == no_id) return false;
    if (stops_at_circle_) {
      for (trace::LocationId b = 0; b < runners_.size(); ++b) {
        if (turns_.is_blocked(b)) result_.blocked.push_back({b, runners_[b].action->node, awaited(runners_[b], b)});
      }
      return false;
    }
    runners_[l].gives_up = true;
    ++result_.given_up;
    wake(l);
    return true;
  }
  /// For whom a blocked location waits: a world rank; no_id: not known.
  std::uint32_t awaited(const Runner& r, trace::LocationId l) const {
    const Action& a = *r.action;
    switch (a.kind) {
      case ActionKind::receive:
      case ActionKind::complete:
      case ActionKind::probe:
      case ActionKind::post_matched:
        return r.receive.is_known() ? sequences_.all()[r.receive.key].key.b : no_id;
      case ActionKind::await_posted:
        return sequences_.all()[sequences_.sequence(l, a.key)].key.c;
      case ActionKind::collective:
        return costed_ ? costed_->awaited(r) : no_id;
      default:
        return no_id;
    }
  }

  /// Runs a location until it must wait or its slice is over; returns how many actions it did.
  Result<std::uint64_t> run_slice(trace::LocationId l) {
    const std::uint64_t slice = turns_.slice();
    Runner& r = runners_[l];
    for (std::uint64_t i = 0; i < slice; ++i) {
      if (r.action == nullptr) r.action = r.actions.next();
      if (r.action == nullptr) {
        if (r.actions.failed()) return fail(ErrorKind::system, "cannot read the actions back that were spooled");
        return i;
      }
      const bool goes_on = step(l, r, *r.action);
      if (r.postings.failed() || r.partners.failed() || (r.details && r.details->failed()))
        return fail(ErrorKind::system, "cannot read the actions back that were spooled");
      wake_all(woken_);
      if (!goes_on) {
        turns_.block(l, r.now);
        return i;
      }
      r.action = nullptr;
      if (ends_ != nullptr) MORA_CHECK_OK(ends_->append(l, r.now));
    }
    wake(l);
    return slice;
  }

  // ---- one action

  /// Does one action: time passes, act() once, then wait(). r.call is the time at which the call would end as recorded;
  /// it counts where the partner is not known. False: the location must wait and will try again.
  bool step(trace::LocationId l, Runner& r, const Action& a) {
    if (!r.has_acted) {
      if ((a.flags & same_call) == 0) r.call = r.now;
      r.now = saturated_sum(r.now, a.kept);
      r.call = saturated_sum(r.call, a.kept);
      if (a.kind != ActionKind::fork_wait && a.kind != ActionKind::io_arrive) r.call = saturated_sum(r.call, a.dropped);
      act(l, r, a);
      if (listener_ != nullptr) tell(l, r, a);
      r.has_acted = true;
    }
    Outcome outcome;
    if (!r.gives_up) outcome = wait(l, r, a);
    if (outcome.kind == Outcome::blocked) return false;
    const Nanoseconds before = r.now;
    if (r.gives_up || outcome.kind != Outcome::done) {
      r.now = std::max(r.now, r.call);
      if (outcome.kind == Outcome::without_partner) ++result_.without_partner[l];
      if (outcome.kind == Outcome::several_threads) ++result_.several_threads[l];
    } else if (outcome.time != never) {
      r.now = std::max(r.now, outcome.time);
    }
    finish(l, r, a, before, outcome);
    r.has_acted = r.gives_up = false;
    return true;
  }

  /// Waiting passes in the region or interval in which the action stands.
  ReplayedNode& node_of(trace::LocationId l, const Action& a) { return result_.locations[l].nodes[a.node]; }

  /// Which message the next receive takes, without posting it: for a probe.
  void look_at_posting(trace::LocationId l, Runner& r) {
    if (r.posting == nullptr) r.posting = r.postings.next();
    if (r.posting == nullptr) return;
    const MessageName message = names_.taken(l, r.posting->key, r.posting->serial);
    r.receive = {message.sequence, message.number, never, 0};
  }
  /// Posts the next receive. A synchronous sender waits for the time of the posting.
  void next_posting(trace::LocationId l, Runner& r) {
    look_at_posting(l, r);
    r.posting = nullptr;
    r.receive.posted = r.now;
    ++r.posted;
    if (r.receive.serial == no_id || !traits_[r.receive.key].synchronous) return;
    if (costed_)
      costed_->posted({r.receive.key, r.receive.serial}, r.now, woken_);
    else
      posted_.give(r.receive.key, r.receive.serial, r.now, woken_);
  }
  CollectiveUnderWay& collective_of(const MessageName& name) {
    return collectives_
        .try_emplace(name.id(), sequences_.all()[name.sequence].members, traits_[name.sequence].needs_positions)
        .first->second;
  }
  void leave_collective(const MessageName& name) {
    if (collective_of(name).leave()) collectives_.erase(name.id());
  }

  /// What others see of the action: messages, signals, arrivals. It happens once, when the location gets to the action;
  /// the action's own waiting comes later and may take several attempts.
  void act(trace::LocationId l, Runner& r, const Action& a) {
    if (r.details && has_detail(a.kind)) {
      const Detail* detail = r.details->next();
      r.detail = detail == nullptr ? Detail{} : *detail;
    }
    switch (a.kind) {
      case ActionKind::send: {
        const MessageName name = names_.given(l, a);
        if (costed_)
          costed_->send(ranks_[l], r, name, r.detail.peer, r.detail.bytes, r.detail.synchronous, node_of(l, a), woken_);
        else if (name.exists())
          messages_.give(name.sequence, name.number, r.now, woken_);
        break;
      }
      case ActionKind::signal:
        if (const MessageName name = names_.signal(l, a); name.exists()) {
          const Nanoseconds said = costed_ ? costed_->say(ranks_[l], r, r.detail.peer, node_of(l, a)) : r.now;
          messages_.give(name.sequence, name.number, said, woken_);
        }
        break;
      case ActionKind::transfer:
        if (costed_) costed_->transfer(ranks_[l], r, node_of(l, a));
        break;
      case ActionKind::lock:
        if (costed_) costed_->ask_lock(ranks_[l], r, lock_target(l, a), node_of(l, a));
        break;
      case ActionKind::post:
      case ActionKind::post_matched:
      case ActionKind::receive:
        next_posting(l, r);
        break;
      case ActionKind::complete: {
        const auto at = r.open.find(a.serial);
        r.receive = at == r.open.end() ? OpenReceive{} : at->second;
        if (at != r.open.end()) r.open.erase(at);
        break;
      }
      case ActionKind::probe:
        look_at_posting(l, r);
        break;
      case ActionKind::arrive:
      case ActionKind::collective:
      case ActionKind::io_arrive: {
        if (a.kind == ActionKind::io_arrive) r.io_recorded = a.dropped;
        const MessageName name = names_.given(l, a);
        r.steps = nullptr;
        if (!name.exists()) break;
        if (costed_ && a.kind == ActionKind::collective &&
            costed_->begin(ranks_[l], r, name, sequences_.position(l, a.key), sequences_.all()[name.sequence].members,
                           l))
          break;
        collective_of(name).arrive(
            {sequences_.position(l, a.key), ranks_[l], r.now, a.kind == ActionKind::io_arrive ? a.dropped : never,
             (a.flags & member_sends) != 0, (a.flags & member_is_root) != 0},
            woken_);
        break;
      }
      case ActionKind::unlock:
        break;  // releases when it has the lock itself
      case ActionKind::fork:
        teams_.fork(l, a.serial, r.now, woken_);
        break;
      case ActionKind::join_signal:
        teams_.arrive(l, a.serial, r.now, woken_);
        break;
      default:
        break;
    }
    if (a.need == Need::partners || a.need == Need::root) {
      const std::uint32_t* size = r.partners.next();
      r.needed.resize(size == nullptr ? 0 : *size);
      for (std::uint32_t& partner : r.needed) {
        const std::uint32_t* word = r.partners.next();
        partner = word == nullptr ? 0 : *word;
      }
    }
  }

  void tell(trace::LocationId l, const Runner& r, const Action& a) {
    const std::uint32_t sender = r.receive.is_known() ? sequences_.all()[r.receive.key].key.b : no_id;
    const bool sends = a.kind == ActionKind::send || a.kind == ActionKind::await_posted;  // others have other numbers
    const bool eager = a.kind == ActionKind::send && costed_ && r.detail.peer != no_id &&
                       !costed_->is_rendezvous(ranks_[l], r.detail.peer, r.detail.bytes);
    tell_action(*listener_, ranks_[l], r, a, sends ? names_.given(l, a) : MessageName{}, sender, node_of(l, a).region,
                eager);
  }

  /// Until when the action waits: done (with the time of what it waited for), blocked, or without a partner that is
  /// known.
  Outcome wait(trace::LocationId l, Runner& r, const Action& a) {
    switch (a.kind) {
      case ActionKind::receive:
      case ActionKind::complete:
        if (!costed_) return wait_for_message(l, r, false);
        if (r.receive.time != never)
          return costed_->take(ranks_[l], r, {r.receive.key, r.receive.serial}, r.detail.peer, r.detail.bytes,
                               r.receive.time, r.receive.posted);
        return costed_->receive(ranks_[l], r, {r.receive.key, r.receive.serial}, r.detail.peer, r.detail.bytes,
                                r.receive.posted, l);
      case ActionKind::post_matched: {
        if (!r.receive.is_known()) return {};  // without its completion it is not known which message it was
        const Outcome seen = wait_for_message(l, r, false);
        if (seen.kind == Outcome::done) r.receive.time = seen.time;
        return seen;
      }
      case ActionKind::probe:
        return wait_for_message(l, r, true);
      case ActionKind::await_posted: {
        const MessageName name = names_.given(l, a);
        if (costed_) return costed_->sent(ranks_[l], r, name, r.detail.peer, r.detail.bytes, r.detail.synchronous, l);
        if (r.details && !r.detail.synchronous) return {};
        if (!name.exists()) return {Outcome::without_partner, never};
        return known(posted_.take(name.sequence, name.number, l));
      }
      case ActionKind::await: {
        const MessageName name = names_.signal(l, a);
        if (name.exists()) {
          const auto said = messages_.take(name.sequence, name.number, l);
          return said && costed_ ? costed_->hear(ranks_[l], r, r.detail.peer, *said) : known(said);
        }
        const bool several = sequences_.all()[name.sequence].has_several_threads;
        return {several ? Outcome::several_threads : Outcome::without_partner, never};
      }
      case ActionKind::collective:
      case ActionKind::collect:
      case ActionKind::io_collect: {
        const MessageName name = names_.given(l, a);
        if (!name.exists()) return {a.need == Need::nobody ? Outcome::done : Outcome::without_partner, never};
        if (r.steps != nullptr && a.kind == ActionKind::collective)
          return costed_->go_on(ranks_[l], r, name, node_of(l, a), woken_, l);
        if (costed_ && a.kind == ActionKind::collect) return collected(l, r, a, name);
        return known(collective_of(name).value(a.need, sequences_.position(l, a.key), r.needed, l));
      }
      case ActionKind::transferred:
        return costed_ ? costed_->transferred(r) : Outcome{};
      case ActionKind::lock:
      case ActionKind::unlock:
        if (!locks_.waits(l, a.serial, a.kind == ActionKind::lock)) return granted(l, r, a, never);
        if (const auto released = locks_.released_before(l, a.serial)) return granted(l, r, a, *released);
        return {Outcome::blocked, never};
      case ActionKind::fork_wait: {
        const Nanoseconds forked = teams_.forked(l, a.serial);
        if (forked != never) return {Outcome::done, forked + a.dropped};
        teams_.wait_for_fork(l, a.serial);
        return {Outcome::blocked, never};
      }
      case ActionKind::join:
        return known(teams_.joined(l, a.serial));
      default:
        return {};
    }
  }

  std::uint32_t lock_target(trace::LocationId l, const Action& a) const {
    return actions_.locations[l].locks[a.serial].target;
  }
  /// The lock was given back then by the one before.
  Outcome granted(trace::LocationId l, const Runner& r, const Action& a, Nanoseconds released) const {
    return costed_ ? costed_->granted(ranks_[l], r, lock_target(l, a), a.kind == ActionKind::lock, released)
                   : Outcome{Outcome::done, released};
  }

  /// A non-blocking collective: those it needs, then what its algorithm lasts.
  Outcome collected(trace::LocationId l, Runner& r, const Action& a, const MessageName& name) {
    const auto arrived = collective_of(name).value(a.need, sequences_.position(l, a.key), r.needed, l);
    if (!arrived) return {Outcome::blocked, never};
    const Nanoseconds begins = *arrived == never ? r.now : *arrived;
    const Nanoseconds lasts = costed_->asynchronous_time(ranks_[l], r.detail, sequences_.position(l, a.key), l);
    return {Outcome::done, saturated_sum(begins, lasts), begins, 0};
  }

  /// `stays`: the message is only looked at, as by a probe.
  Outcome wait_for_message(trace::LocationId l, Runner& r, bool stays) {
    if (r.receive.time != never) return {Outcome::done, r.receive.time};
    if (r.receive.serial == no_id) return {Outcome::without_partner, never};
    return known(stays ? messages_.look(r.receive.key, r.receive.serial, l)
                       : messages_.take(r.receive.key, r.receive.serial, l));
  }

  /// The action is over at r.now.
  void finish(trace::LocationId l, Runner& r, const Action& a, Nanoseconds before, const Outcome& outcome) {
    ReplayedLocation& into = result_.locations[l];
    switch (a.kind) {
      case ActionKind::post:
      case ActionKind::post_matched:
        if (r.receive.is_known()) r.open[r.posted - 1] = r.receive;
        break;
      case ActionKind::collective:
      case ActionKind::collect:
        if (const MessageName name = names_.given(l, a); name.exists()) {
          if (costed_ && a.kind == ActionKind::collective) costed_->leave(name);
          if (r.steps == nullptr) leave_collective(name);
        }
        break;
      case ActionKind::io_collect: {
        // What the operation lasted after the last had come; alone: all of it.
        const MessageName name = names_.given(l, a);
        if (!name.exists()) {
          add_own_time(into.nodes[a.node], saturated_difference(r.now, before));
          before = r.now;
          break;
        }
        if (!r.gives_up) {
          const Nanoseconds waited = collective_of(name).recorded() - r.io_recorded;
          const Nanoseconds lasted = a.dropped - std::clamp<Nanoseconds>(waited, 0, a.dropped);
          r.now = saturated_sum(r.now, lasted);
          add_own_time(into.nodes[a.node], lasted);
          before = saturated_sum(before, lasted);
        }
        leave_collective(name);
        break;
      }
      case ActionKind::unlock:
        spend(node_of(l, a), before, outcome.begins, r.now);
        locks_.release(l, a.serial,
                       costed_ ? costed_->give_back(ranks_[l], r, lock_target(l, a), node_of(l, a)) : r.now, woken_);
        before = r.now;
        break;
      case ActionKind::fork_wait:
        if (!r.has_begun && before == into.begin) {
          // A thread starts with its team; idling is no waiting in a call.
          const Nanoseconds start = teams_.forked(l, a.serial);
          r.now = start == never ? before : saturated_sum(start, a.dropped);
          into.begin = r.now;
        } else {
          add_own_time(into.nodes[0], saturated_difference(r.now, before));
        }
        before = r.now;
        break;
      case ActionKind::end:
        into.end = r.now;
        break;
      default:
        break;
    }
    const bool is_run = r.steps != nullptr && a.kind == ActionKind::collective;  // which spent its own time
    if (r.now != before && !is_run) spend(node_of(l, a), before, outcome.begins, r.now);
    if (outcome.overhead != 0) {
      r.now = saturated_sum(r.now, outcome.overhead);
      spend_overhead(node_of(l, a), outcome.overhead);
    }
    r.has_begun = true;
  }

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
  InFlight messages_, posted_;
  std::optional<CostedCalls> costed_;  ///< nothing: the network is free
  std::unordered_map<std::uint64_t, CollectiveUnderWay> collectives_;
  Woken woken_;
  Simulated result_;
};

}  // namespace

Result<Simulated> simulate(const trace::Source& source, const Actions& actions, LockOrder locks,
                           const SimulationOptions& options, const Network& network, const ProgressCallback& progress) {
  const trace::Definitions& definitions = source.definitions();
  std::vector<std::uint32_t> masters(actions.locations.size()), ranks(actions.locations.size());
  for (trace::LocationId l = 0; l < masters.size(); ++l) {
    const trace::LocationId first = definitions.location_of_rank(definitions.locations[l].rank);
    masters[l] = first == no_id ? l : first;
    ranks[l] = definitions.locations[l].rank;
  }
  return Simulation(source, actions, std::move(locks), options, network, masters, ranks).run(progress);
}

}  // namespace mora::replay
