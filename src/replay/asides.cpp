/// When the asides of an operation begin depends on its shape, as what its members wait for does.
#include "replay/asides.h"

#include "mpi/meaning.h"

namespace mora::replay {

void Asides::arrive(const MessageName& name, const Arrival& arrival, const Detail& call) {
  const auto [at, is_new] = operations_.try_emplace(name.id());
  Operation& o = at->second;
  if (is_new) {
    o.plan = calls_.plan_of_all(arrival.rank, call, arrival.members, arrival.location);
    o.call = call;
    o.first_number = std::uint64_t{1} << 63 | std::uint64_t{name.sequence & 0x7FFFFF} << 40 |
                     std::uint64_t{name.number & 0xFFFF} << 24;
    o.arrivals.resize(arrival.members);
    for (Arrival& nobody : o.arrivals) nobody.location = no_id;
    o.asides.resize(arrival.members, no_id);
    if (o.plan != nullptr) o.messages = messages_.open(true);
  }
  o.arrivals[arrival.position] = arrival;
  ++o.arrived;
  if (o.plan == nullptr) return;
  switch (mpi::shape(call.collective)) {
    case mpi::CollectiveShape::one_to_all:
      if (arrival.is_root) begin_all(at->first, o, arrival.time);
      return;
    case mpi::CollectiveShape::prefix:
      for (; o.lower < arrival.members && o.arrivals[o.lower].location != no_id; ++o.lower) {
        const Arrival& here = o.arrivals[o.lower];
        begin(at->first, o, o.lower, std::max(o.latest_lower, here.time));
        if (here.sends) o.latest_lower = std::max(o.latest_lower, here.time);
      }
      return;
    default:
      break;
  }
  if (o.arrived < arrival.members) return;
  Nanoseconds latest = never;
  for (const Arrival& one : o.arrivals) {
    if (one.sends || mpi::shape(call.collective) == mpi::CollectiveShape::barrier) latest = std::max(latest, one.time);
  }
  if (latest != never) begin_all(at->first, o, latest);
}

void Asides::begin_all(std::uint64_t id, Operation& o, Nanoseconds time) {
  for (std::uint32_t position = 0; position < o.asides.size(); ++position) begin(id, o, position, time);
}

void Asides::begin(std::uint64_t id, Operation& o, std::uint32_t position, Nanoseconds time) {
  if (o.asides[position] != no_id) return;
  if (unused_.empty()) {
    unused_.push_back(first_ + static_cast<trace::LocationId>(asides_.size()));
    asides_.emplace_back();
    turns_.add();
  }
  const trace::LocationId l = unused_.back();
  unused_.pop_back();
  ++o.begun;
  o.asides[position] = l;
  Aside& aside = asides_[l - first_];
  aside = {};
  aside.rank = calls_.rank_at(o.call, position);
  aside.position = position;
  aside.operation = id;
  aside.calls.location = l;
  // Members that have not come yet have no location here; their ranks are as good to order messages by.
  aside.calls.sender = aside.rank;
  aside.calls.messages_sent = o.first_number;
  aside.calls.is_first_thread = false;
  aside.calls.now = time;
  aside.calls.detail = o.call;
  aside.calls.plan = o.plan;
  aside.calls.steps = &o.plan->steps[position];
  aside.calls.messages = o.messages;
  turns_.wake(l, time);
}

void Asides::run(trace::LocationId l, Woken& woken) {
  Aside& aside = asides_[l - first_];
  const Outcome outcome = calls_.go_on(aside.rank, aside.calls, nobodys_, woken, l);
  if (outcome.kind == Outcome::blocked) return turns_.block(l, aside.calls.now);
  aside.is_over = true;
  if (aside.waiter != no_id) woken.push_back(aside.waiter);
  Operation& o = operations_.at(aside.operation);
  ++o.over;
  release(aside.operation, o);
}

std::optional<Nanoseconds> Asides::over(const MessageName& name, std::uint32_t position, trace::LocationId waiter) {
  const auto at = operations_.find(name.id());
  if (at == operations_.end() || at->second.plan == nullptr) return INT64_MIN;
  const trace::LocationId l = at->second.asides[position];
  if (l == no_id) return INT64_MIN;
  Aside& aside = asides_[l - first_];
  if (aside.is_over) return aside.calls.now;
  aside.waiter = waiter;
  return {};
}

void Asides::leave(const MessageName& name) {
  const auto at = operations_.find(name.id());
  if (at == operations_.end()) return;
  ++at->second.left;
  release(at->first, at->second);
}

void Asides::release(std::uint64_t id, Operation& o) {
  if (o.left < o.arrivals.size() || o.over < o.begun) return;
  for (const trace::LocationId l : o.asides) {
    if (l != no_id) unused_.push_back(l);
  }
  if (o.messages != no_id) messages_.close(o.messages);
  operations_.erase(id);
}

}  // namespace mora::replay
