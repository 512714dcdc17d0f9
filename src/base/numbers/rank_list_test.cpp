#include "base/numbers/rank_list.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

std::string held(const char* text, std::uint32_t size) {
  const auto list = RankList::parse(text, "--ranks");
  if (!list) return list.error().why;
  std::string ranks;
  for (std::uint32_t rank = 0; rank < size; ++rank) ranks += list->holds(rank) ? 'x' : '.';
  return ranks;
}

TEST(RankList, HoldsWhatIsListed) {
  EXPECT_EQ(held("3", 6), "...x..");
  EXPECT_EQ(held("0,4-7", 9), "x...xxxx.");
  EXPECT_EQ(held("all", 3), "xxx");
}

TEST(RankList, OrderAndOverlapDoNotMatter) {
  EXPECT_EQ(held("5,0-2,1", 7), "xxx..x.");
  EXPECT_EQ(held("2-5,4-8,0", 10), "x.xxxxxxx.");
  EXPECT_EQ(held("1-9,3-4", 11), ".xxxxxxxxx.");
  EXPECT_EQ(RankList::parse("1-9,3-4", "")->highest(), 9u);
}

TEST(RankList, TakesNoMemoryForItsRanks) {
  const auto list = RankList::parse("0-9959959,4294967295", "--ranks");
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->holds(9'959'959) && list->holds(UINT32_MAX));
  EXPECT_FALSE(list->holds(9'959'960) || list->is_all());
  EXPECT_EQ(list->highest(), UINT32_MAX);
}

TEST(RankList, WhatIsNoneIsRefusedByWord) {
  for (const char* text :
       {"", "1,", "a", "-3", "3-", "5-2", "1 2", "1,,2", "0x1", "99999999999", "4294967296", "all,1"}) {
    const auto list = RankList::parse(text, "--ranks");
    ASSERT_FALSE(list) << text;
    EXPECT_EQ(list.error().kind, ErrorKind::usage);
  }
  EXPECT_EQ(held("0,x,3", 3), "'x' is neither a rank nor a range of ranks");
}

}  // namespace
}  // namespace mora
