/// Sorting in place of tables: halves are sorted by (sequence, number, rank), so that an instance is a run of them.
#include "analysis/patterns/member_sequences.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/core/sequence_damage.h"
#include "analysis/patterns/pattern.h"
#include "trace/links/instances.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t block_size = 1024;
constexpr std::uint32_t no_root = 0xFFFFFFFF;

std::size_t partition_of_block(const MemberHalf& half, std::size_t partitions) {
  const MemberSequence& s = half.sequence;
  return (s.kind + s.id * 7U + s.comm * 5U + s.stretch * 3U + half.number / block_size) % partitions;
}

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

/// Numbers the calls of each rank on each sequence by time, and sends them to the partitions of their blocks.
void MemberSequences::send(const DomainContext& context, std::vector<Buffer>& outgoing) {
  std::sort(halves_.begin(), halves_.end(), [](const MemberHalf& a, const MemberHalf& b) {
    return std::tie(a.rank, a.sequence, a.begin, a.location, a.end) <
           std::tie(b.rank, b.sequence, b.begin, b.location, b.end);
  });
  for (std::size_t first = 0; first < halves_.size();) {
    std::size_t end = first;
    while (end < halves_.size() && halves_[end].rank == halves_[first].rank &&
           halves_[end].sequence == halves_[first].sequence) {
      ++end;
    }
    for (std::size_t i = first; i < end; ++i) {
      MemberHalf& half = halves_[i];
      half.number = static_cast<std::uint32_t>(i - first);
      half.of = static_cast<std::uint32_t>(end - first);
      half.node = context.path(half.location, half.node);
      BufferWriter(outgoing[partition_of_block(half, outgoing.size())]).put(half);
    }
    first = end;
  }
  halves_ = {};
}

/// One pass over the sorted halves: a run of equal (sequence, number) is an instance, complete or not.
void MemberSequences::receive(const std::vector<Buffer>& incoming, const DomainContext& context,
                              const MembersOf& members_of, const NameOf& name_of, const Score& score,
                              const LeftOut& left_out) {
  std::vector<MemberHalf> halves;
  for (const Buffer& buffer : incoming) {
    for (BufferReader in(buffer); !in.empty();) halves.push_back(in.take<MemberHalf>());
  }
  std::sort(halves.begin(), halves.end(), [](const MemberHalf& a, const MemberHalf& b) {
    return std::tie(a.sequence, a.number, a.rank) < std::tie(b.sequence, b.number, b.rank);
  });
  std::map<std::string, SequenceDamage> damages;
  std::vector<std::uint32_t> ranks;
  std::vector<Member> members;
  for (std::size_t first = 0; first < halves.size();) {
    const MemberSequence sequence = halves[first].sequence;
    if (first == 0 || halves[first - 1].sequence != sequence) ranks = members_of(sequence);
    std::size_t end = first;
    while (end < halves.size() && halves[end].sequence == sequence && halves[end].number == halves[first].number) ++end;
    SequenceDamage& damage = damages[name_of(sequence)];
    members.clear();
    bool agrees = true;
    trace::MemberCounts counts;
    std::uint32_t root = no_root;
    for (const std::uint32_t rank : ranks) {
      const auto half = std::lower_bound(halves.begin() + static_cast<std::ptrdiff_t>(first),
                                         halves.begin() + static_cast<std::ptrdiff_t>(end), rank,
                                         [](const MemberHalf& h, std::uint32_t r) { return h.rank < r; });
      if (half == halves.begin() + static_cast<std::ptrdiff_t>(end) || half->rank != rank) break;
      members.push_back(
          Member{half->begin, half->end, half->location, half->node, half->sends, half->receives, half->broken});
      agrees = agrees && half->operation == halves[first].operation &&
               (half->root == no_root || root == no_root || half->root == root);
      counts.add(half->of);
      if (half->root != no_root) root = half->root;
    }
    const bool is_torn = counts.are_torn(sequence.stretch, ranks.size());
    if (ranks.empty()) {
      ++damage.unknown;
    } else if (is_torn) {
      ++damage.across_gap;
    } else if (members.size() < ranks.size()) {
      ++damage.incomplete;
    } else if (!agrees) {
      ++damage.mismatched;
    } else if (members.size() > 1) {
      CollectiveInstance instance{members, no_member};
      const auto place = std::find(ranks.begin(), ranks.end(), root);
      if (place != ranks.end()) instance.root = static_cast<std::size_t>(place - ranks.begin());
      score(halves[first].operation, instance, sequence);
      note_members(members, context.waits);
    }
    const bool is_whole = !ranks.empty() && members.size() == ranks.size() && agrees;
    if (!is_whole || is_torn)
      std::for_each(halves.begin() + static_cast<std::ptrdiff_t>(first),
                    halves.begin() + static_cast<std::ptrdiff_t>(end), left_out);
    first = end;
  }
  for (const auto& [name, damage] : damages) report(name, "group", damage, context.quality);
}

}  // namespace mora::analysis
