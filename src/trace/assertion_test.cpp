#include "trace/assertion.h"

#include <gtest/gtest.h>

#include "journal/format.h"

namespace mora::trace {
namespace {

TEST(Assertion, IsTheJournalsMapping) {
  EXPECT_EQ(assertion_nocheck, static_cast<std::uint32_t>(MORA_ASSERT_NOCHECK));
  EXPECT_EQ(assertion_nostore, static_cast<std::uint32_t>(MORA_ASSERT_NOSTORE));
  EXPECT_EQ(assertion_noput, static_cast<std::uint32_t>(MORA_ASSERT_NOPUT));
  EXPECT_EQ(assertion_noprecede, static_cast<std::uint32_t>(MORA_ASSERT_NOPRECEDE));
  EXPECT_EQ(assertion_nosucceed, static_cast<std::uint32_t>(MORA_ASSERT_NOSUCCEED));
}

TEST(Assertion, TextAndBack) {
  EXPECT_EQ(assertion_text(0), "0");
  EXPECT_EQ(assertion_text(8), "noprecede");
  EXPECT_EQ(assertion_text(31), "nocheck+nostore+noput+noprecede+nosucceed");
  EXPECT_EQ(assertion_text(65), "nocheck+64");
  for (std::uint32_t bits = 0; bits < 128; ++bits) EXPECT_EQ(parse_assertion(assertion_text(bits)), bits);
  EXPECT_EQ(parse_assertion("4294967295"), 4294967295u);
}

TEST(Assertion, NonsenseIsRefused) {
  for (const char* text : {"", "+", "noput+", "noputt", "8x", "4294967296", "-1"})
    EXPECT_EQ(parse_assertion(text), std::nullopt) << text;
}

}  // namespace
}  // namespace mora::trace
