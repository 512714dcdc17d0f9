/// How the fences of all members become an instance, for Early Fence and the pairwise counts. (Wait at Fence itself is
/// scored with all collectives.)
///
/// Creation, fences and free of a window are one sequence (trace/links/member_blocks.h, as in engine/collectives.cpp,
/// so that Early Fence is always a part of Wait at Fence). A fence brings for each target the last access of its epoch.
///
/// Source: Scalasca 2.6, MPI Early Fence Time; Mora's rule early-fence. Cost: O(members + accessed pairs x log) per
/// fence, 32 bytes per member and 24 per accessed target. Limits: an instance that lacks a member, mixes operations or
/// cannot be numbered after an interruption scores nothing (it is counted in engine/collectives.cpp); only the last
/// access of an origin towards a target counts.
#include "analysis/patterns/active_target/fence_epochs.h"

#include <algorithm>
#include <map>

#include "analysis/patterns/active_target/rules/rules.h"
#include "trace/links/member_blocks.h"

namespace mora::analysis {

namespace {

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

/// One member's.
struct FenceBlock {
  trace::BlockHead head;
  std::vector<std::pair<Half, const std::byte*>> halves;  ///< with their accesses
};

/// Instances of one block.
class FenceAssembly {
 public:
  FenceAssembly(const trace::MemberBlocks<FenceBlock>& blocks, WaitSink& sink)
      : blocks_(blocks), sink_(sink), members_(blocks.members()) {
    for (std::size_t i = 0; i < blocks.members(); ++i) index_of_rank_.emplace(blocks.ranks()[i], i);
  }

  void score() {
    if (blocks_.are_torn() || blocks_.lack_a_call()) return;
    for (std::uint32_t n = 0; n < blocks_.complete(); ++n) score_instance(n);
  }

 private:
  void score_instance(std::uint32_t n) {
    bool cut = false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Half& half = blocks_.of(i)->halves[n].first;
      if (half.operation != trace::RmaOperation::fence) return;
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
  void collect_accesses(std::uint32_t n) {
    accesses_.assign(members_.size(), FenceAccess{});
    partners_.assign(members_.size(), 0);
    pairs_.clear();
    for (std::size_t q = 0; q < members_.size(); ++q) {
      const auto& [half, array] = blocks_.of(q)->halves[n];
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

  const trace::MemberBlocks<FenceBlock>& blocks_;
  WaitSink& sink_;
  std::map<std::uint32_t, std::size_t> index_of_rank_;
  std::vector<Member> members_;
  std::vector<FenceAccess> accesses_;
  std::vector<std::int64_t> partners_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

}  // namespace

void send_fences(const RankEpochs& epochs, const DomainContext& context, std::vector<Buffer>& outgoing) {
  std::map<trace::SequenceKey, std::vector<const RankEpochs::Collective*>> sequences;
  for (const RankEpochs::Collective& c : epochs.collectives())
    sequences[{trace::SequenceKind::window, c.window, trace::no_id, trace::no_id, 0, c.stretch}].push_back(&c);
  for (const auto& [key, of_key] : sequences) {
    const auto& sequence = of_key;  // lambdas cannot capture a structured binding before clang 16
    trace::BlockHead whole;
    whole.sequence = key;
    whole.rank = epochs.rank();
    whole.of = static_cast<std::uint32_t>(sequence.size());
    whole.is_freed = trace::frees_window(
        sequence.begin(), sequence.end(), [](const RankEpochs::Collective* c) { return c->call.location; },
        [](const RankEpochs::Collective* c) { return c->operation; });
    trace::each_block(whole, [&](const trace::BlockHead& head, std::uint32_t begin, std::uint32_t end) {
      BufferWriter out(outgoing[head.partition(outgoing.size())]);
      out.put(head);
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
    });
  }
}

void score_fences(std::vector<BufferReader>& incoming, const DomainContext& context) {
  trace::MetBlocks<FenceBlock> met;
  for (BufferReader& in : incoming) {
    while (!in.empty()) {
      FenceBlock block;
      block.head = in.take<trace::BlockHead>();
      block.halves.reserve(block.head.count);
      for (std::uint32_t i = 0; i < block.head.count; ++i) {
        const auto half = in.take<Half>();
        block.halves.emplace_back(half, in.skip(half.accesses * sizeof(RankEpochs::Access)));
      }
      met.add(std::move(block));
    }
  }
  met.each(context.definitions,
           [&](const trace::MemberBlocks<FenceBlock>& blocks) { FenceAssembly(blocks, context.waits).score(); });
}

}  // namespace mora::analysis
