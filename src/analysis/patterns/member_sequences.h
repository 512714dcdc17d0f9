/// Collective operations outside MPI's own table (OpenSHMEM, files): the n-th call of each member on one sequence is
/// one instance, whatever its time; blocks of instances go to one partition. See engine/collectives.cpp for MPI's.
///
/// Cost: O(n log n) for n calls, 64 bytes each. Limits: incomplete or contradictory instances get no waiting and are
/// counted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/core/domain.h"

namespace mora::analysis {

/// What calls are counted on. The meaning of kind and id is the domain's.
struct MemberSequence {
  std::uint32_t kind = 0;
  std::uint32_t id = 0;
  std::uint32_t comm = 0xFFFFFFFF;
  std::uint32_t stretch = 0;  ///< how often recording had been switched off before
  auto operator<=>(const MemberSequence&) const = default;
};

/// One member's call. Trivially copyable: crosses partitions.
struct MemberHalf {
  MemberSequence sequence;
  Nanoseconds begin = 0;  ///< B
  Nanoseconds end = 0;    ///< X
  cube::LocationId location = 0;
  std::uint32_t node = 0;  ///< of the local call tree; once sent, the call path
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;
  std::uint32_t root = 0xFFFFFFFF;  ///< world rank
  std::uint32_t number = 0;         ///< which call of its rank on the sequence
  std::uint32_t of = 0;             ///< of how many
  bool sends = true;
  bool receives = true;
  bool broken = false;
};

class MemberSequences {
 public:
  using MembersOf = std::function<std::vector<std::uint32_t>(const MemberSequence&)>;  ///< world ranks, in order
  using Score = std::function<void(std::uint32_t operation, const CollectiveInstance&, const MemberSequence&)>;
  using NameOf = std::function<std::string(const MemberSequence&)>;
  using LeftOut = std::function<void(const MemberHalf&)>;  ///< `node`: its call path

  void add(const MemberHalf& half) { halves_.push_back(half); }
  /// Calls of all threads of a rank are numbered by time.
  void send(const DomainContext& context, std::vector<Buffer>& outgoing);
  /// Scores complete instances of two members or more, and notes their synchronisation points; the rest goes to the
  /// data quality, and its halves to `left_out`.
  static void receive(
      const std::vector<Buffer>& incoming, const DomainContext& context, const MembersOf& members_of,
      const NameOf& name_of, const Score& score, const LeftOut& left_out = [](const MemberHalf&) {});

 private:
  std::vector<MemberHalf> halves_;
};

/// Notes the synchronisation points of an instance: all pairs of groups of up to eight members; in larger ones each
/// member with the last, since all wait for that one.
void note_members(std::span<const Member> members, WaitSink& sink);

}  // namespace mora::analysis
