/// Idea: all locations are followed in the order of time, each held back where it waits for another (a receive for its
/// send, the end of a barrier for all begins), so that what must come first does. Every rank has a vector clock
/// (order_clock.h) of the completions that it knows of; links of trace/clock/ (messages, collectives, epochs of
/// post-start-complete-wait, teams of threads) and steps (order_steps.h: locks, atomics) carry it on. An access whose
/// clock knows the completion of the one before it on its place (touched_places.h) comes after that one. Accesses of a
/// fence epoch are complete with the fence that ends it; those of an access epoch, unless they fetch, with the
/// MPI_Win_wait of their target that has seen their MPI_Win_complete.
///
/// Source: happened before (Lamport 1978), vector clocks (Mattern 1989; Fidge 1988), what orders accesses: MPI-3.1,
/// 11.5 to 11.7; Mora's rule conflicting-access. Cost: nothing for traces without accesses in_need_of_order(); else one
/// more reading, O(links log locations), and O(origins of these accesses) for each message, barrier or lock that
/// brings something new. Memory: links and steps are spooled, 96 bytes per access.
///
/// Limits: what the trace shows is one run, so that a lock or an atomic that happened to order two accesses counts as
/// order. Whatever may have been waited for and is not recorded (a probe, MPI_Ssend's receiver, a new communicator, a
/// partner that is missing) counts as everything before, in time. Local loads and stores are not in the trace: a flag
/// that a process polls in its own memory counts if it calls MPI_Win_sync. A fence that MPI_MODE_NOPRECEDE lets go on
/// orders all the same what its window's accesses are compared with: they reach no target before its call (MPI-3.1,
/// 11.5.1). So does MPI_Win_start, which need not wait for MPI_Win_post.
#include "analysis/checks/access_order.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/checks/order_clock.h"
#include "analysis/checks/order_steps.h"
#include "analysis/checks/touched_places.h"
#include "base/worker_pool.h"
#include "trace/assertion.h"
#include "trace/clock/junctions.h"

namespace mora::analysis::checks {

using trace::Junctions;
using trace::Link;
using trace::no_id;

namespace {

/// What the accesses ask for beyond the links that hold for clocks.
struct Asked {
  std::set<trace::WindowId> fences;  ///< of these windows all fences order, whatever they assert
  bool starts = false;               ///< accesses come after the posts of their targets

  explicit Asked(const std::vector<MetAccess>& accesses) {
    for (const MetAccess& access : accesses) {
      if (access.range.slot == EpochSlot::fence) fences.insert(access.range.window);
      starts = starts || access.range.slot == EpochSlot::access;
    }
  }
};

class BothSinks : public trace::EventSink {
 public:
  BothSinks(const Asked& asked, trace::LinkCollector& links, StepCollector& steps)
      : asked_(asked), links_(links), steps_(steps) {}
  void on_event(const trace::Event& event) override {
    steps_.on_event(event);
    if (event.kind != trace::EventKind::rma_collective_end || !asked_.fences.contains(event.window)) {
      links_.on_event(event);
      return;
    }
    trace::Event fence = event;
    fence.assertion &= ~trace::assertion_noprecede;
    links_.on_event(fence);
  }

 private:
  const Asked& asked_;
  trace::LinkCollector& links_;
  StepCollector& steps_;
};

/// What orders a location's events.
struct Gathered {
  Gathered(std::size_t n, std::size_t memory) : links(n, memory / 2), locations(n), steps(n, memory / 2) {}
  Spool<Link> links;
  std::vector<trace::LocationLinks> locations;
  Spool<OrderStep> steps;
};

bool has_sync(const trace::Definitions& definitions) {
  return std::any_of(definitions.regions.begin(), definitions.regions.end(), [](const trace::Region& region) {
    return trace::function_of(region).standard == trace::FunctionId::win_sync;
  });
}

/// `accesses` are sorted by location and issue; `first`: of each location.
Result<void> gather(trace::Source& source, const std::vector<MetAccess>& accesses,
                    const std::vector<std::size_t>& first, unsigned workers, Gathered& into) {
  const trace::Definitions& definitions = source.definitions();
  const bool follows_updates = has_sync(definitions);
  const Asked asked(accesses);
  std::mutex mutex;
  std::optional<Error> error;
  run_tasks(definitions.locations.size(), workers, [&](std::size_t task) {
    const auto l = static_cast<trace::LocationId>(task);
    if (definitions.locations[l].kind != trace::LocationKind::cpu) return;
    std::vector<std::uint32_t> issued, completed;
    for (std::size_t a = first[l]; a < first[l + 1]; ++a) {
      issued.push_back(accesses[a].range.issued);
      completed.push_back(accesses[a].range.completed);
    }
    std::sort(completed.begin(), completed.end());
    completed.erase(std::unique(completed.begin(), completed.end()), completed.end());
    trace::LinkCollector links(definitions, l, trace::has_other_threads(definitions, l), into.links, into.locations[l],
                               asked.starts);
    StepCollector steps(definitions, l, follows_updates, std::move(issued), std::move(completed), into.steps);
    BothSinks both(asked, links, steps);
    static_cast<void>(source.read_location(l, both));  // what cannot be read was counted before
    for (const Result<void>& kept : {links.finish(), steps.finish()}) {
      const std::lock_guard lock(mutex);
      if (!kept && !error) error = kept.error();
    }
  });
  if (error) return tl::unexpected(*error);
  return {};
}

class OrderSweep {
 public:
  OrderSweep(const trace::Definitions& definitions, const std::vector<MetAccess>& accesses,
             const std::vector<std::size_t>& first, const Gathered& gathered, Junctions& junctions, WaitSink& findings)
      : definitions_(definitions),
        accesses_(accesses),
        first_(first),
        gathered_(gathered),
        junctions_(junctions),
        findings_(findings),
        completions_(accesses.size()) {
    std::uint32_t ranks = definitions.world_size;
    for (const trace::Location& location : definitions.locations) ranks = std::max(ranks, location.rank + 1);
    origin_of_rank_.assign(ranks, no_id);
    const auto follow = [&](std::uint32_t rank) {
      if (origin_of_rank_[rank] == no_id) origin_of_rank_[rank] = origins_++;
    };
    for (const MetAccess& access : accesses) {
      follow(rank_of(access.call.location));
      if (access.range.ends_at_target) follow(access.range.target);
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) ranks_.emplace_back(origins_, origin_of_rank_[rank]);
    for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
      std::vector<std::uint32_t> order(first[l + 1] - first[l]);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(first[l] + i);
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return accesses_[a].range.completed < accesses_[b].range.completed;
      });
      runners_.push_back(
          Runner{gathered.links.cursor(l), gathered.steps.cursor(l), nullptr, nullptr, std::move(order), 0, false});
    }
  }

  Result<void> run() {
    MORA_CHECK_OK(count_sinks());
    for (std::uint32_t l = 0; l < runners_.size(); ++l) MORA_CHECK_OK(look(l));
    for (;;) {
      if (ready_.empty()) {
        if (blocked_.empty()) return {};
        const Turn turn = *blocked_.begin();  // a circle, in a damaged trace
        blocked_.erase(blocked_.begin());
        runners_[turn.second].given_up = true;
        ready_.insert(turn);
      }
      const Turn turn = *ready_.begin();
      ready_.erase(ready_.begin());
      if (take(turn)) MORA_CHECK_OK(look(turn.second));
    }
  }

 private:
  using Turn = std::pair<Nanoseconds, std::uint32_t>;  ///< of a location
  /// Of locks (offset 0), of atomics, of memory.
  using Place = std::tuple<trace::WindowId, std::uint32_t, std::uint64_t>;
  using Clocks = std::map<Place, OrderClock>;
  static constexpr std::size_t places_apart = 65536;  ///< more atomics than these have one clock per target

  /// The completion `number` of `origin` (or of the target of accesses that end there).
  struct Completion {
    std::uint32_t origin = 0;
    std::uint32_t number = not_completed;
  };
  /// Complete at its origin with that number; its target's MPI_Win_wait is to come.
  struct Awaited {
    std::uint32_t access = 0;
    Completion at_origin;
  };

  struct Runner {
    Spool<Link>::Cursor links;
    Spool<OrderStep>::Cursor steps;
    const Link* link;
    const OrderStep* step;
    std::vector<std::uint32_t> by_completion;
    std::size_t completed;
    bool given_up;
  };

  std::uint32_t rank_of(trace::LocationId location) const { return definitions_.locations[location].rank; }
  OrderClock& clock_of(std::uint32_t location) { return ranks_[rank_of(location)]; }

  /// So that a junction can be forgotten behind its last one.
  Result<void> count_sinks() {
    sinks_.assign(junctions_.size(), 0);
    for (std::uint32_t l = 0; l < runners_.size(); ++l) {
      auto links = gathered_.links.cursor(l);
      while (const Link* link = links.next()) {
        const trace::EdgeEnd end = junctions_.end(l, *link);
        if (end.sink && !end.is_open) ++sinks_[end.junction];
      }
      if (links.failed()) return trace::unreadable_spool();
    }
    return {};
  }

  /// What the location does next, and when.
  Result<void> look(std::uint32_t location) {
    Runner& r = runners_[location];
    if (r.link == nullptr) r.link = r.links.next();
    if (r.step == nullptr) r.step = r.steps.next();
    if (r.links.failed() || r.steps.failed()) return trace::unreadable_spool();
    if (r.link == nullptr && r.step == nullptr) return {};
    ready_.insert({is_link_next(r) ? r.link->time : r.step->time, location});
    return {};
  }
  static bool is_link_next(const Runner& r) {
    return r.step == nullptr || (r.link != nullptr && r.link->ordinal <= r.step->ordinal);
  }

  /// False: the location is blocked.
  bool take(const Turn& turn) {
    Runner& r = runners_[turn.second];
    if (!is_link_next(r)) {
      take_step(turn.second, *r.step);
      r.step = nullptr;
      return true;
    }
    const trace::EdgeEnd end = junctions_.end(turn.second, *r.link);
    if (end.is_open || (end.sink && r.given_up)) {
      know_everything(turn.second);
    } else if (end.sink) {
      if (junctions_.at(end.junction).pending > 0) {
        waiting_[end.junction].push_back(turn);
        blocked_.insert(turn);
        return false;
      }
      if (const auto clock = under_way_.find(end.junction); clock != under_way_.end()) {
        clock_of(turn.second).join(clock->second);
        if (--sinks_[end.junction] == 0) under_way_.erase(clock);
      }
    } else if (end.junction != no_id) {
      deliver(end.junction, clock_of(turn.second));
    }
    r.given_up = false;
    r.link = nullptr;
    return true;
  }

  /// A source of a junction, and of those that follow it in a chain (scans).
  void deliver(std::uint32_t junction, const OrderClock& source) {
    OrderClock carried = source;
    for (;; ++junction) {
      OrderClock& clock = under_way_.try_emplace(junction, carried).first->second;
      clock.join(carried);
      trace::Junction& j = junctions_.at(junction);
      if (--j.pending > 0) return;
      carried = clock;
      if (const auto waiting = waiting_.find(junction); waiting != waiting_.end()) {
        for (const Turn& turn : waiting->second) {
          if (blocked_.erase(turn) > 0) ready_.insert(turn);
        }
        waiting_.erase(waiting);
      }
      if (junction + 1 == junctions_.size() || !junctions_.at(junction + 1).follows) return;
    }
  }

  void know_everything(std::uint32_t location) {
    for (const OrderClock& other : ranks_) clock_of(location).join(other);
  }

  void take_step(std::uint32_t location, const OrderStep& step) {
    OrderClock& clock = clock_of(location);
    switch (step.kind) {
      case StepKind::issue:
        return issue(static_cast<std::uint32_t>(first_[location] + step.index));
      case StepKind::complete:
        return complete(location, step.index, clock);
      case StepKind::exposed:
        return end_exposure({step.window, rank_of(location)}, clock);
      case StepKind::unlock:
        return unlock(step, clock);
      case StepKind::lock:
        return lock(step, clock);
      case StepKind::atomic:
        return publish(atomics_, atomic_place(step), clock);
      case StepKind::fetched:
        return take_over(atomics_, atomic_place(step), clock);
      case StepKind::update:
        return publish(memories_, {0, step.target, 0}, clock);
      case StepKind::look:
        return take_over(memories_, {0, rank_of(location), 0}, clock);
      case StepKind::anything:
        return know_everything(location);
    }
  }

  void complete(std::uint32_t location, std::uint32_t record, OrderClock& clock) {
    Runner& r = runners_[location];
    const Completion here{origin_of_rank_[rank_of(location)], clock.complete()};
    for (; r.completed < r.by_completion.size(); ++r.completed) {
      const std::uint32_t access = r.by_completion[r.completed];
      const RangeAccess& range = accesses_[access].range;
      if (range.completed > record) return;
      if (range.ends_at_target) {
        awaited_[{range.window, range.target}].push_back({access, here});
      } else {
        completions_[access] = here;
      }
    }
  }

  /// What the target has learnt of is complete there.
  void end_exposure(const std::pair<trace::WindowId, std::uint32_t>& target, OrderClock& clock) {
    const auto awaited = awaited_.find(target);
    if (awaited == awaited_.end()) return;
    const Completion here{origin_of_rank_[target.second], clock.complete()};
    std::erase_if(awaited->second, [&](const Awaited& one) {
      const bool is_seen = knows(clock, one.at_origin);
      if (is_seen) completions_[one.access] = here;
      return is_seen;
    });
  }

  static bool knows(const OrderClock& clock, const Completion& completion) {
    return completion.number <= clock.knows(completion.origin);
  }

  static void publish(Clocks& clocks, const Place& place, const OrderClock& clock) {
    clocks.try_emplace(place, clock).first->second.join(clock);
  }
  static void take_over(const Clocks& clocks, const Place& place, OrderClock& clock) {
    if (const auto found = clocks.find(place); found != clocks.end()) clock.join(found->second);
  }
  Place atomic_place(const OrderStep& step) {
    const Place place{step.window, step.target, step.offset};
    if (atomics_.size() < places_apart || atomics_.contains(place)) return place;
    return {step.window, step.target, trace::no_offset};
  }

  /// A shared lock comes after exclusive ones, an exclusive one after all; no_id: MPI_Win_lock_all, and what all
  /// targets' exclusive locks are kept under for it.
  void unlock(const OrderStep& step, const OrderClock& clock) {
    publish(any_locks_, {step.window, step.target, 0}, clock);
    if (!step.is_exclusive) return;
    publish(exclusive_locks_, {step.window, step.target, 0}, clock);
    publish(exclusive_locks_, {step.window, no_id, 0}, clock);
  }
  void lock(const OrderStep& step, OrderClock& clock) const {
    take_over(exclusive_locks_, {step.window, step.target, 0}, clock);
    if (!step.is_exclusive) return;
    take_over(any_locks_, {step.window, step.target, 0}, clock);
    take_over(any_locks_, {step.window, no_id, 0}, clock);
  }

  void issue(std::uint32_t access) {
    const MetAccess& now = accesses_[access];
    const OrderClock& clock = clock_of(now.call.location);
    TouchedPlaces& places =
        places_.try_emplace({now.range.memory, now.range.target}, TouchedPlaces(accesses_)).first->second;
    const std::uint32_t conflict =
        places.touch(access, [&](std::uint32_t earlier) { return knows(clock, completions_[earlier]); });
    if (conflict == no_id) return;
    const auto in_time = [](const MetAccess& m) { return std::tie(m.call.begin, m.call.location); };
    const bool is_later = in_time(accesses_[conflict]) <= in_time(now);
    const MetAccess &then = is_later ? accesses_[conflict] : now, &later = is_later ? now : accesses_[conflict];
    CheckFinding finding;
    finding.rule = RmaRule::conflicting_access;
    finding.window = later.range.window;
    finding.partner_rank = rank_of(then.call.location);
    finding.call = later.call;
    finding.partner = then.call;
    findings_.broken_rule(finding);
  }

  const trace::Definitions& definitions_;
  const std::vector<MetAccess>& accesses_;
  const std::vector<std::size_t>& first_;
  const Gathered& gathered_;
  Junctions& junctions_;
  WaitSink& findings_;
  std::vector<Completion> completions_;                                                ///< by access
  std::map<std::pair<trace::WindowId, std::uint32_t>, std::vector<Awaited>> awaited_;  ///< by window and target
  std::vector<std::uint32_t> origin_of_rank_;
  std::uint32_t origins_ = 0;
  std::vector<OrderClock> ranks_;
  std::vector<Runner> runners_;
  std::set<Turn> ready_, blocked_;
  std::vector<std::uint32_t> sinks_;                    ///< by junction: not yet met
  std::map<std::uint32_t, std::vector<Turn>> waiting_;  ///< by junction
  std::map<std::uint32_t, OrderClock> under_way_;       ///< by junction
  Clocks any_locks_, exclusive_locks_, atomics_, memories_;
  std::map<std::pair<trace::WindowId, std::uint32_t>, TouchedPlaces> places_;
};

Result<void> find_unordered(trace::Source& source, std::vector<MetAccess>& accesses, unsigned workers,
                            std::size_t memory, WaitSink& findings) {
  const trace::Definitions& definitions = source.definitions();
  const std::size_t locations = definitions.locations.size();
  std::sort(accesses.begin(), accesses.end(), [](const MetAccess& a, const MetAccess& b) {
    return std::tie(a.call.location, a.range.issued) < std::tie(b.call.location, b.range.issued);
  });
  std::vector<std::size_t> first(locations + 1, accesses.size());
  for (std::size_t a = accesses.size(); a-- > 0;) first[accesses[a].call.location] = a;
  for (std::size_t l = locations; l-- > 0;) first[l] = std::min(first[l], first[l + 1]);
  Gathered gathered(locations, memory);
  MORA_CHECK_OK(gather(source, accesses, first, workers, gathered));
  MORA_TRY(Junctions junctions, Junctions::make(definitions, {}, gathered.links, gathered.locations));
  return OrderSweep(definitions, accesses, first, gathered, junctions, findings).run();
}

}  // namespace

void judge_unordered(trace::Source& source, std::vector<MetAccess> accesses, unsigned workers, std::uint64_t memory,
                     WaitSink& findings, DataQuality& quality) {
  if (accesses.empty()) return;
  constexpr std::size_t most = std::size_t{128} << 20;  // of links and steps in memory
  const std::size_t budget = memory == 0 ? most : std::min<std::size_t>(most, memory / 4);
  const auto read = find_unordered(source, accesses, workers, budget, findings);
  if (read) return;
  quality.add("rma-rules-unchecked", mora::Severity::info, "", 1,
              "whether accesses of different ranks conflict was not checked: " + read.error().what,
              "set TMPDIR to a directory with free space and analyse again");
}

}  // namespace mora::analysis::checks
