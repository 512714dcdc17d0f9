#include "base/numbers/shares.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

TEST(Shares, SumIsTheAmountAndTiesGoToTheSmallerIndex) {
  EXPECT_EQ(exact_shares(10, {1, 1, 1}), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(exact_shares(7, {0, 0}), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(exact_shares(INT64_MAX, {INT64_MAX, 1}), (std::vector<std::int64_t>{INT64_MAX - 1, 1}));
}

}  // namespace
}  // namespace mora
