/// How the members' halves of a collective become an instance: trace/links/member_blocks.h. After the halves of a block
/// stand the lists of who receives from whom (partners.h) that its halves refer to.
///
/// Cost: O(members) per instance, 32 bytes per half. Limits: an instance that lacks a member, or whose members disagree
/// on the operation or root, gets no waiting and is counted; of a window that all freed none does, if they have
/// different counts; after a stretch without recording numbers hold only if all members have the same count in the
/// stretch.
#include "analysis/engine/collectives.h"
#include "analysis/core/sequence_damage.h"

#include "analysis/core/partners.h"
#include "analysis/patterns/pattern.h"
#include "trace/links/thread_order.h"

#include <algorithm>

namespace mora::analysis {

using trace::members_of;

namespace {

/// One member's.
struct CollectiveBlock {
  trace::BlockHead head;
  const std::byte* halves = nullptr;
  std::vector<std::vector<std::uint32_t>> partners;
};

std::string name_of(const SequenceKey& key) {
  switch (key.kind) {
    case SequenceKind::collective:
      return "communicator " + std::to_string(key.a);
    case SequenceKind::window:
      return "window " + std::to_string(key.a);
    case SequenceKind::init:
      return "MPI_Init";
    case SequenceKind::finalize:
      return "MPI_Finalize";
    default:
      break;
  }
  return {};
}

/// All blocks of one number of one sequence.
class Assembly {
 public:
  explicit Assembly(const trace::MemberBlocks<CollectiveBlock>& blocks)
      : blocks_(blocks), key_(blocks.sequence()), members_(blocks.members()), partners_(blocks.members()) {}

  void score(Scores& scores, SequenceDamage& damage) {
    if (blocks_.are_torn()) {
      damage.across_gap += blocks_.begun();
      for (std::uint32_t n = 0; n < blocks_.begun(); ++n) leave_out(n, scores);
      return;
    }
    const bool is_call_lost = blocks_.lack_a_call();
    for (std::uint32_t n = 0; n < blocks_.begun(); ++n) {
      if (n >= blocks_.complete()) {
        ++damage.incomplete;
        leave_out(n, scores);
      } else if (is_call_lost) {
        ++damage.mismatched;
        leave_out(n, scores);
      } else {
        score_instance(n, scores, damage);
      }
    }
  }

 private:
  /// The time of the members that are there may be waiting or not.
  void leave_out(std::uint32_t n, Scores& scores) const {
    static const cube::MetricId metric = metric_index("unknown-wait");
    for (std::size_t i = 0; i < blocks_.members(); ++i) {
      const CollectiveBlock* block = blocks_.of(i);
      if (block == nullptr || block->head.count <= n) continue;
      const auto half = element<CollectiveHalf>(block->halves, n);
      if ((half.flags & collective_is_broken) == 0)
        scores.count(metric, half.node, block->head.location + half.thread, half.end - half.begin);
    }
  }

  void score_instance(std::uint32_t n, Scores& scores, SequenceDamage& damage) {
    std::uint8_t operation = 0;
    std::uint32_t root_rank = no_id;
    trace::MemberCall agreement;
    bool is_outside = false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const CollectiveBlock& block = *blocks_.of(i);
      const auto half = element<CollectiveHalf>(block.halves, n);
      members_[i] = Member{half.begin,
                           half.end,
                           block.head.location + half.thread,
                           half.node,
                           (half.flags & collective_sends) != 0,
                           (half.flags & collective_receives) != 0,
                           (half.flags & collective_is_broken) != 0};
      operation = half.operation;
      is_outside = is_outside || operation == trace::no_operation;
      const bool lists =
          key_.kind == SequenceKind::collective && has_partners(static_cast<trace::Collective>(half.operation));
      partners_[i] = lists && half.root != no_id ? &block.partners[half.root] : nullptr;
      const std::uint32_t root = lists ? no_id : half.root;
      agreement.agree(trace::MemberCall(operation, root));
      if (root != no_id) root_rank = root;
    }
    if (!agreement.holds()) {
      damage.mismatched += is_outside ? 0 : 1;  // that was counted where it was read
      leave_out(n, scores);
      return;
    }
    CollectiveInstance instance{members_, no_member};
    if (key_.kind == SequenceKind::window) {
      score_window_collective(static_cast<trace::RmaOperation>(operation), instance, scores);
      return;
    }
    trace::Collective kind = static_cast<trace::Collective>(operation);
    if (key_.kind == SequenceKind::init) kind = trace::Collective::init;
    if (key_.kind == SequenceKind::finalize) kind = trace::Collective::finalize;
    if (is_rooted(kind)) {
      const std::size_t root = blocks_.member(root_rank);
      if (root < blocks_.members()) instance.root = root;
    }
    if (key_.kind == SequenceKind::collective && has_partners(kind)) instance.partners = partners_;
    score_collective(kind, instance, scores);
  }

  const trace::MemberBlocks<CollectiveBlock>& blocks_;
  const SequenceKey& key_;
  std::vector<Member> members_;
  std::vector<const std::vector<std::uint32_t>*> partners_;
};

}  // namespace

CollectiveSender::CollectiveSender(const RankHalves& halves,
                                   const std::vector<std::vector<std::uint32_t>>& global_of_location,
                                   const trace::Source& source, std::uint32_t block_size)
    : halves_(halves),
      global_of_location_(global_of_location),
      source_(source),
      block_size_(block_size),
      first_(halves.sequences.size() + 1, 0),
      order_(halves.collectives.size()),
      freed_(halves.sequences.size()) {
  const std::size_t sequences = halves.sequences.size();
  for (std::size_t i = 0; i < halves.collectives.size(); ++i) ++first_[halves.collectives[i].sequence + 1];
  for (std::size_t s = 0; s < sequences; ++s) first_[s + 1] += first_[s];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < halves.collectives.size(); ++i) order_[next[halves.collectives[i].sequence]++] = i;
  for (std::size_t s = 0; s < sequences; ++s) {
    if (halves.sequences[s].kind != SequenceKind::window) continue;
    freed_[s] = trace::frees_window(
        order_.begin() + first_[s], order_.begin() + first_[s + 1],
        [&](std::uint32_t i) { return halves.collectives[i].thread; },
        [&](std::uint32_t i) { return halves.collectives[i].operation; });
  }
  if (halves.locations.size() <= 1) return;
  for (std::size_t s = 0; s < sequences; ++s) {
    trace::order_threads(
        order_.begin() + first_[s], order_.begin() + first_[s + 1],
        [&](std::uint32_t i) { return halves.collectives[i].thread; },
        [&](std::uint32_t i) { return halves.collectives[i].begin; });
  }
}

std::uint32_t CollectiveSender::blocks() const {
  std::uint32_t most = 0;
  for (std::size_t s = 0; s + 1 < first_.size(); ++s) most = std::max(most, first_[s + 1] - first_[s]);
  return most / block_size_ + (most % block_size_ != 0 ? 1 : 0);
}

void CollectiveSender::send(std::uint32_t from, std::uint32_t to, std::vector<Buffer>& outgoing) const {
  const auto for_blocks = [&](const auto& visit) {
    for (std::size_t s = 0; s + 1 < first_.size(); ++s) {
      const trace::BlockHead head{halves_.sequences[s], halves_.rank, halves_.locations.front(),
                                  first_[s + 1] - first_[s], freed_[s]};
      trace::each_block(
          head,
          [&](const trace::BlockHead& block, std::uint32_t begin, std::uint32_t end) {
            visit(block, first_[s] + begin, first_[s] + end, block.partition(outgoing.size()));
          },
          block_size_, from, to);
    }
  };
  std::vector<std::size_t> sizes(outgoing.size());
  for_blocks([&](const trace::BlockHead& head, std::uint32_t, std::uint32_t, std::size_t place) {
    sizes[place] += sizeof head + head.count * sizeof(CollectiveHalf) + PartnerTable().bytes();
  });
  for (std::size_t p = 0; p < outgoing.size(); ++p) {
    const std::size_t wanted = outgoing[p].size() + sizes[p];
    if (wanted > outgoing[p].capacity()) outgoing[p].reserve(std::max(wanted, outgoing[p].capacity() * 2));
  }
  for_blocks([&](const trace::BlockHead& head, std::uint32_t begin, std::uint32_t end, std::size_t place) {
    BufferWriter out(outgoing[place]);
    out.put(head);
    PartnerTable partners;
    for (std::uint32_t i = begin; i < end; ++i) {
      CollectiveHalf half = halves_.collectives[order_[i]];
      const cube::LocationId location = halves_.locations[half.thread];
      const auto operation = static_cast<trace::Collective>(half.operation);
      half.node = global_of_location_[location][half.node];
      if (head.sequence.kind == SequenceKind::collective && has_partners(operation)) {
        half.root = partners.place_of(source_, location, half.root, operation,
                                      source_.definitions().communicators[head.sequence.a], halves_.rank);
      }
      out.put(half);
    }
    partners.write(out);
  });
}

void note_group_sync_points(const RankHalves& halves, const trace::Definitions& definitions, SyncPoints& sync_points) {
  std::vector<std::vector<Nanoseconds>> begins(halves.sequences.size());
  for (std::size_t i = 0; i < halves.collectives.size(); ++i) {
    begins[halves.collectives[i].sequence].push_back(halves.collectives[i].begin);
  }
  for (std::size_t s = 0; s < begins.size(); ++s) {
    if (halves.locations.size() > 1) std::sort(begins[s].begin(), begins[s].end());
    std::vector<bool> members(definitions.world_size);
    for (const std::uint32_t rank : members_of(halves.sequences[s], definitions)) {
      if (rank < members.size()) members[rank] = true;
    }
    const SequenceKey& key = halves.sequences[s];
    sync_points.add_group({key.kind, key.a, key.stretch}, std::move(begins[s]), std::move(members));
  }
}

void assemble_collectives(const std::vector<Buffer>& incoming, const trace::Definitions& definitions, Scores& scores,
                          DataQuality& quality) {
  trace::MetBlocks<CollectiveBlock> met;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      CollectiveBlock block;
      block.head = in.take<trace::BlockHead>();
      block.halves = in.skip(block.head.count * sizeof(CollectiveHalf));
      block.partners = PartnerTable::read(in);
      met.add(std::move(block));
    }
  }
  met.each(definitions, [&](const trace::MemberBlocks<CollectiveBlock>& blocks) {
    SequenceDamage damage;
    if (blocks.members() == 0) {
      for (const CollectiveBlock& block : blocks.all()) damage.unknown += block.head.count;
    } else {
      Assembly(blocks).score(scores, damage);
    }
    report(name_of(blocks.sequence()), "communicator", damage, quality);
  });
}

}  // namespace mora::analysis
