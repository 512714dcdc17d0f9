/// Who takes part in each instance of a collective operation, where a streaming partition puts them together.
///
/// Each member numbers its calls of a sequence from 0 (the threads of a rank by thread_order.h) and sends them in
/// blocks of consecutive ones, of the same size for all members. Blocks of one number of a sequence meet in one
/// partition, so that a program that only uses MPI_COMM_WORLD is spread too; there the n-th calls of all members are
/// one instance, if their counts and they themselves agree (instances.h). What a call says travels behind the head of
/// its block, and is the sender's business. Whole views do the same in joined_sequences.h.
///
/// Source: MPI-3.1, 5.13 (all members call collectives on a communicator in the same order). Cost: O(members log
/// members) per block; 48 bytes per block. Not thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "trace/links/joined_sequences.h"

namespace mora::trace {

inline constexpr std::uint32_t calls_per_block = 1024;

/// What stands before the calls of a block. Trivially copyable: crosses partitions.
struct BlockHead {
  SequenceKey sequence;
  std::uint32_t rank = 0;
  std::uint32_t location = 0;  ///< of the rank's first thread
  std::uint32_t of = 0;        ///< calls of the rank in the whole sequence
  bool is_freed = false;       ///< frees_window() of these
  std::uint32_t block = 0;     ///< which one of the sequence
  std::uint32_t count = 0;     ///< calls in it

  /// Where the blocks of this number meet.
  std::size_t partition(std::size_t partitions) const {
    return (static_cast<std::size_t>(sequence.kind) + std::size_t{sequence.a} * 7 + std::size_t{sequence.stretch} * 3 +
            block) %
           partitions;
  }
};

/// `visit(head, first, end)`: blocks [from, to) of the rank's calls 0 to `head.of`, of `size` calls each.
template <class Visit>
void each_block(BlockHead head, const Visit& visit, std::uint32_t size = calls_per_block, std::uint32_t from = 0,
                std::uint32_t to = no_id) {
  for (std::uint64_t first = std::uint64_t{from} * size; from < to && first < head.of; ++from, first += size) {
    const auto begin = static_cast<std::uint32_t>(first);
    head.block = from;
    head.count = std::min(size, head.of - begin);
    visit(std::as_const(head), begin, begin + head.count);
  }
}

/// Whether a rank freed the window: the last of its calls [first, last) on one of its threads is MPI_Win_free.
template <class Iterator, class ThreadOf, class OperationOf>
bool frees_window(Iterator first, Iterator last, const ThreadOf& thread_of, const OperationOf& operation_of) {
  std::map<std::uint32_t, bool> frees;
  for (; first != last; ++first)
    frees[thread_of(*first)] = ends_window(static_cast<std::uint8_t>(operation_of(*first)));
  return std::any_of(frees.begin(), frees.end(), [](const auto& thread) { return thread.second; });
}

/// The blocks of one number of one sequence, by member. `Block` has a `head`.
template <class Block>
class MemberBlocks {
 public:
  /// `ranks`: members_of() the sequence. Both outlive this object.
  MemberBlocks(const std::vector<Block>& blocks, const std::vector<std::uint32_t>& ranks)
      : all_(blocks), ranks_(ranks), by_member_(ranks.size(), nullptr) {
    std::map<std::uint32_t, const Block*> by_rank;
    for (const Block& block : blocks) {
      by_rank[block.head.rank] = &block;
      most_ = std::max(most_, block.head.count);
    }
    least_ = ranks.empty() ? 0 : most_;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto found = by_rank.find(ranks[i]);
      const Block* block = by_member_[i] = found == by_rank.end() ? nullptr : found->second;
      least_ = std::min(least_, block == nullptr ? 0 : block->head.count);
      if (block != nullptr) counts_.add(block->head.of, block->head.is_freed);
    }
  }

  const SequenceKey& sequence() const { return all_.front().head.sequence; }
  const std::vector<Block>& all() const { return all_; }
  const std::vector<std::uint32_t>& ranks() const { return ranks_; }
  std::size_t members() const { return by_member_.size(); }
  /// nullptr: this member's calls ended before.
  const Block* of(std::size_t member) const { return by_member_[member]; }
  /// Which member the rank is; members() if it is none.
  std::size_t member(std::uint32_t rank) const {
    return static_cast<std::size_t>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
  }

  /// Instances of which there is any call, and those of which there are all: the first ones.
  std::uint32_t begun() const { return most_; }
  std::uint32_t complete() const { return least_; }
  /// Behind a gap the members' counts disagree: no instance is known.
  bool are_torn() const { return counts_.are_torn(sequence().stretch, members()); }
  /// A call is lost, nobody knows which.
  bool lack_a_call() const { return counts_.lack_a_call(members()); }

 private:
  const std::vector<Block>& all_;
  const std::vector<std::uint32_t>& ranks_;
  std::vector<const Block*> by_member_;
  MemberCounts counts_;
  std::uint32_t most_ = 0, least_ = 0;
};

/// The blocks that came to one partition.
template <class Block>
class MetBlocks {
 public:
  void add(Block block) {
    const std::pair where(block.head.sequence, block.head.block);
    met_[where].push_back(std::move(block));
  }
  /// `visit(MemberBlocks)`, by sequence and number. Without members where the definitions do not tell them.
  template <class Visit>
  void each(const Definitions& definitions, const Visit& visit) const {
    const SequenceKey* known = nullptr;
    std::vector<std::uint32_t> ranks;
    for (const auto& [where, blocks] : met_) {
      if (known == nullptr || *known != where.first) ranks = members_of(where.first, definitions);
      known = &where.first;
      visit(MemberBlocks<Block>(blocks, ranks));
    }
  }

 private:
  std::map<std::pair<SequenceKey, std::uint32_t>, std::vector<Block>> met_;
};

}  // namespace mora::trace
