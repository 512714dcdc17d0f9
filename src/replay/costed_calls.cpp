/// One function per end of a message; a collective's steps are these functions in turn.
#include "replay/costed_calls.h"

#include <algorithm>

namespace mora::replay {

void spend(ReplayedNode& node, Nanoseconds before, Nanoseconds begins, Nanoseconds after) {
  const Nanoseconds all = saturated_difference(after, before);
  const Nanoseconds waited = std::clamp<Nanoseconds>(saturated_difference(begins, before), 0, all);
  node.own = saturated_sum(node.own, all);
  node.waiting = saturated_sum(node.waiting, waited);
  node.transfer = saturated_sum(node.transfer, all - waited);
}

void spend_overhead(ReplayedNode& node, Nanoseconds amount) {
  node.own = saturated_sum(node.own, amount);
  node.overhead = saturated_sum(node.overhead, amount);
}

// ---- messages

std::vector<SequenceTraits> traits_of(const Actions& actions, CostedCalls* costed) {
  std::vector<SequenceTraits> all(actions.joined.all().size());
  for (trace::LocationId l = 0; l < actions.locations.size(); ++l) {
    const std::vector<SequenceTraits>& own = actions.locations[l].traits;
    for (std::uint32_t key = 0; key < own.size(); ++key) {
      if (!own[key].synchronous && !own[key].needs_positions && own[key].longest == 0) continue;
      const std::uint32_t sequence = actions.joined.sequence(l, key);
      const trace::SequenceKey& channel = actions.joined.all()[sequence].key;
      const bool is_large = costed != nullptr && channel.kind == trace::SequenceKind::message && own[key].longest > 0 &&
                            costed->is_rendezvous(channel.b, channel.c, own[key].longest);
      all[sequence].synchronous = all[sequence].synchronous || own[key].synchronous || is_large;
      all[sequence].needs_positions = all[sequence].needs_positions || own[key].needs_positions;
    }
  }
  return all;
}

void CostedCalls::send(std::uint32_t rank, CallState& r, const MessageName& name, std::uint32_t peer,
                       std::uint64_t bytes, SenderWaits waits, ReplayedNode& node, Woken& woken) {
  const MessageCost& cost = cost_of(rank, peer, bytes);
  const Nanoseconds time = r.clock.hand_over(r.now, cost);
  spend_overhead(node, cost.send_overhead);
  if (!name.exists()) return;
  const bool asks = waits == SenderWaits::always || (cost.rendezvous && waits == SenderWaits::if_rendezvous);
  messages_.give(name.sequence, name.number, time, asks, woken);
  if (!shares_) return;
  uses_.clear();
  network_.uses(rank, peer, bytes, uses_);
  shared_.hand_over(name.id(), time, r.sender, r.messages_sent++, cost.rendezvous,
                    cost.rendezvous && waits != SenderWaits::never ? 2 : 1, cost.latency, uses_);
  if (!cost.rendezvous) return;
  if (const auto posted = messages_.posted(name.sequence, name.number)) shared_.posted(name.id(), *posted);
}

Outcome CostedCalls::sent(std::uint32_t rank, const MessageName& name, std::uint32_t peer, std::uint64_t bytes,
                          bool waits, trace::LocationId l) {
  const MessageCost& cost = cost_of(rank, peer, bytes);
  if (!cost.rendezvous && !waits) return {};
  if (!name.exists()) return {Outcome::without_partner, never};
  std::optional<Nanoseconds> served = never;
  if (shares_ && cost.rendezvous) served = shared_.through(name.id(), TransferEnd::sender, l);
  if (!served) return {Outcome::blocked, never};
  const auto met = messages_.meet(name.sequence, name.number, l);
  if (!met) return {Outcome::blocked, never};
  const Arrival arrival = MessageClock::sent(met->handed_over, met->posted, cost);
  // A small synchronous message only has to be taken.
  return {Outcome::done, cost.rendezvous ? std::max(arrival.time, *served) : saturated_sum(met->posted, cost.latency),
          arrival.begins, 0};
}

Outcome CostedCalls::receive(std::uint32_t rank, CallState& r, const MessageName& name, std::uint32_t peer,
                             std::uint64_t bytes, Nanoseconds posted, trace::LocationId l) {
  if (!name.exists()) return {Outcome::without_partner, never};
  if (shares_) {
    const auto handed_over = messages_.look(name.sequence, name.number, l);
    if (!handed_over) return {Outcome::blocked, never};
    const Outcome outcome = take(rank, r, name, peer, bytes, *handed_over, posted);
    if (outcome.kind == Outcome::done) messages_.take(name.sequence, name.number, l);
    return outcome;
  }
  const auto handed_over = messages_.take(name.sequence, name.number, l);
  if (!handed_over) return {Outcome::blocked, never};
  return take(rank, r, name, peer, bytes, *handed_over, posted);
}

Outcome CostedCalls::take(std::uint32_t rank, CallState& r, const MessageName& name, std::uint32_t peer,
                          std::uint64_t bytes, Nanoseconds handed_over, Nanoseconds posted) {
  std::optional<Nanoseconds> served = never;
  if (shares_ && name.exists()) served = shared_.through(name.id(), TransferEnd::receiver, r.location);
  if (!served) return {Outcome::blocked, never};
  const MessageCost& cost = cost_of(peer, rank, bytes);
  const Arrival arrival = r.clock.arrive(handed_over, posted, cost);
  return {Outcome::done, std::max(arrival.time, *served), arrival.begins, cost.receive_overhead};
}

// ---- windows

Nanoseconds CostedCalls::say(std::uint32_t rank, Runner& r, std::uint32_t peer, bool spends, ReplayedNode& node) {
  const auto measured = network_.window(r.detail.window_call, rank, peer, 0);
  MessageCost cost = measured ? *measured : cost_of(rank, peer, 0);
  if (measured && !spends) cost.send_overhead = 0;
  spend_overhead(node, cost.send_overhead);
  return r.clock.hand_over(r.now, cost);
}

Outcome CostedCalls::hear(std::uint32_t rank, Runner& r, std::uint32_t peer, bool spends, Nanoseconds handed_over) {
  const auto signal = network_.window(r.detail.window_call, peer, rank, 0);
  if (!signal) return take(rank, r, {}, peer, 0, handed_over, handed_over);
  Nanoseconds overhead = 0;
  if (spends && r.detail.window_call == WindowCall::complete) {
    if (const auto wait = network_.window(WindowCall::wait, rank, peer, 0)) overhead = wait->send_overhead;
  }
  return {Outcome::done, saturated_sum(handed_over, signal->latency), handed_over, overhead};
}

Nanoseconds CostedCalls::ask_other(WindowCall call, std::uint32_t rank, Runner& r, std::uint32_t target,
                                   ReplayedNode& node) {
  r.detail.window_call = call;
  const Nanoseconds said = say(rank, r, target, true, node);
  if (const auto measured = network_.window(call, rank, target, 0)) return saturated_sum(said, measured->latency);
  return saturated_sum(said, cost_of(rank, target, 0).latency);
}

void CostedCalls::ask_lock(std::uint32_t rank, Runner& r, std::uint32_t target, ReplayedNode& node) {
  // The time of a lock that was measured is that of asking and of getting it.
  r.lock_asked =
      network_.window(WindowCall::lock, rank, target, 0) ? r.now : ask_other(WindowCall::none, rank, r, target, node);
}

Nanoseconds CostedCalls::give_back(std::uint32_t rank, Runner& r, std::uint32_t target, ReplayedNode& node) {
  return ask_other(WindowCall::unlock, rank, r, target, node);
}

Outcome CostedCalls::granted(std::uint32_t rank, const Runner& r, std::uint32_t target, bool asks,
                             Nanoseconds released) {
  if (!asks) return {Outcome::done, released};
  const Nanoseconds granted = std::max(r.lock_asked, released);
  if (const auto lock = network_.window(WindowCall::lock, rank, target, 0))
    return {Outcome::done, saturated_sum(granted, lock->latency), released, lock->send_overhead};
  return {Outcome::done, saturated_sum(granted, cost_of(target, rank, 0).latency), released, 0};
}

void CostedCalls::transfer(std::uint32_t rank, Runner& r, ReplayedNode& node) {
  const Nanoseconds before = r.now;
  r.transfers.begin(r.now, network_, rank, r.detail, r.clock, shares_ ? &shared_ : nullptr, r.location,
                    r.messages_sent);
  spend_overhead(node, r.now - before);
}

Outcome CostedCalls::transferred(std::uint32_t rank, Runner& r) {
  if (shares_ && !r.transfers.are_served(r.detail, shared_, r.location)) return {Outcome::blocked, never};
  const auto own = network_.window(r.detail.window_call, rank, r.detail.peer, 0);
  return {Outcome::done, r.transfers.complete(r.detail), never, own ? own->send_overhead : 0};
}

Nanoseconds CostedCalls::whole_time(std::uint32_t rank, const Runner& r, std::uint32_t members) const {
  const auto cost = network_.window(r.detail.window_call, rank, no_id, 0);
  const Nanoseconds of_two = cost ? saturated_sum(cost->send_overhead, cost->latency) : 0;
  Nanoseconds time = 0;
  for (std::uint32_t known = 1; known < members && known != 0; known *= 2) time = saturated_sum(time, of_two);
  return time;
}

// ---- collectives

const trace::Communicator* CostedCalls::communicator(const Detail& call) const {
  const auto& all = source_.definitions().communicators;
  return call.collective != mpi::Collective::none && call.comm < all.size() && !all[call.comm].inter() ? &all[call.comm]
                                                                                                       : nullptr;
}

std::vector<std::uint64_t> CostedCalls::counts(const Detail& call, trace::LocationId l) const {
  return call.vector == no_id ? std::vector<std::uint64_t>{} : source_.vector(l, call.vector);
}

std::shared_ptr<const CollectivePlan> CostedCalls::plan(std::uint32_t rank, const Detail& call, trace::LocationId l) {
  const trace::Communicator* comm = communicator(call);
  if (comm == nullptr) return nullptr;
  const auto c = case_of(call, *comm, rank, counts(call, l));
  if (!c) return nullptr;
  const auto make = [&] { return std::make_shared<const CollectivePlan>(plan_of(network_.collective(*c), c->ranks)); };
  if (!c->blocks.empty()) return make();
  auto& kept = plans_[{c->ranks, c->collective, c->root, c->count, c->element}];
  if (kept == nullptr) kept = make();
  return kept;
}

bool CostedCalls::begin(std::uint32_t rank, Runner& r, const MessageName& name, std::uint32_t position,
                        std::uint32_t members, trace::LocationId l) {
  r.steps = nullptr;
  r.step = 0;
  if (is_whole(rank, r)) return false;
  auto at = instances_.find(name.id());
  if (at == instances_.end()) {
    // What the first one to come says holds for all: members of one operation agree.
    Instance instance;
    instance.members = members;
    const trace::Communicator* comm = communicator(r.detail);
    if (comm != nullptr && comm->members.size() == members) {
      instance.plan = plan(rank, r.detail, l);
      instance.is_straight =
          instance.plan == nullptr && straight_steps(r.detail, members, position, 0, counts(r.detail, l)).has_value();
    }
    const bool runs = instance.plan != nullptr || instance.is_straight;
    if (runs) {
      instance.told_sequence = next_sequence_++;
      instance.messages = messages_.open(instance.plan != nullptr);
    }
    if (!runs && r.detail.collective != mpi::Collective::none) ++by_need_;
    at = instances_.emplace(name.id(), instance).first;
  }
  const Instance& instance = at->second;
  r.messages = instance.messages;
  r.told_sequence = instance.told_sequence;
  if (instance.plan != nullptr) {
    r.plan = instance.plan;
    r.steps = &r.plan->steps[position];
  } else if (instance.is_straight) {
    const trace::Communicator& comm = *communicator(r.detail);
    const auto root = std::find(comm.members.begin(), comm.members.end(), r.detail.peer);
    r.own_steps = straight_steps(r.detail, members, position, static_cast<std::uint32_t>(root - comm.members.begin()),
                                 counts(r.detail, l))
                      .value_or(std::vector<Step>{});
    r.steps = &r.own_steps;
  }
  return r.steps != nullptr;
}

Outcome CostedCalls::go_on(std::uint32_t rank, CallState& r, ReplayedNode& node, Woken& woken, trace::LocationId l) {
  const auto& members = source_.definitions().communicators[r.detail.comm].members;
  MessageListener* const listener = r.is_first_thread ? listener_ : nullptr;
  for (; r.step < r.steps->size(); ++r.step) {
    const Step& s = (*r.steps)[r.step];
    const MessageName message{r.messages, s.message}, told{r.told_sequence, s.message};
    const std::uint32_t peer = members[s.peer];
    Outcome outcome;
    switch (s.kind) {
      case Step::post:
        r.round_posted = r.now;
        if (listener != nullptr) listener->post(rank, told.id(), peer);
        if (is_rendezvous(peer, rank, s.bytes)) posted(message, r.now, woken);
        continue;
      case Step::send:
        if (listener != nullptr) listener->send(rank, told.id(), peer, s.bytes);
        send(rank, r, message, peer, s.bytes, SenderWaits::if_rendezvous, node, woken);
        continue;
      case Step::receive:
        outcome = receive(rank, r, message, peer, s.bytes, r.round_posted, l);
        break;
      case Step::complete:
        outcome = sent(rank, message, peer, s.bytes, false, l);
        break;
    }
    if (outcome.kind == Outcome::blocked) return outcome;
    if (listener != nullptr && s.kind == Step::receive) listener->await_received(rank, told.id(), s.bytes);
    if (listener != nullptr && s.kind == Step::complete) listener->await_sent(rank, told.id());
    const Nanoseconds before = r.now;
    if (outcome.time != never) r.now = std::max(r.now, outcome.time);
    spend(node, before, outcome.begins, r.now);
    r.now = saturated_sum(r.now, outcome.overhead);
    spend_overhead(node, outcome.overhead);
  }
  return {};
}

std::uint32_t CostedCalls::awaited(const CallState& r) const {
  if (r.steps == nullptr || r.step >= r.steps->size()) return no_id;
  return source_.definitions().communicators[r.detail.comm].members[(*r.steps)[r.step].peer];
}

void CostedCalls::leave(const MessageName& name) {
  const auto at = instances_.find(name.id());
  if (at == instances_.end() || ++at->second.left < at->second.members) return;
  if (at->second.messages != no_id) messages_.close(at->second.messages);
  instances_.erase(at);
}

Nanoseconds CostedCalls::asynchronous_time(std::uint32_t rank, const Detail& call, std::uint32_t position,
                                           trace::LocationId l) {
  const auto kept = plan(rank, call, l);
  if (kept == nullptr || position >= kept->steps.size()) return 0;
  const auto& members = source_.definitions().communicators[call.comm].members;
  // Vector operations have plans of their own, which nobody keeps.
  if (kept.use_count() == 1) return synchronous_times(*kept, members, network_)[position];
  auto& times = asynchronous_[{kept.get(), call.comm}];
  if (times.empty()) times = synchronous_times(*kept, members, network_);
  return times[position];
}

}  // namespace mora::replay
