#include "base/text/rank_words.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

TEST(RankWords, StretchesAndTheFirstOfMany) {
  EXPECT_EQ(ranks_in_words({3}), "rank 3");
  EXPECT_EQ(ranks_in_words({0, 1, 2, 3}), "ranks 0-3");
  EXPECT_EQ(ranks_in_words({0, 2, 7, 8, 9}), "ranks 0, 2 and 7-9");
  EXPECT_EQ(ranks_in_words({0, 2, 4, 6, 8, 10, 11}), "ranks 0, 2, 4, 6 and 3 more");
}

}  // namespace
}  // namespace mora
