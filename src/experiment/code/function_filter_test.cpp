#include "experiment/code/function_filter.h"

#include <gtest/gtest.h>

namespace mora::experiment {
namespace {

FunctionFilter filter_of(const std::string& text) { return FunctionFilter::parse(text, "rules").value(); }

TEST(FunctionFilter, TheLastRuleThatFitsCounts) {
  const auto filter = filter_of(
      "# everything but the solver\n"
      "exclude *\n"
      "include solve*   # its parts\n"
      "\n"
      "  exclude solve_tiny\n");
  EXPECT_TRUE(filter.includes("solve"));
  EXPECT_TRUE(filter.includes("solve_row"));
  EXPECT_FALSE(filter.includes("solve_tiny"));
  EXPECT_FALSE(filter.includes("main"));
  EXPECT_FALSE(filter_of("include a\nexclude *\n").includes("a"));
}

TEST(FunctionFilter, NamesOfCppWithAndWithoutArguments) {
  const auto filter = filter_of("exclude std::vector<*>::*\nexclude ring::step\nexclude sum(int, ?nt)\n");
  EXPECT_FALSE(filter.includes("std::vector<int, std::allocator<int> >::size() const"));
  EXPECT_FALSE(filter.includes("ring::step(int)"));
  EXPECT_FALSE(filter.includes("sum(int, int)"));
  EXPECT_TRUE(filter.includes("sum(int, long)"));
  EXPECT_TRUE(filter.includes("ring::stepper(int)"));
}

TEST(FunctionFilter, WithoutRulesAllAreKept) {
  EXPECT_TRUE(filter_of("").includes("anything"));
  EXPECT_TRUE(FunctionFilter::read("/nonexistent/functions.filter").value().includes("anything"));
}

TEST(FunctionFilter, ALineThatIsNoRule) {
  for (const char* text : {"exclude *\nskip main\n", "exclude *\nexclude\n", "exclude *\nmain\n"}) {
    const auto filter = FunctionFilter::parse(text, "my.rules");
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().kind, ErrorKind::usage);
    EXPECT_NE(filter.error().text().find("my.rules:2"), std::string::npos) << filter.error().text();
  }
}

}  // namespace
}  // namespace mora::experiment
