/// Domain of the non-blocking collectives (persistent ones too: their MPI_Start is the start).
///
/// Idea: round 0: every rank sends the begins of its starts, in blocks of 1024 consecutive operations of a
/// communicator, to the partition where they come together. There the n-th starts of all members are one operation;
/// each member gets to know which one it needed (needed_member.h) and when that one started. Round 1: the answers go
/// back, since only the owner knows what else its completing call did: it charges the longest wait of each call, and
/// adds up under-way time and overlap.
///
/// Source: Mora's rule nonblocking-collectives (the blocking rules with starts in place of begins). Cost: O(operations
/// x members); about 130 bytes per operation at its owner (spilled if memory is bounded), 48 on its way, 24 back.
/// Limits: an operation that lacks a member, or whose members disagree, gets no waiting and is counted; whether the
/// library made progress between start and completion is not known.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/efficiency/metrics.h"
#include "analysis/engine/collectives.h"
#include "analysis/engine/partners.h"
#include "analysis/patterns/nonblocking/domain.h"
#include "analysis/patterns/nonblocking/needed_member.h"
#include "analysis/patterns/nonblocking/operations.h"
#include "trace/links/joined_sequences.h"
#include "trace/links/thread_order.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t members_per_block = 1024;

struct CollectiveBlockHead {
  std::uint32_t comm = 0;
  std::uint32_t stretch = 0;
  std::uint32_t block = 0;
  std::uint32_t rank = 0;
  std::uint32_t count = 0;
  std::uint32_t of = 0;  ///< operations of the rank in the whole sequence
};

struct StartHalf {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;  ///< leave of the completing call
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
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;
  cube::LocationId cause = 0;
  cube::CallPathId cause_call_path = 0;
};

struct MemberBlock {
  CollectiveBlockHead head;
  const std::byte* halves = nullptr;
  std::vector<std::vector<std::uint32_t>> partners;
};

struct Damage {
  std::uint64_t incomplete = 0;
  std::uint64_t mismatched = 0;
  std::uint64_t across_gap = 0;
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
      }
    }
    for (const auto& [rank, operations] : ranks_) {
      add_times(operations);
      add_waits(operations);
    }
  }

 private:
  void send_starts(const RankOperations& rank, std::vector<Buffer>& outgoing);
  void assemble(const std::vector<Buffer>& incoming);
  void score(const std::vector<MemberBlock>& blocks, const std::vector<std::uint32_t>& members, Damage& damage);
  void add_times(const RankOperations& rank);
  void add_waits(const RankOperations& rank);

  const DomainContext& context_;
  std::map<std::uint32_t, RankOperations> ranks_;
  std::vector<Buffer> answers_;
};

/// Round 0: the starts of a rank, numbered per communicator, in blocks.
void NonblockingPartition::send_starts(const RankOperations& rank, std::vector<Buffer>& outgoing) {
  const trace::Definitions& definitions = context_.definitions;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> sequences;
  for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
    const NonblockingOperation& operation = rank.operations[i];
    if (operation.comm == no_id || definitions.communicators[operation.comm].self) continue;
    sequences[{operation.comm, operation.stretch}].push_back(i);
  }
  for (auto& [key, order] : sequences) {
    trace::order_threads(
        order.begin(), order.end(), [&](std::uint32_t i) { return rank.operations[i].location; },
        [&](std::uint32_t i) { return rank.operations[i].start_enter; });
    const auto of = static_cast<std::uint32_t>(order.size());
    for (std::uint32_t begin = 0; begin < of; begin += members_per_block) {
      const std::uint32_t block = begin / members_per_block;
      const std::uint32_t end = std::min(begin + members_per_block, of);
      BufferWriter out(outgoing[(key.first * 7U + key.second * 3U + block) % outgoing.size()]);
      out.put(CollectiveBlockHead{key.first, key.second, block, rank.rank, end - begin, of});
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
          half.end = operation.leave;
          half.end_path = context_.path(operation.location, operation.node);
        }
        if (has_partners(operation.collective) && context_.source != nullptr) {
          half.partners = partners.place_of(*context_.source, operation.location, operation.vector,
                                            operation.collective, definitions.communicators[key.first], rank.rank);
        }
        out.put(half);
      }
      partners.write(out);
    }
  }
}

/// Round 0, where the members of a block come together.
void NonblockingPartition::assemble(const std::vector<Buffer>& incoming) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<MemberBlock>> assemblies;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      MemberBlock block;
      block.head = in.take<CollectiveBlockHead>();
      block.halves = in.skip(block.head.count * sizeof(StartHalf));
      block.partners = PartnerTable::read(in);
      assemblies[{block.head.comm, block.head.stretch, block.head.block}].push_back(std::move(block));
    }
  }
  for (auto& [where, blocks] : assemblies) {
    SequenceKey key;
    key.a = std::get<0>(where);
    const std::vector<std::uint32_t> members = trace::members_of(key, context_.definitions);
    Damage damage;
    std::uint32_t most = 0;
    bool counts_agree = blocks.size() == members.size();
    for (const MemberBlock& block : blocks) {
      most = std::max(most, block.head.count);
      counts_agree = counts_agree && block.head.of == blocks.front().head.of;
    }
    if (std::get<1>(where) != 0 && !counts_agree) {
      damage.across_gap += most;
    } else {
      std::vector<MemberBlock> by_member(members.size());
      std::unordered_map<std::uint32_t, std::size_t> member_of_rank;
      for (std::size_t i = 0; i < members.size(); ++i) member_of_rank.emplace(members[i], i);
      for (MemberBlock& block : blocks) {
        const auto place = member_of_rank.find(block.head.rank);
        if (place != member_of_rank.end()) by_member[place->second] = std::move(block);
      }
      score(by_member, members, damage);
      std::uint32_t least = most;
      for (const MemberBlock& block : by_member) least = std::min(least, block.head.count);
      damage.incomplete = most - least;
    }
    const std::string name = "communicator " + std::to_string(key.a) + ", non-blocking";
    const auto count = [&](const char* kind, std::uint64_t n, const char* what, const char* remedy) {
      if (n != 0) context_.quality.add(kind, Severity::warning, name, n, what, remedy);
    };
    count("incomplete-collective", damage.incomplete,
          "a collective operation lacks records of some members; no waiting was computed for it",
          "normal at the end of a killed job; otherwise some rank's records are missing: record again");
    count("mismatched-collective", damage.mismatched,
          "members of a communicator called different collective operations, or named different roots; no waiting was "
          "computed",
          "the program is wrong, or records of a rank are missing");
    count(
        "collective-across-gap", damage.across_gap,
        "collective operations after a stretch without recording could not be put together safely; they were left out",
        "switch recording off and on at the same place on all ranks");
  }
}

/// Whom each member of each operation needed; potential synchronisation by starts, time variation by ends.
void NonblockingPartition::score(const std::vector<MemberBlock>& blocks, const std::vector<std::uint32_t>& members,
                                 Damage& damage) {
  std::uint32_t complete = UINT32_MAX;
  for (const MemberBlock& block : blocks) complete = std::min(complete, block.head.count);
  std::vector<StartHalf> halves(blocks.size());
  std::vector<Member> instance_members(blocks.size());
  std::vector<Member> ends(blocks.size());
  std::vector<const std::vector<std::uint32_t>*> partners(blocks.size());
  for (std::uint32_t n = 0; n < complete && blocks.size() > 1; ++n) {
    std::uint32_t root = no_id;
    trace::MemberCall agreement;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const StartHalf half = halves[i] = element<StartHalf>(blocks[i].halves, n);
      agreement.agree(trace::MemberCall(half.collective, half.root));
      if (half.root != no_id) root = half.root;
      instance_members[i].begin = half.begin;
      instance_members[i].location = half.location;
      instance_members[i].call_path = half.path;
      instance_members[i].sends = (half.flags & collective_sends) != 0;
      instance_members[i].receives = (half.flags & collective_receives) != 0;
      instance_members[i].broken = (half.flags & collective_is_broken) != 0;
      ends[i].end = half.end;
      ends[i].location = half.location;
      ends[i].call_path = half.end_path;
      ends[i].broken = !half.is_complete;
      partners[i] = half.partners == no_id ? nullptr : &blocks[i].partners[half.partners];
    }
    if (!agreement.holds()) {
      ++damage.mismatched;
      continue;
    }
    add_potential_synchronization(instance_members, context_.waits);
    add_time_variation(ends, context_.waits);
    const auto operation = static_cast<trace::Collective>(halves[0].collective);
    CollectiveInstance instance{instance_members, no_member, partners};
    const auto place = std::find(members.begin(), members.end(), root);
    if (place != members.end()) instance.root = static_cast<std::size_t>(place - members.begin());
    const std::vector<std::size_t> needed = needed_members(operation, instance);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i] == no_member) continue;
      const Member& cause = instance_members[needed[i]];
      const std::uint32_t home = context_.partition_of_rank[members[i]];
      BufferWriter(answers_[home])
          .put(Answer{cause.begin, members[i], halves[i].operation, cause.location, cause.call_path});
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

/// Round 1: one wait per completing call, the longest of its operations.
void NonblockingPartition::add_waits(const RankOperations& rank) {
  static const cube::MetricId whole = metric_index(nonblocking_collective_wait_info.id);
  struct Candidate {
    Wait wait;
    std::uint64_t call = 0;
    Nanoseconds needed_begin = 0;
  };
  std::vector<Candidate> candidates;
  std::uint64_t with_message = 0;
  for (const NonblockingOperation& operation : rank.operations) {
    if (!operation.is_complete || operation.cause == cube::no_id) continue;
    context_.waits.sync_point(SyncPoint{operation.location, operation.enter, operation.cause, operation.needed_begin});
    if (operation.needed_begin > operation.leave) context_.waits.clock_violation(operation.location);
    const Nanoseconds amount = std::min(operation.needed_begin, operation.leave) - operation.enter;
    if (!operation.may_wait || amount <= 0) continue;
    if (operation.with_message) {
      ++with_message;
      continue;
    }
    const cube::MetricId kind = metric_index(nonblocking_wait_of(operation.collective)->id);
    candidates.push_back(Candidate{Wait{kind, operation.location, context_.path(operation.location, operation.node),
                                        operation.enter, amount, operation.cause, operation.cause_call_path},
                                   operation.call, operation.needed_begin});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    const auto order = [](const Candidate& c) {
      return std::make_tuple(c.wait.location, c.call, -c.wait.amount, c.wait.cause, c.needed_begin,
                             c.wait.cause_call_path, c.wait.metric);
    };
    return order(a) < order(b);
  });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_first = i == 0 || candidates[i].call != candidates[i - 1].call ||
                          candidates[i].wait.location != candidates[i - 1].wait.location;
    if (!is_first) continue;
    Wait wait = candidates[i].wait;
    context_.waits.add(wait);
    wait.metric = whole;
    context_.waits.add(wait);
  }
  if (with_message != 0) {
    context_.quality.add("several-kinds", Severity::info, "rank " + std::to_string(rank.rank), with_message,
                         "a call that completed messages too would have waited for a non-blocking collective; its time "
                         "is accounted as point-to-point, the wait was left out",
                         "complete collectives and messages in calls of their own");
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
