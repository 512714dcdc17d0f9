/// Whose turn it is. Idea and cost: simulation.h.
#include "replay/simulation.h"

#include "base/numbers/saturated.h"
#include "replay/running.h"
#include "replay/told_actions.h"

namespace mora::replay {

Simulation::Simulation(const trace::Source& source, const Actions& actions, LockOrder locks,
                       const SimulationOptions& options, const Network& network,
                       const std::vector<std::uint32_t>& masters, const std::vector<std::uint32_t>& ranks)
    : actions_(actions),
      sequences_(actions.joined),
      names_(actions.joined),
      locks_(std::move(locks)),
      turns_(actions.locations.size(), options.shuffle),
      stops_at_circle_(options.stops_at_circle),
      listener_(options.listener),
      ends_(options.ends),
      teams_(actions.locations, masters),
      ranks_(ranks),
      open_(actions.locations.size()),
      messages_(sequences_.all().size()) {
  if (!network.is_free())
    costed_.emplace(network, source, static_cast<std::uint32_t>(sequences_.all().size()), messages_, listener_);
  if (costed_ && network.shares())
    asides_.emplace(*costed_, messages_, turns_, static_cast<trace::LocationId>(actions.locations.size()));
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

Result<Simulated> Simulation::run(const ProgressCallback& callback) {
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
      result_.under_way = messages_.count() + collectives_.size();
      if (costed_) result_.under_way += costed_->under_way();
      if (asides_) result_.under_way += asides_->under_way();
      return std::move(result_);
    }
  }
}

void Simulation::serve_shared() {
  while (costed_ && !costed_->shared().empty() &&
         (turns_.is_nobodys() || costed_->shared().next() < turns_.earliest())) {
    costed_->shared().serve(woken_);
    wake_all(woken_);
  }
}

bool Simulation::give_up() {
  const trace::LocationId l = turns_.earliest_blocked(static_cast<trace::LocationId>(runners_.size()));
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

std::uint32_t Simulation::awaited(const Runner& r, trace::LocationId l) const {
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

Result<std::uint64_t> Simulation::run_slice(trace::LocationId l) {
  if (l >= runners_.size()) {
    asides_->run(l, woken_);
    wake_all(woken_);
    return 0;
  }
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

bool Simulation::step(trace::LocationId l, Runner& r, const Action& a) {
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
