/// Domain of the non-blocking collectives (persistent ones too: their MPI_Start is the start).
///
/// Idea: round 0: every rank sends the begins of its starts to the partition where the n-th starts of all members of a
/// communicator become one operation (trace/links/member_blocks.h); each member gets to know which one it needed
/// (needed_member.h) and when that one started. Round 1: the answers go back, since only the owner knows what else its
/// completing call did: it charges the longest wait of each call, and adds up under-way time and overlap.
///
/// Source: Mora's rule nonblocking-collectives (the blocking rules with starts in place of begins). Cost: O(operations
/// x members); about 130 bytes per operation at its owner (spilled if memory is bounded), 48 on its way, 24 back.
/// Limits: an operation that lacks a member, or whose members disagree, gets no waiting and is counted; whether the
/// library made progress between start and completion is not known.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/core/partners.h"
#include "analysis/core/sequence_damage.h"
#include "analysis/efficiency/metrics/metrics.h"
#include "analysis/match/halves.h"
#include "analysis/patterns/domains.h"
#include "analysis/patterns/nonblocking/needed_member.h"
#include "analysis/patterns/nonblocking/operations.h"
#include "trace/links/member_blocks.h"
#include "trace/links/thread_order.h"

namespace mora::analysis {

namespace {

struct StartHalf {
  Nanoseconds begin = 0;
  Nanoseconds completing = 0;  ///< when the completing call, or its last stretch of tests, began
  Nanoseconds end = 0;         ///< leave of the completing call
  cube::CallPathId path = 0;
  cube::LocationId location = 0;
  std::uint32_t root = no_id;       ///< world rank
  std::uint32_t partners = no_id;   ///< place in the block's PartnerTable
  std::uint32_t operation = no_id;  ///< index at home
  cube::CallPathId end_path = 0;    ///< of the completing call
  std::uint8_t collective = 0;
  std::uint8_t flags = 0;    ///< CollectiveFlag; broken: the start
  bool is_complete = false;  ///< and nothing of the completing call is missing
};

struct Answer {
  Nanoseconds begin = 0;
  Nanoseconds completing_begin = 0;
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
  cube::LocationId completing = cube::no_id;
  cube::CallPathId completing_call_path = cube::no_id;
};

/// One member's.
struct StartBlock {
  trace::BlockHead head;
  const std::byte* halves = nullptr;
  std::vector<std::vector<std::uint32_t>> partners;
};

/// Computation before the beginning of each segment: any stretch in O(log segments).
class ComputationClock {
 public:
  explicit ComputationClock(const Timeline& timeline) : timeline_(timeline), before_(timeline.size()) {
    Nanoseconds sum = 0;
    for (std::size_t s = 0; s < timeline.size(); ++s) {
      before_[s] = sum;
      if (computes(s)) sum += timeline.end(s) - timeline.begin(s);
    }
    total_ = sum;
  }
  Nanoseconds between(Nanoseconds begin, Nanoseconds end) const { return until(end) - until(begin); }

 private:
  bool computes(std::size_t s) const { return !timeline_.is_nothing(s) && !timeline_.is_mpi(s); }
  Nanoseconds until(Nanoseconds time) const {
    const std::size_t s = timeline_.find(time);
    if (s == timeline_.size()) return total_;
    return before_[s] + (computes(s) ? std::max<Nanoseconds>(0, time - timeline_.begin(s)) : 0);
  }
  const Timeline& timeline_;
  std::vector<Nanoseconds> before_;
  Nanoseconds total_ = 0;
};

/// What a call waits for after all that its operations needed had started.
struct ProgressWait {
  Nanoseconds from = 0;  ///< the latest needed start, at least the begin of the call or its last stretch of tests
  Nanoseconds until = 0;
  Nanoseconds leave = 0;
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
  cube::CallPathId call_path = 0;
  bool may_wait = true;  ///< the call completed no message, and is a wait
  bool is_mixed = false;
};
/// Ascending by location and begin of the call or stretch.
using StretchKey = std::pair<cube::LocationId, Nanoseconds>;
using ProgressWaits = std::vector<std::pair<StretchKey, ProgressWait>>;

const ProgressWait* progress_wait_at(const ProgressWaits& waits, const StretchKey& where) {
  const auto at =
      std::lower_bound(waits.begin(), waits.end(), where, [](const auto& w, const auto& key) { return w.first < key; });
  return at == waits.end() || at->first != where ? nullptr : &at->second;
}

Nanoseconds last_stretch(const RankOperations& rank, const NonblockingOperation& operation) {
  Nanoseconds begin = operation.enter;
  rank.each_wait(operation, [&](const TimeInterval& in) { begin = in.begin; });
  return begin;
}

class NonblockingPartition : public DomainPartition {
 public:
  explicit NonblockingPartition(const DomainContext& context) : context_(context), answers_(context.partitions) {}

  std::unique_ptr<Collector> collector(cube::LocationId location) override {
    const std::uint32_t rank = context_.definitions.locations[location].rank;
    auto& operations = ranks_[rank];
    operations.rank = rank;
    return make_operation_collector(context_, location, operations);
  }

  void send(unsigned round, std::vector<Buffer>& outgoing) override {
    if (round == 0) {
      for (const auto& [rank, operations] : ranks_) send_starts(operations, outgoing);
    } else {
      outgoing = std::move(answers_);
    }
  }

  void receive(unsigned round, const std::vector<Buffer>& incoming) override {
    if (round == 0) {
      assemble(incoming);
      return;
    }
    for (const Buffer& buffer : incoming) {
      BufferReader in(buffer);
      while (!in.empty()) {
        const auto answer = in.take<Answer>();
        NonblockingOperation& operation = ranks_.at(answer.rank).operations[answer.operation];
        operation.needed_begin = answer.begin;
        operation.cause = answer.cause;
        operation.cause_call_path = answer.cause_call_path;
        operation.completing_begin = answer.completing_begin;
        operation.completing = answer.completing;
        operation.completing_call_path = answer.completing_call_path;
      }
    }
    for (const auto& [rank, operations] : ranks_) {
      add_times(operations);
      const ProgressWaits progress = progress_waits(operations);
      add_waits(operations, progress);
      add_progress_waits(progress);
    }
  }

 private:
  void send_starts(const RankOperations& rank, std::vector<Buffer>& outgoing);
  void assemble(const std::vector<Buffer>& incoming);
  void score(const trace::MemberBlocks<StartBlock>& blocks, SequenceDamage& damage);
  void add_times(const RankOperations& rank);
  ProgressWaits progress_waits(const RankOperations& rank) const;
  void add_progress_waits(const ProgressWaits& waits);
  void add_waits(const RankOperations& rank, const ProgressWaits& progress);

  const DomainContext& context_;
  std::map<std::uint32_t, RankOperations> ranks_;
  std::vector<Buffer> answers_;
};

/// Round 0: the starts of a rank, numbered per communicator, in blocks.
void NonblockingPartition::send_starts(const RankOperations& rank, std::vector<Buffer>& outgoing) {
  const trace::Definitions& definitions = context_.definitions;
  std::map<SequenceKey, std::vector<std::uint32_t>> sequences;
  for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
    const NonblockingOperation& operation = rank.operations[i];
    if (operation.comm == no_id || definitions.communicators[operation.comm].self) continue;
    sequences[{SequenceKind::nonblocking, operation.comm, no_id, no_id, 0, operation.stretch}].push_back(i);
  }
  for (auto& [key, of_key] : sequences) {
    std::vector<std::uint32_t>& order = of_key;  // lambdas cannot capture a structured binding before clang 16
    trace::order_threads(
        order.begin(), order.end(), [&](std::uint32_t i) { return rank.operations[i].location; },
        [&](std::uint32_t i) { return rank.operations[i].start_enter; });
    trace::BlockHead whole;
    whole.sequence = key;
    whole.rank = rank.rank;
    whole.of = static_cast<std::uint32_t>(order.size());
    const trace::Communicator& communicator = definitions.communicators[key.a];
    trace::each_block(whole, [&](const trace::BlockHead& head, std::uint32_t begin, std::uint32_t end) {
      BufferWriter out(outgoing[head.partition(outgoing.size())]);
      out.put(head);
      PartnerTable partners;
      for (std::uint32_t n = begin; n < end; ++n) {
        const NonblockingOperation& operation = rank.operations[order[n]];
        StartHalf half;
        half.begin = operation.start_enter;
        half.path = context_.path(operation.location, operation.start_node);
        half.location = operation.location;
        half.root = operation.root;
        half.operation = order[n];
        half.collective = static_cast<std::uint8_t>(operation.collective);
        half.flags = static_cast<std::uint8_t>((operation.sends ? collective_sends : 0) |
                                               (operation.receives ? collective_receives : 0) |
                                               (operation.start_is_broken ? collective_is_broken : 0));
        half.is_complete = operation.is_complete && !operation.completion_is_broken;
        if (operation.is_complete) {
          half.completing = last_stretch(rank, operation);
          half.end = operation.leave;
          half.end_path = context_.path(operation.location, operation.node);
        }
        if (has_partners(operation.collective) && context_.source != nullptr) {
          half.partners = partners.place_of(*context_.source, operation.location, operation.vector,
                                            operation.collective, communicator, rank.rank);
        }
        out.put(half);
      }
      partners.write(out);
    });
  }
}

/// Round 0, where the members of a block come together.
void NonblockingPartition::assemble(const std::vector<Buffer>& incoming) {
  trace::MetBlocks<StartBlock> met;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      StartBlock block;
      block.head = in.take<trace::BlockHead>();
      block.halves = in.skip(block.head.count * sizeof(StartHalf));
      block.partners = PartnerTable::read(in);
      met.add(std::move(block));
    }
  }
  met.each(context_.definitions, [&](const trace::MemberBlocks<StartBlock>& blocks) {
    SequenceDamage damage;
    if (blocks.are_torn()) {
      damage.across_gap = blocks.begun();
    } else {
      damage.incomplete = blocks.begun() - blocks.complete();
      score(blocks, damage);
    }
    const std::string name = "communicator " + std::to_string(blocks.sequence().a) + ", non-blocking";
    report(name, "communicator", damage, context_.quality);
  });
}

/// Whom each member of each operation needed; potential synchronisation by starts, time variation by ends.
void NonblockingPartition::score(const trace::MemberBlocks<StartBlock>& blocks, SequenceDamage& damage) {
  std::vector<StartHalf> halves(blocks.members());
  std::vector<Member> instance_members(blocks.members());
  std::vector<Member> ends(blocks.members());
  std::vector<const std::vector<std::uint32_t>*> partners(blocks.members());
  for (std::uint32_t n = 0; n < blocks.complete() && blocks.members() > 1; ++n) {
    std::uint32_t root = no_id;
    trace::MemberCall agreement;
    for (std::size_t i = 0; i < blocks.members(); ++i) {
      const StartBlock& block = *blocks.of(i);
      const StartHalf half = halves[i] = element<StartHalf>(block.halves, n);
      agreement.agree(trace::MemberCall(half.collective, half.root));
      if (half.root != no_id) root = half.root;
      instance_members[i].begin = half.begin;
      instance_members[i].location = half.location;
      instance_members[i].call_path = half.path;
      instance_members[i].sends = (half.flags & collective_sends) != 0;
      instance_members[i].receives = (half.flags & collective_receives) != 0;
      instance_members[i].broken = (half.flags & collective_is_broken) != 0;
      ends[i].begin = half.completing;
      ends[i].end = half.end;
      ends[i].location = half.location;
      ends[i].call_path = half.end_path;
      ends[i].broken = !half.is_complete;
      partners[i] = half.partners == no_id ? nullptr : &block.partners[half.partners];
    }
    if (!agreement.holds()) {
      ++damage.mismatched;
      continue;
    }
    add_potential_synchronization(instance_members, context_.waits);
    add_time_variation(ends, context_.waits);
    const auto operation = static_cast<trace::Collective>(halves[0].collective);
    CollectiveInstance instance{instance_members, no_member, partners};
    if (const std::size_t place = blocks.member(root); place < blocks.members()) instance.root = place;
    const std::vector<std::size_t> needed = needed_members(operation, instance);
    const std::vector<std::size_t> completing = last_to_complete(operation, instance, ends);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const bool has_progress = completing[i] != no_member && completing[i] != i;
      if (needed[i] == no_member && !has_progress) continue;
      Answer answer{.rank = blocks.ranks()[i], .operation = halves[i].operation};
      if (needed[i] != no_member) {
        const Member& cause = instance_members[needed[i]];
        answer.begin = cause.begin;
        answer.cause = cause.location;
        answer.cause_call_path = cause.call_path;
      }
      if (has_progress) {
        const Member& last = ends[completing[i]];
        answer.completing_begin = last.begin;
        answer.completing = last.location;
        answer.completing_call_path = last.call_path;
      }
      BufferWriter(answers_[context_.partition_of_rank[blocks.ranks()[i]]]).put(answer);
    }
  }
}

/// Under-way time and overlap of each operation, at the call path of its start.
void NonblockingPartition::add_times(const RankOperations& rank) {
  static const cube::MetricId under_way = metric_index(nonblocking_collective_time_info.id);
  static const cube::MetricId overlap = metric_index(nonblocking_collective_overlap_info.id);
  std::map<cube::LocationId, ComputationClock> clocks;
  for (const NonblockingOperation& operation : rank.operations) {
    if (!operation.is_complete || operation.enter <= operation.start_leave) continue;
    const cube::CallPathId path = context_.path(operation.location, operation.start_node);
    context_.waits.count(under_way, path, operation.location, operation.enter - operation.start_leave);
    if (context_.timelines[operation.location] == nullptr) continue;
    const ComputationClock& clock =
        clocks.try_emplace(operation.location, *context_.timelines[operation.location]).first->second;
    context_.waits.count(overlap, path, operation.location, clock.between(operation.start_leave, operation.enter));
  }
}

/// Round 1: of each completing call the latest of what its operations needed.
ProgressWaits NonblockingPartition::progress_waits(const RankOperations& rank) const {
  std::vector<std::pair<StretchKey, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
    const NonblockingOperation& operation = rank.operations[i];
    if (operation.is_complete) order.push_back({{operation.location, last_stretch(rank, operation)}, i});
  }
  if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
  ProgressWaits waits;
  for (const auto& [where, i] : order) {
    const NonblockingOperation& operation = rank.operations[i];
    const Nanoseconds begin = where.second;
    if (waits.empty() || waits.back().first != where) waits.push_back({where, ProgressWait{}});
    ProgressWait& wait = waits.back().second;
    wait.from = std::max({wait.from, begin, operation.cause == cube::no_id ? begin : operation.needed_begin});
    wait.leave = operation.leave;
    wait.call_path = context_.path(operation.location, operation.node);
    wait.may_wait = wait.may_wait && operation.may_wait && operation.account == completes_collective;
    wait.is_mixed = operation.is_mixed;
    const auto is_later = [&] {
      return std::tie(operation.completing_begin, wait.cause, wait.cause_call_path) >
             std::tie(wait.until, operation.completing, operation.completing_call_path);
    };
    if (operation.completing == cube::no_id || (wait.cause != cube::no_id && !is_later())) continue;
    wait.until = operation.completing_begin;
    wait.cause = operation.completing;
    wait.cause_call_path = operation.completing_call_path;
  }
  std::erase_if(waits, [](const auto& entry) {
    const ProgressWait& wait = entry.second;
    return !wait.may_wait || wait.cause == cube::no_id || wait.until <= wait.from ||
           wait.leave - wait.until > wait.until - wait.from;
  });
  return waits;
}

void NonblockingPartition::add_progress_waits(const ProgressWaits& waits) {
  static const cube::MetricId metric = metric_index(nonblocking_progress_info.id);
  for (const auto& [where, wait] : waits) {
    const Wait found{metric,     where.first,         wait.call_path, wait.from, wait.until - wait.from,
                     wait.cause, wait.cause_call_path};
    if (wait.is_mixed) {
      context_.waits.add_part(found, {where.second, completes_collective, completes_collective});
    } else {
      context_.waits.add(found);
    }
    context_.waits.sync_point(SyncPoint{where.first, wait.from, wait.cause, wait.until});
  }
}

/// One wait per completing call, the longest of its operations. Where a call waits for progress of the same rank
/// afterwards, the two meet there, and not before: what that rank did until then explains all of the waiting.
void NonblockingPartition::add_waits(const RankOperations& rank, const ProgressWaits& progress) {
  static const cube::MetricId whole = metric_index(nonblocking_collective_wait_info.id);
  struct Candidate {
    Wait wait;
    Nanoseconds needed_begin = 0;
    bool is_mixed = false;
    CompletionKind account = completes_collective;
  };
  std::vector<Candidate> candidates;
  for (const NonblockingOperation& operation : rank.operations) {
    if (!operation.is_complete || operation.cause == cube::no_id) continue;
    Nanoseconds met = operation.enter;
    if (operation.needed_begin > operation.leave) context_.waits.clock_violation(operation.location);
    const cube::MetricId kind = metric_index(nonblocking_wait_of(operation.collective)->id);
    rank.each_wait(operation, [&](const TimeInterval& in) {
      if (in.begin <= operation.needed_begin && operation.needed_begin <= in.end) met = in.begin;
      const Nanoseconds amount = std::min(operation.needed_begin, in.end) - in.begin;
      if (!operation.may_wait || amount <= 0) return;
      candidates.push_back(Candidate{Wait{kind, operation.location, context_.path(operation.location, operation.node),
                                          in.begin, amount, operation.cause, operation.cause_call_path},
                                     operation.needed_begin, operation.is_mixed, operation.account});
    });
    const ProgressWait* later =
        progress.empty() ? nullptr : progress_wait_at(progress, {operation.location, last_stretch(rank, operation)});
    if (later != nullptr && later->cause == operation.cause) continue;
    context_.waits.sync_point(SyncPoint{operation.location, met, operation.cause, operation.needed_begin});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    const auto order = [](const Candidate& c) {
      return std::make_tuple(c.wait.location, c.wait.begin, -c.wait.amount, c.wait.metric, c.wait.cause, c.needed_begin,
                             c.wait.cause_call_path);
    };
    return order(a) < order(b);
  });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_first = i == 0 || candidates[i].wait.begin != candidates[i - 1].wait.begin ||
                          candidates[i].wait.location != candidates[i - 1].wait.location;
    if (!is_first) continue;
    Wait wait = candidates[i].wait;
    for (const cube::MetricId metric : {wait.metric, whole}) {
      wait.metric = metric;
      if (candidates[i].is_mixed) {
        context_.waits.add_part(wait, {wait.begin, completes_collective, candidates[i].account});
      } else {
        context_.waits.add(wait);
      }
    }
  }
}

bool concerns(const trace::Definitions& definitions) {
  for (const trace::Region& region : definitions.regions) {
    const trace::CallClass call = trace::call_class(region);
    if (call == trace::CallClass::collective_start || call == trace::CallClass::collective_setup) return true;
  }
  return false;
}

}  // namespace

Domain nonblocking_domain() {
  using enum trace::EventKind;
  Domain domain;
  domain.name = "non-blocking collectives";
  domain.kinds =
      kind_bit(collective_request) | kind_bit(collective_complete) | kind_bit(recording_off) | kind_bit(recording_on);
  domain.needs_timelines = true;
  domain.rounds = 2;
  domain.concerns = concerns;
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<NonblockingPartition>(context);
  };
  return domain;
}

}  // namespace mora::analysis
