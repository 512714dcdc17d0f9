#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "trace/links/completions.h"
#include "trace/links/member_blocks.h"
#include "trace/links/posting_order.h"
#include "trace/links/request_map.h"

namespace mora::trace {
namespace {

TEST(RequestMap, BehavesLikeAMapUnderInsertionAndRemoval) {
  RequestMap mine;
  std::map<std::uint64_t, std::uint32_t> wanted;
  std::uint64_t seed = 1;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t number = (seed >> 33) % 97 * ((seed >> 20) % 2 == 0 ? 1 : 0x100000000ULL);
    if ((seed >> 50) % 2 == 0) {
      mine.set(number, i);
      wanted[number] = i;
    } else {
      const auto found = wanted.find(number);
      ASSERT_EQ(mine.take(number), found == wanted.end() ? RequestMap::none : found->second);
      if (found != wanted.end()) wanted.erase(found);
    }
    ASSERT_EQ(mine.size(), wanted.size());
  }
}

TEST(PostingOrder, NumbersOfReceivesAreToldInTheOrderOfCompletion) {
  std::uint64_t seed = 1;
  const auto any = [&](std::size_t below) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((seed >> 33) % below);
  };
  std::vector<std::uint32_t> at_once, in_order;
  const auto at_once_leave = numbers_of_completions(at_once);
  const auto in_order_leave = numbers_in_order([&](std::uint32_t serial) { in_order.push_back(serial); });
  PostingOrder order([&](const PostingOrder::Receive& receive) {
    at_once_leave(receive);
    in_order_leave(receive);
  });
  std::vector<std::uint32_t> open;
  std::size_t behind = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t what = any(8);
    if (what < 3) {
      open.push_back(order.posted(i));
    } else if (what == 3) {
      order.received(any(5), i);
    } else if (!open.empty()) {
      const std::uint32_t which = any(open.size());
      what == 4 ? order.drop(open[which]) : order.complete(open[which], any(5));
      open.erase(open.begin() + which);
    }
    ASSERT_LE(in_order.size(), at_once.size());
    behind = std::max(behind, at_once.size() - in_order.size());
  }
  order.finish();
  EXPECT_EQ(in_order, at_once);
  EXPECT_GT(in_order.size(), 5000U);
  EXPECT_GT(behind, 0U);  // some had to wait for their turn
}

Event record(EventKind kind, std::uint64_t request, std::uint32_t peer = no_id) {
  Event e;
  e.kind = kind;
  e.request = request;
  e.peer = peer;
  return e;
}

TEST(Completions, TellStartsApartThatHaveOneNumber) {
  Completions completions;
  for (const Event& e :
       {record(EventKind::receive_request, 7), record(EventKind::receive_complete, 7, 1),
        record(EventKind::send_request, 7), record(EventKind::send_complete, 7), record(EventKind::receive_request, 7),
        record(EventKind::collective_request, 7), record(EventKind::receive_complete, 7, 2),
        record(EventKind::receive_request, 7), record(EventKind::receive_request, 7),
        record(EventKind::receive_complete, 7, 3), record(EventKind::receive_complete, 7, 4)})
    completions.on_event(e);
  ASSERT_NE(completions.of(0), nullptr);
  EXPECT_EQ(completions.of(0)->peer, 1U);
  EXPECT_EQ(completions.of(1), nullptr);  // a send says nothing when it is complete
  ASSERT_NE(completions.of(2), nullptr);
  EXPECT_EQ(completions.of(2)->peer, 2U);
  EXPECT_EQ(completions.of(3), nullptr);  // a collective that was never complete
  EXPECT_EQ(completions.of(4), nullptr);  // its number was taken over
  ASSERT_NE(completions.of(5), nullptr);
  EXPECT_EQ(completions.of(5)->peer, 3U);
}

struct Block {
  BlockHead head;
  int content = 0;
};

SequenceKey collective(CommId comm, std::uint32_t stretch = 0) {
  SequenceKey key;
  key.a = comm;
  key.stretch = stretch;
  return key;
}

Block block(const SequenceKey& sequence, std::uint32_t rank, std::uint32_t of, std::uint32_t count,
            std::uint32_t number = 0) {
  Block b;
  b.head.sequence = sequence;
  b.head.rank = rank;
  b.head.of = of;
  b.head.count = count;
  b.head.block = number;
  return b;
}

/// "0:[0,4) 1:[4,8) 2:[8,9) ".
std::string blocks_of(std::uint32_t calls, std::uint32_t size, std::uint32_t from = 0, std::uint32_t to = no_id) {
  std::string text;
  BlockHead head;
  head.of = calls;
  each_block(
      head,
      [&](const BlockHead& part, std::uint32_t first, std::uint32_t end) {
        EXPECT_EQ(part.of, calls);
        EXPECT_EQ(part.count, end - first);
        text += std::to_string(part.block) + ":[" + std::to_string(first) + ',' + std::to_string(end) + ") ";
      },
      size, from, to);
  return text;
}

TEST(MemberBlocks, DivideAllCallsOnce) {
  EXPECT_EQ(blocks_of(0, 4), "");
  EXPECT_EQ(blocks_of(4, 4), "0:[0,4) ");
  EXPECT_EQ(blocks_of(9, 4), "0:[0,4) 1:[4,8) 2:[8,9) ");
  EXPECT_EQ(blocks_of(9, 4, 1, 2), "1:[4,8) ");
  EXPECT_EQ(blocks_of(9, 4, 1), "1:[4,8) 2:[8,9) ");
  EXPECT_EQ(blocks_of(9, 4, 3), "");
  // first = from * size does not fit into 32 bits
  EXPECT_EQ(blocks_of(UINT32_MAX, 0x80000000U), "0:[0,2147483648) 1:[2147483648,4294967295) ");
}

TEST(MemberBlocks, OfOneNumberMeetInOnePartition) {
  for (const std::size_t partitions : {1U, 2U, 3U, 8U}) {
    std::vector<bool> met(partitions);
    for (std::uint32_t number = 0; number < 2 * partitions; ++number) {
      const std::size_t where = block(collective(3), 0, 100, 10, number).head.partition(partitions);
      ASSERT_LT(where, partitions);
      EXPECT_EQ(block(collective(3), 7, 55, 5, number).head.partition(partitions), where);
      met[where] = true;
    }
    EXPECT_EQ(std::count(met.begin(), met.end(), true), static_cast<std::ptrdiff_t>(partitions));  // all have work
  }
}

TEST(MemberBlocks, SayWhichInstancesAreBegunAndComplete) {
  const std::vector<std::uint32_t> ranks{4, 2, 9};
  const std::vector<Block> blocks{block(collective(0), 9, 5, 5), block(collective(0), 4, 3, 3),
                                  block(collective(0), 2, 4, 4)};
  const MemberBlocks<Block> met(blocks, ranks);
  EXPECT_EQ(met.members(), 3U);
  EXPECT_EQ(met.of(0), &blocks[1]);  // in the order of the communicator, not of arrival
  EXPECT_EQ(met.of(1), &blocks[2]);
  EXPECT_EQ(met.of(2), &blocks[0]);
  EXPECT_EQ(met.member(9), 2U);
  EXPECT_EQ(met.member(5), met.members());
  EXPECT_EQ(met.begun(), 5U);
  EXPECT_EQ(met.complete(), 3U);
  EXPECT_FALSE(met.are_torn());
  EXPECT_FALSE(met.lack_a_call());
}

TEST(MemberBlocks, WithoutAMemberHaveNoInstance) {
  const std::vector<std::uint32_t> ranks{0, 1};
  const std::vector<Block> blocks{block(collective(0), 0, 2, 2)};
  const MemberBlocks<Block> met(blocks, ranks);
  EXPECT_EQ(met.of(1), nullptr);
  EXPECT_EQ(met.begun(), 2U);
  EXPECT_EQ(met.complete(), 0U);
  const std::vector<std::uint32_t> nobody;
  EXPECT_EQ(MemberBlocks<Block>(blocks, nobody).complete(), 0U);
}

TEST(MemberBlocks, IgnoreRanksThatAreNoMembers) {
  const std::vector<std::uint32_t> ranks{0};
  const std::vector<Block> blocks{block(collective(0, 1), 0, 2, 2), block(collective(0, 1), 3, 7, 7)};
  const MemberBlocks<Block> met(blocks, ranks);
  EXPECT_EQ(met.complete(), 2U);
  EXPECT_FALSE(met.are_torn());
}

TEST(MemberBlocks, AreTornBehindAGapIfTheCountsDisagree) {
  const std::vector<std::uint32_t> ranks{0, 1};
  for (const std::uint32_t stretch : {0U, 1U}) {
    const SequenceKey key = collective(0, stretch);
    // both members' first block is full; that their whole counts differ stands in its head
    const std::vector<Block> differ{block(key, 0, 9, 4), block(key, 1, 8, 4)};
    EXPECT_EQ(MemberBlocks<Block>(differ, ranks).are_torn(), stretch != 0);
    const std::vector<Block> agree{block(key, 0, 9, 4), block(key, 1, 9, 4)};
    EXPECT_FALSE(MemberBlocks<Block>(agree, ranks).are_torn());
    const std::vector<Block> missing{block(key, 0, 9, 4)};
    EXPECT_EQ(MemberBlocks<Block>(missing, ranks).are_torn(), stretch != 0);
  }
}

TEST(MemberBlocks, LackACallIfAllFreedAndTheCountsDisagree) {
  const std::vector<std::uint32_t> ranks{0, 1};
  std::vector<Block> blocks{block(collective(0), 0, 4, 4), block(collective(0), 1, 3, 3)};
  blocks[0].head.is_freed = true;
  EXPECT_FALSE(MemberBlocks<Block>(blocks, ranks).lack_a_call());  // recording of one may have ended before
  blocks[1].head.is_freed = true;
  EXPECT_TRUE(MemberBlocks<Block>(blocks, ranks).lack_a_call());
  blocks[1].head.of = 4;
  EXPECT_FALSE(MemberBlocks<Block>(blocks, ranks).lack_a_call());
}

TEST(MemberBlocks, FreeAWindowByTheLastCallOfAThread) {
  using mpi::RmaOperation;
  struct Call {
    std::uint32_t thread;
    RmaOperation operation;
  };
  const auto frees = [](const std::vector<Call>& calls) {
    return frees_window(
        calls.begin(), calls.end(), [](const Call& c) { return c.thread; }, [](const Call& c) { return c.operation; });
  };
  EXPECT_FALSE(frees({}));
  EXPECT_FALSE(frees({{0, RmaOperation::win_create}, {0, RmaOperation::fence}}));
  EXPECT_TRUE(frees({{0, RmaOperation::fence}, {0, RmaOperation::win_free}}));
  EXPECT_FALSE(frees({{0, RmaOperation::win_free}, {0, RmaOperation::fence}}));
  EXPECT_TRUE(frees({{1, RmaOperation::win_free}, {0, RmaOperation::fence}}));  // another thread's last call
}

TEST(MetBlocks, ComeBySequenceAndNumberWithTheirMembers) {
  Definitions definitions;
  definitions.communicators.resize(2);
  definitions.communicators[0].members = {0, 1};
  definitions.communicators[1].members = {1};
  MetBlocks<Block> met;
  met.add(block(collective(1), 1, 1, 1));
  met.add(block(collective(0), 1, 6, 2, 1));
  met.add(block(collective(0), 0, 4, 4));
  met.add(block(collective(0), 1, 6, 4));
  met.add(block(collective(5), 0, 1, 1));
  std::string text;
  met.each(definitions, [&](const MemberBlocks<Block>& blocks) {
    text += std::to_string(blocks.sequence().a) + '.' + std::to_string(blocks.all().front().head.block) + ' ' +
            std::to_string(blocks.complete()) + '/' + std::to_string(blocks.begun()) + " of " +
            std::to_string(blocks.members()) + "; ";
  });
  EXPECT_EQ(text, "0.0 4/4 of 2; 0.1 0/2 of 2; 1.0 1/1 of 1; 5.0 0/1 of 0; ");
}

}  // namespace
}  // namespace mora::trace
