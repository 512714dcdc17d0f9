/// One function per kind of action; an action that cannot be done yet leaves its location blocked until the partner
/// wakes it.
#include <algorithm>

#include "base/numbers/saturated.h"
#include "replay/running.h"
#include "replay/told_actions.h"

namespace mora::replay {

namespace {

SenderWaits sender_of(const Action& send) {
  if ((send.flags & is_buffered) != 0) return SenderWaits::never;
  return (send.flags & awaits_receive) != 0 ? SenderWaits::always : SenderWaits::if_rendezvous;
}

}  // namespace

void Simulation::look_at_posting(trace::LocationId l, Runner& r) {
  if (r.posting == nullptr) r.posting = r.postings.next();
  if (r.posting == nullptr) return;
  const MessageName message = names_.taken(l, r.posting->key, r.posting->serial);
  r.receive = {message.sequence, message.number, never, 0};
}

void Simulation::next_posting(trace::LocationId l, Runner& r) {
  look_at_posting(l, r);
  r.posting = nullptr;
  r.receive.posted = r.now;
  ++r.posted;
  if (r.receive.serial == no_id || !traits_[r.receive.key].synchronous) return;
  if (costed_)
    costed_->posted({r.receive.key, r.receive.serial}, r.now, woken_);
  else
    messages_.post(r.receive.key, r.receive.serial, r.now, woken_);
}

CollectiveUnderWay& Simulation::collective_of(const MessageName& name) {
  return collectives_
      .try_emplace(name.id(), sequences_.all()[name.sequence].members, traits_[name.sequence].needs_positions)
      .first->second;
}

void Simulation::leave_collective(const MessageName& name) {
  if (collective_of(name).leave()) collectives_.erase(name.id());
}

void Simulation::act(trace::LocationId l, Runner& r, const Action& a) {
  if (r.details && has_detail(a.kind)) {
    const Detail* detail = r.details->next();
    r.detail = detail == nullptr ? Detail{} : *detail;
  }
  switch (a.kind) {
    case ActionKind::send: {
      const MessageName name = names_.given(l, a);
      if (costed_)
        costed_->send(ranks_[l], r, name, r.detail.peer, r.detail.bytes, sender_of(a), node_of(l, a), woken_);
      else if (name.exists())
        messages_.give(name.sequence, name.number, r.now, (a.flags & awaits_receive) != 0, woken_);
      break;
    }
    case ActionKind::signal:
      if (const MessageName name = names_.signal(l, a); name.exists()) {
        const Nanoseconds said =
            costed_ ? costed_->say(ranks_[l], r, r.detail.peer, (a.flags & costs_of_call) != 0, node_of(l, a)) : r.now;
        messages_.give(name.sequence, name.number, said, false, woken_);
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
      const OpenReceive* const open = open_.find(l, a.serial);
      r.receive = open == nullptr ? OpenReceive{} : *open;
      if (open != nullptr) open_.erase(l, a.serial);
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
          costed_->begin(ranks_[l], r, name, sequences_.position(l, a.key), sequences_.all()[name.sequence].members, l))
        break;
      collective_of(name).arrive(
          {sequences_.position(l, a.key), ranks_[l], r.now, a.kind == ActionKind::io_arrive ? a.dropped : never,
           (a.flags & member_sends) != 0, (a.flags & member_is_root) != 0},
          woken_);
      if (asides_ && a.kind == ActionKind::arrive)
        asides_->arrive(name,
                        {ranks_[l], sequences_.position(l, a.key), sequences_.all()[name.sequence].members, l, r.now,
                         (a.flags & member_sends) != 0, (a.flags & member_is_root) != 0},
                        r.detail);
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

void Simulation::tell(trace::LocationId l, const Runner& r, const Action& a) {
  const std::uint32_t sender = r.receive.is_known() ? sequences_.all()[r.receive.key].key.b : no_id;
  const bool sends = a.kind == ActionKind::send || a.kind == ActionKind::await_posted;  // others have other numbers
  const bool eager = a.kind == ActionKind::send && costed_ && r.detail.peer != no_id &&
                     !costed_->is_rendezvous(ranks_[l], r.detail.peer, r.detail.bytes);
  tell_action(*listener_, ranks_[l], r, a, sends ? names_.given(l, a) : MessageName{}, sender, node_of(l, a).region,
              eager);
}

Outcome Simulation::wait(trace::LocationId l, Runner& r, const Action& a) {
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
      if (costed_) return costed_->sent(ranks_[l], name, r.detail.peer, r.detail.bytes, r.detail.synchronous, l);
      if (r.details && !r.detail.synchronous) return {};
      if (!name.exists()) return {Outcome::without_partner, never};
      const auto met = messages_.meet(name.sequence, name.number, l);
      return met ? Outcome{Outcome::done, met->posted} : Outcome{Outcome::blocked, never};
    }
    case ActionKind::await: {
      const MessageName name = names_.signal(l, a);
      if (name.exists()) {
        const auto said = messages_.take(name.sequence, name.number, l);
        return said && costed_ ? costed_->hear(ranks_[l], r, r.detail.peer, (a.flags & costs_of_call) != 0, *said)
                               : known(said);
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
        return costed_->go_on(ranks_[l], r, node_of(l, a), woken_, l);
      if (costed_ && a.kind == ActionKind::collect) return collected(l, r, a, name);
      const auto last = collective_of(name).value(a.need, sequences_.position(l, a.key), r.needed, l);
      const bool may_be_whole = costed_ && a.kind == ActionKind::collective;  // others have no detail of their own
      if (!last || *last == never || !may_be_whole || !costed_->is_whole(ranks_[l], r)) return known(last);
      const Nanoseconds time = costed_->whole_time(ranks_[l], r, sequences_.all()[name.sequence].members);
      return {Outcome::done, saturated_sum(*last, time), *last, 0};
    }
    case ActionKind::transferred:
      return costed_ ? costed_->transferred(ranks_[l], r) : Outcome{};
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

Outcome Simulation::granted(trace::LocationId l, const Runner& r, const Action& a, Nanoseconds released) {
  return costed_ ? costed_->granted(ranks_[l], r, lock_target(l, a), a.kind == ActionKind::lock, released)
                 : Outcome{Outcome::done, released};
}

Outcome Simulation::collected(trace::LocationId l, Runner& r, const Action& a, const MessageName& name) {
  const auto arrived = collective_of(name).value(a.need, sequences_.position(l, a.key), r.needed, l);
  if (!arrived) return {Outcome::blocked, never};
  const Nanoseconds begins = *arrived == never ? r.now : *arrived;
  const Nanoseconds lasts = costed_->asynchronous_time(ranks_[l], r.detail, sequences_.position(l, a.key), l);
  Nanoseconds time = saturated_sum(begins, lasts);
  if (asides_ && a.need != Need::nobody) {
    const auto over = asides_->over(name, sequences_.position(l, a.key), l);
    if (!over) return {Outcome::blocked, never};
    time = std::max(time, *over);
  }
  return {Outcome::done, time, begins, 0};
}

Outcome Simulation::wait_for_message(trace::LocationId l, Runner& r, bool stays) {
  if (r.receive.time != never) return {Outcome::done, r.receive.time};
  if (r.receive.serial == no_id) return {Outcome::without_partner, never};
  return known(stays ? messages_.look(r.receive.key, r.receive.serial, l)
                     : messages_.take(r.receive.key, r.receive.serial, l));
}

void Simulation::finish(trace::LocationId l, Runner& r, const Action& a, Nanoseconds before, const Outcome& outcome) {
  ReplayedLocation& into = result_.locations[l];
  switch (a.kind) {
    case ActionKind::post:
    case ActionKind::post_matched:
      if (r.receive.is_known()) {
        r.receive.is_live = true;
        open_.at(l, r.posted - 1) = r.receive;
      }
      break;
    case ActionKind::collective:
    case ActionKind::collect:
      if (const MessageName name = names_.given(l, a); name.exists()) {
        if (costed_ && a.kind == ActionKind::collective) costed_->leave(name);
        if (r.steps == nullptr || a.kind == ActionKind::collect) leave_collective(name);
        if (asides_ && a.kind == ActionKind::collect) asides_->leave(name);
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
      locks_.release(l, a.serial, costed_ ? costed_->give_back(ranks_[l], r, lock_target(l, a), node_of(l, a)) : r.now,
                     woken_);
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

}  // namespace mora::replay
