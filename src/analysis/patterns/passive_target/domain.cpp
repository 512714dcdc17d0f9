/// The domain "passive target".
///
///   round 0  lock epochs go to their target's partition (those of lock_all to all) and are ordered there
///   round 1  a blocked epoch gets to know which epoch blocked it; its origin finds the call that waited
///   round 2  calls ask their targets' partitions when the target was in MPI, from the end of the contention on
///   round 3  the answers; then amounts are certain: contention first, progress in what remains of the call
///
/// Cost: O(calls log calls) time, some 50 bytes per call of passive target. A lock_all epoch is ordered at those
/// targets on which exclusive locks are taken, nowhere else. Rules and limits: lock_contention.cpp,
/// wait_for_progress.cpp, atomic_retry.cpp.
#include "analysis/patterns/domains.h"

#include <algorithm>

#include "analysis/patterns/passive_target/collector.h"
#include "analysis/patterns/passive_target/retry_causes.h"
#include "trace/mpi_function.h"

namespace mora::analysis {

namespace passive {

namespace {

struct LockHalf {
  Contender contender;
  trace::WindowId window = no_id;
  std::uint32_t target = no_id;
  std::uint32_t uses = 0;  ///< Use records that follow (lock_all)
};
struct Use {
  std::uint32_t target = 0;
  Nanoseconds last = 0;
  Nanoseconds held = 0;  ///< of LockProofs
  bool is_proof = false;
};
struct ProgressQuestion {
  cube::LocationId location = 0;
  std::uint32_t call = 0;
  std::uint32_t target = 0;
  bool alone = false;  ///< the only target
  Nanoseconds from = 0;
  Nanoseconds until = 0;
};
struct ProgressAnswer {
  cube::LocationId location = 0;
  std::uint32_t call = 0;
  Progress progress;
};

class PassiveTarget : public DomainPartition {
 public:
  explicit PassiveTarget(const DomainContext& context) : context_(context) {
    for (const trace::Region& region : context.definitions.regions) {
      const mpi::Function& function = trace::function_of(region);
      is_request_based_.push_back(mpi::is_request_based(function));
      may_retry_ = may_retry_ || mpi::fetching_operation(function) != trace::RmaOperation::none;
    }
  }

  std::unique_ptr<Collector> collector(cube::LocationId location) override {
    place_.resize(context_.definitions.locations.size(), no_id);
    place_[location] = static_cast<std::uint32_t>(halves_.size());
    halves_.push_back(std::make_unique<LocationHalves>());
    halves_.back()->location = location;
    halves_.back()->rank = context_.definitions.locations[location].rank;
    return std::make_unique<PassiveCollector>(context_, is_request_based_, may_retry_, *halves_.back());
  }

  void send(unsigned round, std::vector<Buffer>& outgoing) override {
    std::size_t epochs = 0, calls = 0;
    for (const auto& halves : halves_) epochs += halves->epochs.size(), calls += halves->calls.size();
    const auto reserve = [&](std::size_t bytes) {  // where halves go is not known: evenly
      for (Buffer& box : outgoing) box.reserve(bytes / outgoing.size());
    };
    if (round == 0) {
      reserve(epochs * (sizeof(Message) + sizeof(LockHalf)));
      for (const auto& halves : halves_) {
        send_epochs(*halves, outgoing);
        ask_who_changed(*halves, outgoing);
      }
    } else if (round == 2) {
      reserve(calls * sizeof(ProgressQuestion));
      for (std::size_t l = 0; l < halves_.size(); ++l) ask_for_progress(l, outgoing);
    } else {
      outgoing = std::move(answers_);
    }
  }

  void receive(unsigned round, const std::vector<Buffer>& incoming) override {
    answers_.assign(context_.partitions, Buffer());
    if (round == 0) {
      order_locks(incoming);
    } else if (round == 1) {
      contentions_.resize(halves_.size());
      changers_.resize(halves_.size());
      take_blocked(incoming);
    } else if (round == 2) {
      answer_progress(incoming);
    } else {
      take_progress(incoming);
    }
  }

 private:
  std::size_t partition_of(std::uint32_t rank) const {
    const std::uint32_t p = rank < context_.partition_of_rank.size() ? context_.partition_of_rank[rank] : no_id;
    return p != no_id ? p : rank % context_.partitions;
  }

  void send_epochs(const LocationHalves& halves, std::vector<Buffer>& outgoing) const;
  void order_locks(const std::vector<Buffer>& incoming);
  void take_blocked(const std::vector<Buffer>& incoming);
  void ask_for_progress(std::size_t l, std::vector<Buffer>& outgoing) const;
  void answer_progress(const std::vector<Buffer>& incoming);
  void take_progress(const std::vector<Buffer>& incoming);
  void score(std::size_t l, std::vector<ProgressAnswer>& answers);
  Nanoseconds add_contention(const LocationHalves& halves, const Call& call, const Contention& contention);

  const DomainContext& context_;
  std::vector<bool> is_request_based_;
  std::vector<std::unique_ptr<LocationHalves>> halves_;
  std::vector<std::uint32_t> place_;                        ///< LocationId -> index of halves_
  std::vector<SpillVector<Contention>> contentions_;        ///< parallel to halves_; ascending by call
  Chunked<EarlierHolder> earlier_;                          ///< of all contentions
  std::vector<WaitShare> shares_;                           ///< of one contention at a time
  std::vector<std::map<std::uint32_t, Changer>> changers_;  ///< parallel to halves_; by loop
  bool may_retry_ = false;                                  ///< the program has atomics that may be repeated
  std::vector<Buffer> answers_;
};

// ---- locks -----------------------------------------------------------------------------------------------

/// Round 0. MPI_MODE_NOCHECK takes no lock, so such epochs do not compete.
void PassiveTarget::send_epochs(const LocationHalves& halves, std::vector<Buffer>& outgoing) const {
  for (const LockEpoch& epoch : halves.epochs) {
    if (!epoch.is_checked) continue;
    const std::span<const std::uint32_t> calls = halves.calls_of(epoch);
    const Call& lock = halves.calls[calls.front()];
    const Call& unlock = halves.calls[calls.back()];
    LockHalf half;
    half.window = epoch.window;
    half.target = epoch.target;
    Contender& c = half.contender;
    static_cast<trace::LockTurn&>(c) = epoch;
    c.last_use = lock.leave;
    c.unlock_path = context_.path(halves.location, unlock.node);
    const auto each_use = [&](const auto& take) {  // of the epoch's lock: target, end
      for (std::size_t i = 1; i + 1 < calls.size(); ++i) {
        const Call& call = halves.calls[calls[i]];
        for (std::uint32_t t = 0; t < call.targets; ++t) take(halves.targets[call.first_target + t], call.leave);
      }
    };
    if (epoch.target != no_id) {
      each_use([&](std::uint32_t target, Nanoseconds leave) {
        if (target == epoch.target) half.contender.last_use = leave;
      });
      BufferWriter out(outgoing[partition_of(epoch.target)]);
      out.put(Message::lock);
      out.put(half);
      continue;
    }
    std::map<std::uint32_t, Nanoseconds> uses;
    each_use([&](std::uint32_t target, Nanoseconds leave) { uses[target] = leave; });
    half.uses = static_cast<std::uint32_t>(uses.size());
    for (Buffer& box : outgoing) {
      BufferWriter out(box);
      out.put(Message::lock);
      out.put(half);
      for (const auto& [target, last] : uses) {
        const auto proof = epoch.proofs.find(target);
        const bool is_proof = proof != epoch.proofs.end();
        out.put(Use{target, last, is_proof ? proof->second : 0, is_proof});
      }
    }
  }
}

/// Round 0 at the target. Targets without any exclusive lock are left out: shared epochs do not wait for each other.
void PassiveTarget::order_locks(const std::vector<Buffer>& incoming) {
  struct OnAll {
    Contender contender;
    std::map<std::uint32_t, Nanoseconds> uses;
    trace::LockProofs proofs;
  };
  std::map<std::pair<trace::WindowId, std::uint32_t>, std::vector<Contender>> locks;
  std::map<trace::WindowId, std::vector<OnAll>> on_all;
  std::vector<AskedRetry> questions;
  for (std::size_t source = 0; source < incoming.size(); ++source) {
    for (BufferReader in(incoming[source]); !in.empty();) {
      if (in.take<Message>() == Message::retry) {
        questions.push_back({source, in.take<RetryQuestion>()});
        continue;
      }
      auto half = in.take<LockHalf>();
      half.contender.source = static_cast<std::uint32_t>(source);
      if (half.target != no_id) {
        locks[{half.window, half.target}].push_back(half.contender);
        continue;
      }
      OnAll all{half.contender, {}, {}};
      for (; half.uses > 0; --half.uses) {
        const auto use = in.take<Use>();
        all.uses[use.target] = use.last;
        if (use.is_proof) all.proofs[use.target] = use.held;
      }
      on_all[half.window].push_back(std::move(all));
    }
  }
  answer_who_changed(halves_, questions, context_, answers_);
  std::vector<std::uint32_t> holders_sent(answers_.size());
  for (auto& [key, epochs] : locks) {
    if (std::none_of(epochs.begin(), epochs.end(), [](const Contender& c) { return c.exclusive; })) continue;
    const auto [window, target] = key;
    for (const OnAll& all : on_all[window]) {
      Contender contender = trace::lock_at_target(all.contender, target, all.proofs);
      if (const auto use = all.uses.find(target); use != all.uses.end()) contender.last_use = use->second;
      epochs.push_back(contender);
    }
    const std::vector<std::size_t> blockers = trace::order_locks(epochs);
    answer_blocked(target, epochs, blockers, holders_sent, answers_);
    std::vector<Contender>().swap(epochs);
  }
}

/// Round 1 at the origin. Of several targets that block one call the one released last counts.
void PassiveTarget::take_blocked(const std::vector<Buffer>& incoming) {
  for (const Buffer& buffer : incoming) {
    const auto first = static_cast<std::uint32_t>(earlier_.size());
    const auto in_list = [&](std::uint32_t place) { return place == no_id ? no_id : first + place; };
    for (BufferReader in(buffer); !in.empty();) {
      const auto message = in.take<Message>();
      if (message == Message::holder) {
        auto holder = in.take<EarlierHolder>();
        holder.before = in_list(holder.before);
        earlier_.push_back(holder);
        continue;
      }
      if (message == Message::retry) {
        const auto answer = in.take<RetryAnswer>();
        keep_latest(changers_[place_[answer.location]][answer.loop], answer.changer);
        continue;
      }
      const auto answer = in.take<BlockedAnswer>();
      const LocationHalves& halves = *halves_[place_[answer.location]];
      const LockEpoch& epoch = halves.epochs[answer.epoch];
      const std::uint32_t index = blocked_call(halves, epoch, answer.target, answer.by);
      if (index == no_id || halves.calls[index].is_broken || answer.by.holder == answer.location) continue;
      const Nanoseconds until = std::min(halves.calls[index].leave, answer.by.release);
      contentions_[place_[answer.location]].push_back(
          {index, until, answer.by, epoch.target == no_id, answer.earlier, in_list(answer.last_earlier)});
    }
  }
  for (SpillVector<Contention>& found : contentions_) keep_last_of_each_call(found);
}

// ---- progress --------------------------------------------------------------------------------------------

/// Round 2. What is left of each call after its contention, or all of a loop of tests, is asked of all its targets but
/// the rank itself.
void PassiveTarget::ask_for_progress(std::size_t l, std::vector<Buffer>& outgoing) const {
  const LocationHalves& halves = *halves_[l];
  auto contention = contentions_[l].begin();
  Nanoseconds from = 0, until = 0;
  for (std::uint32_t c = 0; c < halves.calls.size(); ++c) {
    const Call& call = halves.calls[c];
    const bool is_contended = contention != contentions_[l].end() && contention->call == c;
    if (!call.goes_on) from = call.enter, until = end_of(halves, c);
    if (is_contended) from = contention++->until;
    if (call.is_broken || call.targets == 0) continue;
    if (from >= until) continue;
    for (std::uint32_t t = 0; t < call.targets; ++t) {
      const std::uint32_t target = halves.targets[call.first_target + t];
      if (target == halves.rank) continue;
      BufferWriter(outgoing[partition_of(target)])
          .put(ProgressQuestion{halves.location, c, target, call.targets == 1, from, until});
    }
  }
}

/// Round 2 at the target: the first stretch in MPI of any of its threads. No answer if recording was off before, or if
/// a single target was inside MPI all the time.
void PassiveTarget::answer_progress(const std::vector<Buffer>& incoming) {
  std::map<std::uint32_t, std::vector<cube::LocationId>> threads;
  for (const auto& halves : halves_) threads[halves->rank].push_back(halves->location);
  std::vector<std::size_t> cursors(context_.definitions.locations.size(), 0);
  for (std::size_t source = 0; source < incoming.size(); ++source) {
    for (BufferReader in(incoming[source]); !in.empty();) {
      const auto question = in.take<ProgressQuestion>();
      const auto found = threads.find(question.target);
      if (found == threads.end()) continue;
      Entry best;
      cube::LocationId who = 0;
      bool certain = true;
      for (const cube::LocationId location : found->second) {
        const Timeline* timeline = context_.timelines[location].get();
        if (timeline == nullptr || timeline->size() == 0) continue;
        const Entry entry = enters_mpi(*timeline, question.from, question.until, cursors[location]);
        // Threads come later, but a process that has no record yet is unknown.
        const bool began = context_.definitions.locations[location].thread != 0 || timeline->begin(0) <= question.from;
        certain = certain && entry.is_certain && began;
        if (entry.begin >= best.begin) continue;
        best = entry;
        who = location;
      }
      const bool was_inside = best.begin <= question.from;
      if (best.begin > question.until || (was_inside ? question.alone : !certain)) continue;
      const Timeline& timeline = *context_.timelines[who];
      std::size_t last = best.segment;  // nested calls, and calls without time between them, are one stay
      while (last + 1 < timeline.size() && timeline.is_mpi(last + 1)) ++last;
      const Progress progress{best.begin, timeline.end(last), who, context_.path(who, timeline.node(best.segment))};
      BufferWriter(answers_[source]).put(ProgressAnswer{question.location, question.call, progress});
    }
  }
}

void PassiveTarget::take_progress(const std::vector<Buffer>& incoming) {
  std::vector<std::vector<ProgressAnswer>> answers(halves_.size());
  for (const Buffer& buffer : incoming) {
    for (BufferReader in(buffer); !in.empty();) {
      const auto answer = in.take<ProgressAnswer>();
      answers[place_[answer.location]].push_back(answer);
    }
  }
  for (std::size_t l = 0; l < halves_.size(); ++l) score(l, answers[l]);
}

/// Scores the contention of a call and its parts; returns its length.
Nanoseconds PassiveTarget::add_contention(const LocationHalves& halves, const Call& call,
                                          const Contention& contention) {
  static const cube::MetricId sync = metric_index(lock_contention_info.id);
  static const cube::MetricId sync_late = metric_index(late_unlock_info.id);
  static const cube::MetricId all = metric_index(lock_all_contention_info.id);
  static const cube::MetricId comm = metric_index(lock_contention_comm_info.id);
  static const cube::MetricId comm_late = metric_index(late_unlock_comm_info.id);
  const bool is_data = call.kind == CallKind::data;
  const Blocking& by = contention.by;
  Wait wait;
  wait.metric = is_data ? comm : sync;
  wait.location = halves.location;
  wait.call_path = context_.path(halves.location, call.node);
  wait.begin = call.enter;
  wait.amount = contention.until - call.enter;
  wait.cause = by.holder;
  wait.cause_call_path = by.unlock_path;
  // From the last holder back: each held the lock from the release of the one before it on.
  shares_.clear();
  Nanoseconds until = contention.until;
  EarlierHolder holder{by.release, by.unlock_enter, by.holder, by.unlock_path, contention.last_earlier};
  for (std::uint32_t i = 0; i <= contention.earlier && until > call.enter; ++i) {
    const bool is_first = i == contention.earlier;
    const EarlierHolder before = is_first ? EarlierHolder() : earlier_[holder.before];
    const Nanoseconds from = is_first ? call.enter : std::max(call.enter, before.release);
    if (from < until) {
      shares_.push_back({from, until - from, holder.holder, holder.unlock_path});
      context_.waits.sync_point(SyncPoint{halves.location, call.enter, holder.holder, holder.unlock_enter});
      until = from;
    }
    holder = before;
  }
  std::reverse(shares_.begin(), shares_.end());  // in time order
  context_.waits.add_shared(wait, shares_);
  const Nanoseconds waited = wait.amount;
  if (contention.lock_all) {
    if (!is_data) {
      wait.metric = all;
      context_.waits.add_shared(wait, shares_);
    }
    return waited;
  }
  wait.begin = std::max(call.enter, by.idle_from);
  wait.amount = std::min(contention.until, by.unlock_enter) - wait.begin;
  wait.metric = is_data ? comm_late : sync_late;
  if (wait.amount > 0) context_.waits.add(wait);
  return waited;
}

/// Round 3: all amounts of one location.
void PassiveTarget::score(std::size_t l, std::vector<ProgressAnswer>& answers) {
  static const cube::MetricId transfers = metric_index(rma_transfers_info.id);
  static const cube::MetricId bytes = metric_index(rma_bytes_info.id);
  static const cube::MetricId retries = metric_index(atomic_retries_info.id);
  static const cube::MetricId retry = metric_index(atomic_retry_info.id);
  static const cube::MetricId retry_sync = metric_index(atomic_retry_sync_info.id);
  static const cube::MetricId progress_metrics[] = {
      metric_index(wait_for_progress_info.id), metric_index(flush_wait_info.id),
      metric_index(wait_for_progress_comm_info.id), metric_index(request_completion_info.id)};  // by CallKind
  const LocationHalves& halves = *halves_[l];
  for (const auto& [node, count] : halves.transfers) {
    const cube::CallPathId path = context_.path(halves.location, node);
    context_.waits.count(transfers, path, halves.location, count.operations);
    context_.waits.count(bytes, path, halves.location, count.bytes);
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const ProgressAnswer& a, const ProgressAnswer& b) { return a.call < b.call; });
  std::uint32_t loop = 0;
  auto contention = contentions_[l].begin();
  auto answer = answers.begin();
  std::vector<Progress> progress;
  Nanoseconds from = 0, until = 0;
  for (std::uint32_t c = 0; c < halves.calls.size(); ++c) {
    const Call& call = halves.calls[c];
    progress.clear();
    for (; answer != answers.end() && answer->call == c; ++answer) progress.push_back(answer->progress);
    Nanoseconds waited = 0;
    if (!call.goes_on) from = call.enter, until = end_of(halves, c);
    if (contention != contentions_[l].end() && contention->call == c) {
      waited = add_contention(halves, call, *contention);
      from = contention++->until;
    }
    if (progress.empty() && !call.is_retry) continue;
    const cube::CallPathId path = context_.path(halves.location, call.node);
    for (const Gap& gap : progress_gaps(from, until, progress)) {
      const Nanoseconds begin = std::max(gap.begin, call.enter), end = std::min(gap.end, call.leave);
      if (begin >= end) continue;
      Wait wait;
      wait.metric = progress_metrics[static_cast<std::size_t>(call.kind)];
      wait.location = halves.location;
      wait.call_path = path;
      wait.begin = begin;
      wait.amount = end - begin;
      wait.cause = gap.by.location;
      wait.cause_call_path = gap.by.path;
      if (call.is_mixed) {
        context_.waits.add_part(wait, {call.enter, completes_transfer, call.account});
      } else {
        context_.waits.add(wait);
      }
      if (end == gap.end)
        context_.waits.sync_point(SyncPoint{halves.location, call.enter, gap.by.location, gap.by.begin});
      waited += wait.amount;
    }
    if (!call.is_retry || call.is_broken) continue;
    if (call.kind == CallKind::data) context_.waits.count(retries, path, halves.location, 1);
    if (waited >= call.leave - call.enter) continue;
    while (loop + 1 < halves.loops.size() && halves.loops[loop].last <= c) ++loop;
    Wait spin;
    if (const auto changer = changers_[l].find(loop); changer != changers_[l].end()) {
      spin.cause = changer->second.location;
      spin.cause_call_path = changer->second.path;
    }
    spin.metric = call.kind == CallKind::data ? retry : retry_sync;
    spin.location = halves.location;
    spin.call_path = path;
    spin.begin = call.enter + waited;  // waiting comes first in a call, whatever its order was
    spin.amount = call.leave - call.enter - waited;
    context_.waits.add(spin);
  }
  for (const auto& [at, changer] : changers_[l]) {  // its change was seen by the last attempt
    const Call& last = halves.calls[halves.loops[at].last];
    context_.waits.sync_point(SyncPoint{halves.location, last.enter, changer.location, changer.time});
  }
}

}  // namespace

}  // namespace passive

Domain passive_target_domain() {
  using trace::EventKind;
  Domain domain;
  domain.name = "passive target";
  for (const EventKind kind :
       {EventKind::lock_request, EventKind::lock_release, EventKind::flush, EventKind::put, EventKind::get,
        EventKind::atomic, EventKind::rma_complete, EventKind::recording_off, EventKind::group_sync}) {
    domain.kinds |= kind_bit(kind);
  }
  domain.needs_timelines = true;
  domain.rounds = 4;
  domain.concerns = [](const trace::Definitions& definitions) { return !definitions.windows.empty(); };
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<passive::PassiveTarget>(context);
  };
  return domain;
}

}  // namespace mora::analysis
