#include "report/intervals/executions.h"

#include "support/trace/interval_text.h"

namespace mora::report {
namespace {

using Stretches = std::vector<std::pair<Nanoseconds, Nanoseconds>>;

/// The program; two steps at a.c:10, the second with a solve in it; the same solve outside of them.
analysis::IntervalTable table() {
  analysis::IntervalTable table;
  table.intervals.resize(5);
  const auto put = [&](std::size_t at, std::size_t parent, const char* name, std::uint32_t line, std::uint32_t id) {
    table.intervals[at].parent = parent;
    table.intervals[at].name = name;
    table.intervals[at].file = "a.c";
    table.intervals[at].line = line;
    table.intervals[at].id = id;
  };
  put(1, 0, "step", 10, 1);
  put(2, 0, "step", 10, 2);
  put(3, 2, "solve", 20, 0);
  put(4, 0, "solve", 20, 0);
  return table;
}

TEST(Executions, AreThoseOfTheIntervalWithAllAroundIt) {
  const auto source = trace::testing::read(
      "region step interval at a.c:10\nregion solve interval at a.c:20\n"
      "P0 0 ENTER main; 10 ENTER step id 1; 20 EXIT; 30 ENTER step id 2; 32 ENTER solve; 34 ENTER solve; 35 EXIT; 36 "
      "EXIT; 37 ENTER solve; 38 EXIT; 40 EXIT; 50 ENTER solve; 60 EXIT; 70 EXIT\n"
      "P1 0 ENTER main; 15 ENTER step id 1; 25 EXIT; 27 ENTER step id 1; 30 EXIT; 70 EXIT\n");
  const auto marked = trace::with_intervals(*source, {});
  ASSERT_TRUE(marked);
  const auto of = [&](std::size_t interval) { return *executions_of(**marked, table(), interval); };
  EXPECT_EQ(of(1), (std::vector<Stretches>{{{10, 20}}, {{15, 25}, {27, 30}}}));
  EXPECT_EQ(of(2), (std::vector<Stretches>{{{30, 40}}, {}}));
  EXPECT_EQ(of(3), (std::vector<Stretches>{{{32, 36}, {37, 38}}, {}}));
  EXPECT_EQ(of(4), (std::vector<Stretches>{{{50, 60}}, {}}));
}

}  // namespace
}  // namespace mora::report
