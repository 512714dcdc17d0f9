#include "analysis/patterns/member_sequences.h"

#include <map>

#include "analysis/core/sequence_damage.h"
#include "analysis/patterns/pattern.h"
#include "trace/links/member_blocks.h"
#include "trace/links/thread_order.h"

namespace mora::analysis {

namespace {

/// One member's.
struct MemberBlock {
  trace::BlockHead head;
  const std::byte* halves = nullptr;

  MemberHalf half(std::uint32_t n) const { return element<MemberHalf>(halves, n); }
};

}  // namespace

void note_members(std::span<const Member> members, WaitSink& sink) {
  constexpr std::size_t small_group = 8;
  const std::size_t last = latest(members, [](const Member&) { return true; });
  const auto note = [&](const Member& a, const Member& b) {
    sink.sync_point(SyncPoint{a.location, a.begin, b.location, b.begin});
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members.size() > small_group) {
      if (i != last) note(members[i], members[last]);
      continue;
    }
    for (std::size_t k = i + 1; k < members.size(); ++k) note(members[i], members[k]);
  }
}

void MemberSequences::send(const DomainContext& context, std::vector<Buffer>& outgoing) {
  std::map<std::pair<trace::SequenceKey, std::uint32_t>, std::vector<MemberHalf>> sequences;  // by rank
  for (const MemberHalf& half : halves_) sequences[{half.sequence, half.rank}].push_back(half);
  halves_ = {};
  for (auto& [of_whom, of_rank] : sequences) {
    std::vector<MemberHalf>& halves = of_rank;  // lambdas cannot capture a structured binding before clang 16
    trace::order_threads(
        halves.begin(), halves.end(), [](const MemberHalf& h) { return h.location; },
        [](const MemberHalf& h) { return h.begin; });
    trace::BlockHead whole;
    whole.sequence = of_whom.first;
    whole.rank = of_whom.second;
    whole.of = static_cast<std::uint32_t>(halves.size());
    trace::each_block(whole, [&](const trace::BlockHead& head, std::uint32_t begin, std::uint32_t end) {
      BufferWriter out(outgoing[head.partition(outgoing.size())]);
      out.put(head);
      for (std::uint32_t i = begin; i < end; ++i) {
        halves[i].node = context.path(halves[i].location, halves[i].node);
        out.put(halves[i]);
      }
    });
  }
}

void MemberSequences::receive(const std::vector<Buffer>& incoming, const DomainContext& context, const NameOf& name_of,
                              const Score& score, const LeftOut& left_out) {
  trace::MetBlocks<MemberBlock> met;
  for (const Buffer& buffer : incoming) {
    for (BufferReader in(buffer); !in.empty();) {
      MemberBlock block;
      block.head = in.take<trace::BlockHead>();
      block.halves = in.skip(block.head.count * sizeof(MemberHalf));
      met.add(block);
    }
  }
  std::map<std::string, SequenceDamage> damages;
  std::vector<Member> members;
  met.each(context.definitions, [&](const trace::MemberBlocks<MemberBlock>& blocks) {
    SequenceDamage& damage = damages[name_of(blocks.sequence())];
    for (std::uint32_t n = 0; n < blocks.begun(); ++n) {
      if (blocks.members() == 0) {
        ++damage.unknown;
      } else if (blocks.are_torn()) {
        ++damage.across_gap;
      } else if (n >= blocks.complete()) {
        ++damage.incomplete;
      } else {
        members.clear();
        const std::uint32_t operation = blocks.of(0)->half(n).operation;
        bool is_same_operation = true;
        std::uint32_t root_rank = no_root;
        trace::MemberCall agreement;
        for (std::size_t i = 0; i < blocks.members(); ++i) {
          const MemberHalf half = blocks.of(i)->half(n);
          members.push_back(
              Member{half.begin, half.end, half.location, half.node, half.sends, half.receives, half.broken});
          is_same_operation = is_same_operation && half.operation == operation;
          agreement.agree(trace::MemberCall(0, half.root));
          if (half.root != no_root) root_rank = half.root;
        }
        if (is_same_operation && agreement.holds()) {
          if (members.size() < 2) continue;
          CollectiveInstance instance{members, no_member};
          if (const std::size_t root = blocks.member(root_rank); root < blocks.members()) instance.root = root;
          score(operation, instance);
          note_members(members, context.waits);
          continue;
        }
        ++damage.mismatched;
      }
      for (const MemberBlock& block : blocks.all()) {
        if (n < block.head.count) left_out(block.half(n));
      }
    }
  });
  for (const auto& [name, damage] : damages) report(name, "group", damage, context.quality);
}

}  // namespace mora::analysis
