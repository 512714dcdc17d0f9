/// Collective operations outside MPI's own table (OpenSHMEM, files), put together by trace/links/member_blocks.h. See
/// engine/collectives.cpp for MPI's.
///
/// Cost: O(n log n) for n calls, 80 bytes each. Limits: incomplete or contradictory instances get no waiting and are
/// counted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/core/domain.h"
#include "trace/links/sequence.h"

namespace mora::analysis {

inline constexpr std::uint32_t no_root = 0xFFFFFFFF;

/// One member's call. Trivially copyable: crosses partitions.
struct MemberHalf {
  trace::SequenceKey sequence;
  Nanoseconds begin = 0;  ///< B
  Nanoseconds end = 0;    ///< X
  cube::LocationId location = 0;
  std::uint32_t node = 0;  ///< of the local call tree; once sent, the call path
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;
  std::uint32_t root = no_root;  ///< world rank
  bool sends = true;
  bool receives = true;
  bool broken = false;
};

class MemberSequences {
 public:
  using Score = std::function<void(std::uint32_t operation, const CollectiveInstance&)>;
  using NameOf = std::function<std::string(const trace::SequenceKey&)>;
  using LeftOut = std::function<void(const MemberHalf&)>;  ///< `node`: its call path

  void add(const MemberHalf& half) { halves_.push_back(half); }
  /// All calls of one location before the next one's.
  void send(const DomainContext& context, std::vector<Buffer>& outgoing);
  /// Scores complete instances of two members or more, and notes their synchronisation points; the rest goes to the
  /// data quality, and its halves to `left_out`.
  static void receive(
      const std::vector<Buffer>& incoming, const DomainContext& context, const NameOf& name_of, const Score& score,
      const LeftOut& left_out = [](const MemberHalf&) {});

 private:
  std::vector<MemberHalf> halves_;
};

/// Notes the synchronisation points of an instance: all pairs of groups of up to eight members; in larger ones each
/// member with the last, since all wait for that one.
void note_members(std::span<const Member> members, WaitSink& sink);

}  // namespace mora::analysis
