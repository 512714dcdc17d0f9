#include "base/numbers/read_number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace mora {
namespace {

TEST(ReadNumber, TheWholeTextIsOne) {
  std::uint32_t number = 7;
  EXPECT_TRUE(read_number("4294967295", number));
  EXPECT_EQ(number, 4294967295U);
  std::uint64_t address = 0;
  EXPECT_TRUE(read_number("7fff0000", address, 16));
  EXPECT_EQ(address, 0x7fff0000U);
  double share = 0;
  EXPECT_TRUE(read_number("0.25", share));
  EXPECT_EQ(share, 0.25);
  for (const char* none : {"", " 1", "1 ", "+1", "-1", "1.0", "4294967296", "0x1", "x"})
    EXPECT_FALSE(read_number(none, number)) << none;
}

}  // namespace
}  // namespace mora
