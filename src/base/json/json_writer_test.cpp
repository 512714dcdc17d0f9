#include "base/json/json_writer.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

TEST(JsonWriter, NestsAndQuotes) {
  JsonWriter w;
  w.begin_object().key("a").begin_line_array().integer(1).seconds(1'500'000'000).end_array();
  w.key("b\n").string("x\"\xFF").key("e").begin_object().end_object().end_object();
  EXPECT_EQ(w.str(), "{\n  \"a\": [1, 1.5],\n  \"b\\n\": \"x\\\"\xEF\xBF\xBD\",\n  \"e\": {}\n}");
}

}  // namespace
}  // namespace mora
