#include "trace/readers/alog/alog_source.h"

#include <gtest/gtest.h>

#include "trace/readers/alog/alog_record.h"

namespace mora::trace {
namespace {

TEST(AlogRecord, SixNumbersAndAComment) {
  const auto record = alog::parse("  -13 0 1 2 0 7   green:boxes Rhode Island \r");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->type, alog::state);
  EXPECT_EQ(record->task, 1);
  EXPECT_EQ(record->data, 2);
  EXPECT_EQ(record->timestamp, 7000);
  EXPECT_EQ(record->comment, "green:boxes Rhode Island");
  for (const char* line :
       {"1 2 3 4 5", "1 2 3 4 5 x", "a 2 3 4 5 6", "1 2 3 4 99999999999999999999 6", "1 2 3 4 5 6x", "1 2 3 4 5 1e9"})
    EXPECT_FALSE(alog::parse(line)) << line;
}

TEST(AlogRecord, ColourIsNoPartOfTheName) {
  EXPECT_EQ(alog::region_name("green:boxes Region_A"), "Region_A");
  EXPECT_EQ(alog::region_name("green:boxes  Rhode  Island"), "Rhode  Island");
  EXPECT_EQ(alog::region_name("ns::f"), "ns::f");
  EXPECT_EQ(alog::region_name("Rhode Island"), "Rhode Island");
  EXPECT_EQ(alog::region_name(""), "");
}

TEST(AlogSource, IsRecognisedByItsFirstRecord) {
  EXPECT_TRUE(is_alog("# comment\n\n -3 0 0 2 0 0\n"));
  EXPECT_TRUE(is_alog("-101 0 0 1 0 5 1 8\n"));
  EXPECT_FALSE(is_alog("1 2 3 4 5 6\n"));  // user events alone could be any table of numbers
  EXPECT_FALSE(is_alog("-3 0 0 2\n"));
  EXPECT_FALSE(is_alog("#Paraver (01/01/00 at 00:00):10:1(1):1:1(1:1)\n1:1:1:1:1:0:10:1\n"));
  EXPECT_FALSE(is_alog("mora-trace 1\n"));
  EXPECT_FALSE(is_alog(""));
}

TEST(AlogSource, ProcessesHaveTheirNames) {
  const auto source = read_alog("-3 0 0 8 0 0\n-15 7 0 0 0 0 Server\n-15 9 0 0 0 0 nobody\n");
  ASSERT_TRUE(source);
  const auto& locations = (*source)->definitions().locations;
  ASSERT_EQ(locations.size(), 8U);
  EXPECT_EQ(locations[7].name, "Server");
  EXPECT_EQ(locations[3].name, "rank 3");
  EXPECT_EQ((*source)->definitions().world_size, 8U);
}

TEST(AlogSource, TimesThatDoNotFitAreCounted) {
  const auto source = read_alog(
      "-3 0 0 1 0 0\n-11 0 0 0 0 4294967295\n-9 0 0 5 0 0 e\n5 0 0 0 9223372036854775807 4294967295\n"
      "5 0 0 0 -9223372036854775808 0\n5 0 0 0 0 9223372036854775807\n5 0 0 0 0 -5\n");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->definitions().time_origin, -5000);
  const auto rows = (*source)->quality().rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, "damaged-record");
  EXPECT_EQ(rows[0].count, 3U);
}

/// The cut may fall between two digits, so a last line without an end is suspect even if it can be read.
TEST(AlogSource, ACutLastLineIsCounted) {
  const std::string whole = "-3 0 0 2 0 0\n-101 0 0 1 0 5 7 64\n-102 1 0 0 0 9 7 64\n";
  const auto kinds = [](const std::string& content) {
    std::string text;
    const auto source = read_alog(content);
    for (const QualityRow& row : (*source)->quality().rows()) text += row.kind + " ";
    return text;
  };
  EXPECT_EQ(kinds(whole), "");
  EXPECT_EQ(kinds(whole.substr(0, whole.size() - 1)), "truncated-trace ");
  EXPECT_EQ(kinds(whole.substr(0, whole.size() - 2)), "truncated-trace ");
  EXPECT_EQ(kinds(whole.substr(0, whole.size() - 5)), "damaged-record truncated-trace ");
}

TEST(AlogSource, ErrorsNameTheFile) {
  const auto source = read_alog("what is this\n", "some.alog");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().where, "some.alog");
  EXPECT_FALSE(read_alog("").has_value());
}

}  // namespace
}  // namespace mora::trace
