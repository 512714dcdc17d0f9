/// How the members' halves of a collective become an instance.
///
/// The n-th collective call of each member on a communicator instance (on a window: of creation, fences and free) is
/// one instance, whatever its time. Blocks of up to 1024 consecutive instances of a sequence go to one partition, so
/// that a program that only uses MPI_COMM_WORLD is spread too. After the halves of a block stand the lists of who
/// receives from whom (partners.h) that its halves refer to.
///
/// Source: MPI-3.1, 5.13 (all members call collectives on a communicator in the same order). Cost: O(members) per
/// instance, 32 bytes per half. Limits: an instance that lacks a member, or whose members disagree on the operation or
/// root, gets no waiting and is counted; of a window that all freed none does, if they have different counts; after a
/// stretch without recording numbers hold only if all members have the same count in the stretch.
#include "analysis/engine/collectives.h"
#include "analysis/core/sequence_damage.h"

#include "analysis/core/partners.h"
#include "analysis/patterns/pattern.h"
#include "trace/links/instances.h"
#include "trace/links/joined_sequences.h"
#include "trace/links/thread_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mora::analysis {

using trace::members_of;

namespace {

struct BlockHead {
  SequenceKey sequence;
  std::uint32_t block = 0;
  std::uint32_t rank = 0;
  std::uint32_t location = 0;  ///< of the rank's first thread
  std::uint32_t count = 0;     ///< halves in this block
  std::uint32_t of = 0;        ///< halves of the rank in the whole sequence
  bool is_freed = false;       ///< the last of them is MPI_Win_free
};

std::size_t partition_of_block(const SequenceKey& key, std::uint32_t block, std::size_t partitions) {
  return (static_cast<std::size_t>(key.kind) + std::size_t{key.a} * 7 + std::size_t{key.stretch} * 3 + block) %
         partitions;
}

struct MemberBlock {
  std::uint32_t rank = 0;
  std::uint32_t location = 0;
  std::uint32_t count = 0;
  std::uint32_t of = 0;
  bool is_freed = false;
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
  Assembly(const SequenceKey& key, const std::vector<MemberBlock>& blocks, const std::vector<std::uint32_t>& ranks)
      : key_(key), blocks_(ranks.size(), nullptr), members_(ranks.size()), partners_(ranks.size()) {
    std::map<std::uint32_t, const MemberBlock*> by_rank;
    for (const MemberBlock& block : blocks) by_rank[block.rank] = &block;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto found = by_rank.find(ranks[i]);
      if (found != by_rank.end()) blocks_[i] = found->second;
    }
    for (const MemberBlock& block : blocks) instances_ = std::max(instances_, block.count);
    for (const MemberBlock* block : blocks_) {
      if (block != nullptr) counts_.add(block->of, block->is_freed);
    }
    ranks_ = &ranks;
  }

  void score(Scores& scores, SequenceDamage& damage) {
    if (counts_.are_torn(key_.stretch, blocks_.size())) {
      damage.across_gap += instances_;
      for (std::uint32_t n = 0; n < instances_; ++n) leave_out(n, scores);
      return;
    }
    const bool is_call_lost = counts_.lack_a_call(blocks_.size());
    for (std::uint32_t n = 0; n < instances_; ++n) {
      if (is_call_lost && has_all(n)) {
        ++damage.mismatched;
        leave_out(n, scores);
      } else {
        score_instance(n, scores, damage);
      }
    }
  }

 private:
  bool has_all(std::uint32_t n) const {
    return std::all_of(blocks_.begin(), blocks_.end(),
                       [&](const MemberBlock* b) { return b != nullptr && b->count > n; });
  }

  /// The time of the members that are there may be waiting or not.
  void leave_out(std::uint32_t n, Scores& scores) const {
    static const cube::MetricId metric = metric_index("unknown-wait");
    for (const MemberBlock* block : blocks_) {
      if (block == nullptr || block->count <= n) continue;
      const auto half = element<CollectiveHalf>(block->halves, n);
      if ((half.flags & collective_is_broken) == 0)
        scores.count(metric, half.node, block->location + half.thread, half.end - half.begin);
    }
  }

  void score_instance(std::uint32_t n, Scores& scores, SequenceDamage& damage) {
    std::uint8_t operation = 0;
    std::uint32_t root_rank = no_id;
    trace::MemberCall agreement;
    bool is_outside = false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (blocks_[i] == nullptr || blocks_[i]->count <= n) {
        ++damage.incomplete;
        leave_out(n, scores);
        return;
      }
      const auto half = element<CollectiveHalf>(blocks_[i]->halves, n);
      members_[i] = Member{half.begin,
                           half.end,
                           blocks_[i]->location + half.thread,
                           half.node,
                           (half.flags & collective_sends) != 0,
                           (half.flags & collective_receives) != 0,
                           (half.flags & collective_is_broken) != 0};
      operation = half.operation;
      is_outside = is_outside || operation == trace::no_operation;
      const bool lists =
          key_.kind == SequenceKind::collective && has_partners(static_cast<trace::Collective>(half.operation));
      partners_[i] = lists && half.root != no_id ? &blocks_[i]->partners[half.root] : nullptr;
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
      const auto place = std::find(ranks_->begin(), ranks_->end(), root_rank);
      if (place != ranks_->end()) instance.root = static_cast<std::size_t>(place - ranks_->begin());
    }
    if (key_.kind == SequenceKind::collective && has_partners(kind)) instance.partners = partners_;
    score_collective(kind, instance, scores);
  }

  SequenceKey key_;
  std::vector<const MemberBlock*> blocks_;
  trace::MemberCounts counts_;
  std::vector<Member> members_;
  std::vector<const std::vector<std::uint32_t>*> partners_;
  const std::vector<std::uint32_t>* ranks_ = nullptr;
  std::uint32_t instances_ = 0;
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
    std::map<std::uint16_t, std::uint8_t> last;  // of each thread
    for (std::uint32_t i = first_[s]; i < first_[s + 1] && halves.sequences[s].kind == SequenceKind::window; ++i) {
      last[halves.collectives[order_[i]].thread] = halves.collectives[order_[i]].operation;
    }
    freed_[s] =
        std::any_of(last.begin(), last.end(), [](const auto& thread) { return trace::ends_window(thread.second); });
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
      const std::uint64_t count = first_[s + 1] - first_[s];
      for (std::uint64_t block = from; block < to && block * block_size_ < count; ++block) {
        const auto begin = first_[s] + static_cast<std::uint32_t>(block * block_size_);
        visit(s, begin, std::min(begin + block_size_, first_[s + 1]), static_cast<std::uint32_t>(block),
              partition_of_block(halves_.sequences[s], static_cast<std::uint32_t>(block), outgoing.size()));
      }
    }
  };
  std::vector<std::size_t> sizes(outgoing.size());
  for_blocks([&](std::size_t, std::uint32_t begin, std::uint32_t end, std::uint32_t, std::size_t place) {
    sizes[place] += sizeof(BlockHead) + (end - begin) * sizeof(CollectiveHalf) + PartnerTable().bytes();
  });
  for (std::size_t p = 0; p < outgoing.size(); ++p) {
    const std::size_t wanted = outgoing[p].size() + sizes[p];
    if (wanted > outgoing[p].capacity()) outgoing[p].reserve(std::max(wanted, outgoing[p].capacity() * 2));
  }
  for_blocks([&](std::size_t s, std::uint32_t begin, std::uint32_t end, std::uint32_t block, std::size_t place) {
    BufferWriter out(outgoing[place]);
    out.put(BlockHead{halves_.sequences[s], block, halves_.rank, halves_.locations.front(), end - begin,
                      first_[s + 1] - first_[s], freed_[s]});
    PartnerTable partners;
    for (std::uint32_t i = begin; i < end; ++i) {
      CollectiveHalf half = halves_.collectives[order_[i]];
      const cube::LocationId location = halves_.locations[half.thread];
      const auto operation = static_cast<trace::Collective>(half.operation);
      half.node = global_of_location_[location][half.node];
      if (halves_.sequences[s].kind == SequenceKind::collective && has_partners(operation)) {
        half.root = partners.place_of(source_, location, half.root, operation,
                                      source_.definitions().communicators[halves_.sequences[s].a], halves_.rank);
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
  std::map<std::pair<SequenceKey, std::uint32_t>, std::vector<MemberBlock>> assemblies;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      const auto head = in.take<BlockHead>();
      MemberBlock block{head.rank, head.location, head.count,
                        head.of,   head.is_freed, in.skip(head.count * sizeof(CollectiveHalf)),
                        {}};
      block.partners = PartnerTable::read(in);
      assemblies[{head.sequence, head.block}].push_back(std::move(block));
    }
  }
  SequenceKey known;
  std::vector<std::uint32_t> ranks;
  for (const auto& [where, blocks] : assemblies) {
    const SequenceKey& key = where.first;
    SequenceDamage damage;
    if (ranks.empty() || !(known == key)) {
      ranks = members_of(key, definitions);
      known = key;
    }
    if (ranks.empty()) {
      for (const MemberBlock& block : blocks) damage.unknown += block.count;
    } else {
      Assembly(key, blocks, ranks).score(scores, damage);
    }
    report(name_of(key), "communicator", damage, quality);
  }
}

}  // namespace mora::analysis
