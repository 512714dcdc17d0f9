#include "base/numbers/shares.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

TEST(Shares, SumIsTheAmountAndTiesGoToTheSmallerIndex) {
  EXPECT_EQ(exact_shares(10, {1, 1, 1}), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(exact_shares(3, {1, 0, 1}), (std::vector<std::int64_t>{2, 0, 1}));
  EXPECT_EQ(exact_shares(10, {1, 2}), (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(exact_shares(11, {1, 2}), (std::vector<std::int64_t>{4, 7}));
  EXPECT_EQ(exact_shares(12, {1, 2}), (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(exact_shares(7, {0, 0}), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(exact_shares(INT64_MAX, {INT64_MAX, 1}), (std::vector<std::int64_t>{INT64_MAX - 1, 1}));
}

}  // namespace
}  // namespace mora
