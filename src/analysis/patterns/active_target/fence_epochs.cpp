/// How the fences of all members become an instance, for Early Fence and the pairwise counts. (Wait at Fence itself is
/// scored with all collectives.)
///
/// As in engine/collectives.cpp, so that Early Fence is always a part of Wait at Fence: creation, fences and free of a
/// window are one sequence, whose n-th members are one instance; blocks of 1024 instances go to one partition. A fence
/// brings for each target the last access of its epoch.
///
/// Source: Scalasca 2.6, MPI Early Fence Time; Mora's rule early-fence. Cost: O(members + accessed pairs x log) per
/// fence, 32 bytes per member and 24 per accessed target. Limits: an instance that lacks a member, mixes operations or
/// cannot be numbered after an interruption scores nothing (it is counted in engine/collectives.cpp); only the last
/// access of an origin towards a target counts.
#include "analysis/patterns/active_target/fence_epochs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/patterns/active_target/rules/rules.h"
#include "trace/links/instances.h"
#include "trace/links/joined_sequences.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t fences_per_block = 1024;

struct FenceBlockHead {
  std::uint32_t window = 0;
  std::uint32_t stretch = 0;
  std::uint32_t block = 0;
  std::uint32_t rank = 0;
  std::uint32_t count = 0;  ///< halves in this block
  std::uint32_t of = 0;     ///< halves of the rank in the whole sequence
  bool is_freed = false;    ///< the last of them is MPI_Win_free
};

struct Half {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;
  std::uint32_t accesses = 0;  ///< that many RankEpochs::Access follow
  trace::RmaOperation operation = trace::RmaOperation::none;
  bool broken = false;
  bool cut = false;
};

/// One member's halves of a block.
struct MemberBlock {
  std::uint32_t of = 0;
  bool is_freed = false;
  std::vector<std::pair<Half, const std::byte*>> halves;  ///< with their accesses
};

using BlockKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< window, stretch, block

/// Instances of one block.
class Assembly {
 public:
  Assembly(const std::vector<std::uint32_t>& ranks, const std::map<std::uint32_t, MemberBlock>& blocks, WaitSink& sink)
      : sink_(sink), members_(ranks.size()) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      index_of_rank_.emplace(ranks[i], i);
      const auto found = blocks.find(ranks[i]);
      blocks_.push_back(found == blocks.end() ? nullptr : &found->second);
    }
  }

  void score(std::uint32_t stretch) {
    std::size_t instances = SIZE_MAX;
    trace::MemberCounts counts;
    for (const MemberBlock* block : blocks_) {
      if (block == nullptr) return;
      counts.add(block->of, block->is_freed);
      instances = std::min(instances, block->halves.size());
    }
    if (counts.are_torn(stretch, blocks_.size()) || counts.lack_a_call(blocks_.size())) return;
    for (std::size_t n = 0; n < instances; ++n) score_instance(n);
  }

 private:
  void score_instance(std::size_t n) {
    const trace::RmaOperation operation = blocks_.front()->halves[n].first.operation;
    if (operation != trace::RmaOperation::fence) return;
    bool cut = false;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Half& half = blocks_[i]->halves[n].first;
      if (half.operation != operation) return;
      members_[i] = Member{half.begin, half.end, half.location, half.call_path, false, false, half.broken};
      cut = cut || half.cut;
    }
    collect_accesses(n);
    early_fence(CollectiveInstance{members_, no_member}, accesses_, sink_);
    const auto others = static_cast<std::int64_t>(members_.size()) - 1;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& m = members_[i];
      count_pairwise(m.call_path, m.location, others, cut ? 0 : others - partners_[i], sink_);
    }
  }

  /// The last access towards each member, and with how many others each exchanged data in either direction.
  void collect_accesses(std::size_t n) {
    accesses_.assign(members_.size(), FenceAccess{});
    partners_.assign(members_.size(), 0);
    pairs_.clear();
    for (std::size_t q = 0; q < blocks_.size(); ++q) {
      const auto& [half, array] = blocks_[q]->halves[n];
      for (std::size_t a = 0; a < half.accesses; ++a) {
        const auto access = element<RankEpochs::Access>(array, a);
        const auto target = index_of_rank_.find(access.target);
        if (target == index_of_rank_.end() || target->second == q) continue;
        const std::size_t p = target->second;
        FenceAccess& last = accesses_[p];
        if (access.leave > last.last_towards || (access.leave == last.last_towards && access.location < last.by)) {
          last = FenceAccess{access.leave, access.location, access.call_path};
        }
        pairs_.emplace_back(std::min(p, q), std::max(p, q));
      }
    }
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    for (const auto& [p, q] : pairs_) {
      ++partners_[p];
      ++partners_[q];
    }
  }

  WaitSink& sink_;
  std::map<std::uint32_t, std::size_t> index_of_rank_;
  std::vector<const MemberBlock*> blocks_;
  std::vector<Member> members_;
  std::vector<FenceAccess> accesses_;
  std::vector<std::int64_t> partners_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

}  // namespace

void send_fences(const RankEpochs& epochs, const DomainContext& context, std::vector<Buffer>& outgoing) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const RankEpochs::Collective*>> sequences;
  for (const RankEpochs::Collective& c : epochs.collectives()) sequences[{c.window, c.stretch}].push_back(&c);
  for (const auto& [key, sequence] : sequences) {
    const auto [window, stretch] = key;
    const auto of = static_cast<std::uint32_t>(sequence.size());
    std::map<cube::LocationId, trace::RmaOperation> last;
    for (const RankEpochs::Collective* c : sequence) last[c->call.location] = c->operation;
    const bool is_freed = std::any_of(last.begin(), last.end(),
                                      [](const auto& call) { return call.second == trace::RmaOperation::win_free; });
    for (std::uint32_t begin = 0; begin < of; begin += fences_per_block) {
      const std::uint32_t block = begin / fences_per_block;
      const std::uint32_t end = std::min(begin + fences_per_block, of);
      BufferWriter out(outgoing[(window * 7U + stretch * 3U + block) % outgoing.size()]);
      out.put(FenceBlockHead{window, stretch, block, epochs.rank(), end - begin, of, is_freed});
      for (std::uint32_t i = begin; i < end; ++i) {
        const RankEpochs::Collective& c = *sequence[i];
        out.put(Half{c.begin, c.end, c.call.location, context.path(c.call.location, c.call.call_path),
                     static_cast<std::uint32_t>(c.accesses), c.operation, c.call.broken, c.cut});
        for (std::size_t a = 0; a < c.accesses; ++a) {
          RankEpochs::Access access = epochs.accesses()[c.first_access + a];
          access.call_path = context.path(access.location, access.call_path);
          out.put(access);
        }
      }
    }
  }
}

void score_fences(std::vector<BufferReader>& incoming, const DomainContext& context) {
  std::map<BlockKey, std::map<std::uint32_t, MemberBlock>> blocks;
  for (BufferReader& in : incoming) {
    while (!in.empty()) {
      const auto head = in.take<FenceBlockHead>();
      MemberBlock& member = blocks[{head.window, head.stretch, head.block}][head.rank];
      member.of = head.of;
      member.is_freed = head.is_freed;
      member.halves.reserve(head.count);
      for (std::uint32_t i = 0; i < head.count; ++i) {
        const auto half = in.take<Half>();
        member.halves.emplace_back(half, in.skip(half.accesses * sizeof(RankEpochs::Access)));
      }
    }
  }
  for (const auto& [key, members] : blocks) {
    trace::SequenceKey window;
    window.kind = trace::SequenceKind::window;
    window.a = std::get<0>(key);
    const std::vector<std::uint32_t> ranks = trace::members_of(window, context.definitions);
    if (!ranks.empty()) Assembly(ranks, members, context.waits).score(std::get<1>(key));
  }
}

}  // namespace mora::analysis
