/// OpenSHMEM: round 0 brings the n-th collective calls of all members together (member_sequences.h), round 1 all
/// holders of a lock (threads/lock_chain.h). The formulas are MPI's (Mora's rule collective-files-and-shmem). Cost: O(n
/// log n) for n calls, 64 bytes each. Limit: the members of an active set are known only if the call's record names a
/// window.
#include "analysis/patterns/domains.h"

#include <algorithm>
#include <map>

#include "analysis/metrics/library_regions.h"
#include "analysis/patterns/member_sequences.h"
#include "analysis/patterns/pattern.h"
#include "analysis/patterns/threads/lock_chain.h"
#include "trace/links/recording_gaps.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t unknown = 0xFFFFFFFF;
using trace::SequenceKind;

struct LocalHold {
  std::uint64_t lock = 0;
  LockHold hold;  ///< call paths are nodes until they are sent
};

class ShmemPartition : public DomainPartition {
 public:
  explicit ShmemPartition(const DomainContext& context) : context_(context) {
    for (const trace::Region& region : context.definitions.regions) operations_.push_back(shmem_operation(region));
  }

  std::unique_ptr<Collector> collector(cube::LocationId location) override;
  void send(unsigned round, std::vector<Buffer>& outgoing) override;
  void receive(unsigned round, const std::vector<Buffer>& incoming) override;

  ShmemOperation operation(const OpenCall& call) const {
    return call.region < operations_.size() ? operations_[call.region] : ShmemOperation{};
  }
  const DomainContext& context() const { return context_; }
  MemberSequences& sequences() { return sequences_; }
  std::vector<LocalHold>& holds() { return holds_; }
  /// A call of which it is not known who took part.
  void add_alone(const MemberHalf& half) { alone_.push_back(half); }

 private:
  void score(ShmemCall call, const CollectiveInstance& instance);
  /// How much of a call whose members are not all there is waiting is not known. `path`: of the whole trace.
  void leave_out(const MemberHalf& half, cube::CallPathId path) {
    static const cube::MetricId metric = metric_index("unknown-wait");
    if (!half.broken) context_.waits.count(metric, path, half.location, half.end - half.begin);
  }

  const DomainContext& context_;
  std::vector<ShmemOperation> operations_;  ///< by region
  MemberSequences sequences_;
  std::vector<LocalHold> holds_;
  std::vector<MemberHalf> alone_;
};

class ShmemCollector : public Collector {
 public:
  ShmemCollector(ShmemPartition& partition, cube::LocationId location) : partition_(partition), location_(location) {}

  void on_event(const trace::Event& event, const OpenCall& call) override;
  void on_leave(const OpenCall& call, Nanoseconds leave) override;
  void finish(Nanoseconds last) override;

 private:
  ShmemPartition& partition_;
  cube::LocationId location_;
  trace::Event record_;  ///< of the collective call with number record_call_
  std::uint64_t record_call_ = UINT64_MAX;
  std::map<std::uint64_t, std::size_t> held_;  ///< index of the partition's holds
  trace::RecordingGaps gaps_;
  std::uint64_t unknown_sets_ = 0;
};

void ShmemCollector::on_event(const trace::Event& event, const OpenCall& call) {
  using enum trace::EventKind;
  if (event.kind == recording_off) gaps_.off();
  if (event.kind == recording_on) gaps_.on();
  const ShmemCall what = partition_.operation(call).call;
  if (what == ShmemCall::none) return;
  if (event.kind == rma_collective_end) {
    record_ = event;
    record_call_ = call.number;
  } else if (event.kind == acquire) {
    LocalHold local;
    local.lock = event.request;
    local.hold.enter = call.enter;
    local.hold.acquired = event.time;
    local.hold.location = location_;
    local.hold.call_path = local.hold.release_call_path = call.node;
    local.hold.metric = what == ShmemCall::set_lock ? 0 : cube::no_id;
    local.hold.broken = call.is_broken;
    held_[event.request] = partition_.holds().size();
    partition_.holds().push_back(local);
  } else if (event.kind == release) {
    const auto held = held_.find(event.request);
    if (held == held_.end()) return;
    LockHold& hold = partition_.holds()[held->second].hold;
    hold.released = event.time;
    hold.release_call_path = call.node;
    held_.erase(held);
  }
}

/// A collective call ends: by which sequence its members find each other, and what its record says of it.
void ShmemCollector::on_leave(const OpenCall& call, Nanoseconds leave) {
  const ShmemOperation operation = partition_.operation(call);
  if (operation.call == ShmemCall::none || operation.call >= ShmemCall::set_lock) return;
  const bool has_record = call.number == record_call_;
  MemberHalf half;
  half.begin = has_record ? call.begin : call.enter;
  half.end = has_record ? record_.time : leave;
  half.location = location_;
  half.node = call.node;
  half.broken = call.is_broken;
  half.sequence.stretch = gaps_.stretch();
  if (operation.call == ShmemCall::init || operation.call == ShmemCall::finalize) {
    half.sequence.kind = operation.call == ShmemCall::init ? SequenceKind::init : SequenceKind::finalize;
  } else if (operation.is_all) {
    half.sequence.kind = SequenceKind::everyone;
  } else if (has_record && record_.window != unknown) {
    half.sequence.kind = SequenceKind::window;
    half.sequence.a = record_.window;
  } else {
    ++unknown_sets_;
    partition_.add_alone(half);
    return;
  }
  half.rank = partition_.context().definitions.locations[location_].rank;
  half.operation = static_cast<std::uint32_t>(operation.call);
  if (has_record) {
    half.root = record_.root;
    half.sends = record_.bytes != 0;
    half.receives = record_.received != 0;
  }
  partition_.sequences().add(half);
}

void ShmemCollector::finish(Nanoseconds) {
  if (unknown_sets_ == 0) return;
  const DomainContext& context = partition_.context();
  context.quality.add("unknown-active-set", Severity::warning, context.definitions.locations[location_].name,
                      unknown_sets_,
                      "it is not known which processes took part in OpenSHMEM operations; their waiting is not known",
                      "record with Score-P, which names the set in the operation's record");
}

std::unique_ptr<Collector> ShmemPartition::collector(cube::LocationId location) {
  return std::make_unique<ShmemCollector>(*this, location);
}

void ShmemPartition::send(unsigned round, std::vector<Buffer>& outgoing) {
  static const cube::MetricId contention = metric_index("shmem-lock-contention");
  if (round == 0) {
    sequences_.send(context_, outgoing);
    for (const MemberHalf& half : alone_) leave_out(half, context_.path(half.location, half.node));
    alone_ = {};
    return;
  }
  for (LocalHold& local : holds_) {
    LockHold& hold = local.hold;
    hold.call_path = context_.path(hold.location, hold.call_path);
    hold.release_call_path = context_.path(hold.location, hold.release_call_path);
    if (hold.metric != cube::no_id) hold.metric = contention;
    BufferWriter(outgoing[local.lock % outgoing.size()]).put(local);
  }
  holds_ = {};
}

void ShmemPartition::receive(unsigned round, const std::vector<Buffer>& incoming) {
  if (round == 0) {
    MemberSequences::receive(
        incoming, context_,
        [](const trace::SequenceKey& s) {
          return s.kind == SequenceKind::window     ? "window " + std::to_string(s.a)
                 : s.kind == SequenceKind::init     ? "shmem_init"
                 : s.kind == SequenceKind::finalize ? "shmem_finalize"
                                                    : "all processes";
        },
        [&](std::uint32_t operation, const CollectiveInstance& instance) {
          score(static_cast<ShmemCall>(operation), instance);
        },
        [&](const MemberHalf& half) { leave_out(half, half.node); });
    return;
  }
  std::map<std::uint64_t, std::vector<LockHold>> chains;
  for (const Buffer& buffer : incoming) {
    for (BufferReader in(buffer); !in.empty();) {
      const auto local = in.take<LocalHold>();
      chains[local.lock].push_back(local.hold);
    }
  }
  for (auto& [lock, holds] : chains) {
    std::uint64_t unreleased = 0;
    score_lock_chain(holds, context_.waits, unreleased);
    if (unreleased == 0) continue;
    context_.quality.add("unreleased-lock", Severity::warning, "lock " + std::to_string(lock), unreleased,
                         "a lock was taken that its holder never released, by the trace",
                         "records of a process are missing: record again");
  }
}

/// The formulas of MPI's collectives by kind of call.
void ShmemPartition::score(ShmemCall call, const CollectiveInstance& instance) {
  static const cube::MetricId init = metric_index("shmem-wait-at-init");
  static const cube::MetricId finalize = metric_index("shmem-wait-at-finalize");
  static const cube::MetricId barrier = metric_index("shmem-wait-at-barrier");
  static const cube::MetricId broadcast = metric_index("shmem-late-broadcast");
  static const cube::MetricId n_to_n = metric_index("shmem-wait-at-nxn");
  WaitSink& sink = context_.waits;
  /// All members that `who` accepts wait for `cause`.
  const auto wait_for = [&](cube::MetricId metric, const Member& cause, const auto& who) {
    for (const Member& m : instance.members) {
      if (&m == &cause || !who(m)) continue;
      if (cause.begin > m.end) sink.clock_violation(m.location);
      add_wait_until(metric, m, cause.begin, cause, sink);
    }
  };
  const auto everyone = [](const Member&) { return true; };
  const auto takes_part = [](const Member& m) { return m.sends || m.receives; };
  switch (call) {
    case ShmemCall::init:
    case ShmemCall::finalize:
    case ShmemCall::barrier:
      wait_for(call == ShmemCall::init       ? init
               : call == ShmemCall::finalize ? finalize
                                             : barrier,
               instance.members[latest(instance.members, everyone)], everyone);
      break;
    case ShmemCall::broadcast:
      if (instance.root == no_member || !instance.members[instance.root].sends) return;
      wait_for(broadcast, instance.members[instance.root], [](const Member& m) { return m.receives; });
      break;
    case ShmemCall::n_to_n: {
      const std::size_t last_sender = latest(instance.members, [](const Member& m) { return m.sends; });
      if (last_sender == no_member) return;
      if (overlaps_fully(instance.members, takes_part)) {
        wait_for(n_to_n, instance.members[latest(instance.members, takes_part)], takes_part);
      } else {
        wait_for(n_to_n, instance.members[last_sender], [](const Member& m) { return m.receives; });
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace

Domain shmem_domain() {
  using enum trace::EventKind;
  Domain domain;
  domain.name = "shmem";
  domain.kinds = kind_bit(rma_collective_end) | kind_bit(acquire) | kind_bit(release) | kind_bit(recording_off) |
                 kind_bit(recording_on);
  domain.all_leaves = true;
  domain.rounds = 2;
  domain.concerns = [](const trace::Definitions& definitions) {
    return std::any_of(definitions.regions.begin(), definitions.regions.end(),
                       [](const trace::Region& region) { return is_shmem(classify_library_region(region).account); });
  };
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<ShmemPartition>(context);
  };
  return domain;
}

}  // namespace mora::analysis
