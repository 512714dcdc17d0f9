// Schedules in the syntax of LogGOPSim's documentation, what becomes of requirements that are no sequence, and what is
// refused.
#include "trace/readers/goal/goal_source.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "trace/readers/goal/goal_schedule.h"

namespace mora::trace {
namespace {

GoalOperation calc() { return {GoalOperation::calc, 0, 0, 100, 1, ""}; }
GoalOperation receive() { return {GoalOperation::receive, 1, 0, 8, 1, ""}; }

/// "0 1 w0 2": begins 0 and 1, waits for 0, begins 2.
std::string words_of(const GoalOrder& order) {
  std::string text;
  for (const GoalStep& step : order.steps)
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", step.waits ? "w" : "", step.operation);
  return text;
}

TEST(GoalOrder, WaitsForWhatIsRequired) {
  const GoalOrder order = order_of({{receive(), calc(), receive()}, {{1, 0, true}, {2, 1, true}}});
  EXPECT_EQ(words_of(order), "0 w0 1 2 w2");
  EXPECT_EQ(order.late, 0U);
}

TEST(GoalOrder, WhatRequiresNothingIsNotLeftBehindAWait) {
  const GoalOrder order = order_of({{receive(), calc(), receive(), calc()}, {{1, 0, true}}});
  EXPECT_EQ(words_of(order), "0 2 3 w0 1 w2");
  EXPECT_EQ(order.late, 0U);
}

TEST(GoalOrder, IrequiresIsOrderOnly) {
  const GoalOrder order = order_of({{calc(), receive(), calc()}, {{0, 1, false}, {2, 0, false}}});
  EXPECT_EQ(words_of(order), "1 0 2 w1");
  EXPECT_EQ(order.late, 0U);
}

TEST(GoalOrder, BranchesThatJoinWaitInTheirOrder) {
  // 2 requires 0 and 3 requires 1, whichever comes first: one of them is late. 4 requires both.
  const GoalOrder order = order_of(
      {{receive(), receive(), calc(), calc(), calc()}, {{2, 0, true}, {3, 1, true}, {4, 2, true}, {4, 3, true}}});
  EXPECT_EQ(words_of(order), "0 1 w0 2 w1 3 4");
  EXPECT_EQ(order.late, 1U);
  EXPECT_EQ(order.first_late, 3U);
}

TEST(GoalOrder, WhatFollowsALateOperationIsLateToo) {
  // 3 is late behind the wait for 0, and so are 4 and 5, which require it only; 6 requires all.
  const GoalOrder order =
      order_of({{receive(), receive(), calc(), calc(), calc(), calc(), calc()},
                {{2, 0, true}, {3, 1, true}, {4, 3, true}, {5, 4, true}, {6, 5, true}, {6, 2, true}}});
  EXPECT_EQ(words_of(order), "0 1 w0 2 w1 3 4 5 6");
  EXPECT_EQ(order.late, 3U);
  EXPECT_EQ(order.first_late, 3U);
}

TEST(GoalOrder, AnOperationMayRequireSeveralMessages) {
  const GoalOrder order =
      order_of({{receive(), receive(), calc(), calc()}, {{2, 1, true}, {2, 0, true}, {2, 0, true}, {3, 2, true}}});
  EXPECT_EQ(words_of(order), "0 1 w1 w0 2 3");
  EXPECT_EQ(order.late, 0U);
}

TEST(GoalOrder, RequirementsMayStandBeforeWhatTheyRequire) {
  const GoalOrder order = order_of({{calc(), receive()}, {{0, 1, true}}});
  EXPECT_EQ(words_of(order), "1 w1 0");
  EXPECT_EQ(order.late, 0U);
}

TEST(GoalOrder, CirclesAreFound) {
  const GoalOrder order = order_of({{calc(), calc(), calc()}, {{1, 2, true}, {2, 1, false}}});
  ASSERT_TRUE(order.circle);
  EXPECT_TRUE(*order.circle == 1 || *order.circle == 2);
}

/// "enter MPI_Init" … of one location, without the first and the last call.
std::vector<std::string> calls_of(Source& source, LocationId location) {
  struct Names : EventSink {
    explicit Names(const Definitions& d) : definitions(d) {}
    void on_event(const Event& e) override {
      if (e.kind == EventKind::enter) names.push_back(definitions.regions[e.region].name);
    }
    const Definitions& definitions;
    std::vector<std::string> names;
  } sink(source.definitions());
  EXPECT_TRUE(source.read_location(location, sink));
  return sink.names;
}

constexpr const char* tree = R"(// a broadcast among three, as Schedgen writes it
num_ranks 3

rank 0 {
l1: send 8b to 1 tag 42001
l2: send 8 b to 2 tag 42001 cpu 0 nic 0
}

/* ranks may come
   in any order */
rank 2 {
l1: recv 8b from 0 tag 42001
l2: calc 100 // afterwards
l2 requires l1
calc 50
}

rank 1 {
recv 8b from 0 tag 42001 }
)";

TEST(GoalSource, ReadsWhatTheDocumentationShows) {
  const auto source = read_goal(tree, "tree.goal");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->definitions().world_size, 3U);
  EXPECT_EQ((*source)->format(), "GOAL schedule");
  using List = std::vector<std::string>;
  EXPECT_EQ(calls_of(**source, 0), (List{"MPI_Init", "MPI_Isend", "MPI_Send", "MPI_Wait", "MPI_Finalize"}));
  EXPECT_EQ(calls_of(**source, 1), (List{"MPI_Init", "MPI_Recv", "MPI_Finalize"}));
  EXPECT_EQ(calls_of(**source, 2), (List{"MPI_Init", "MPI_Irecv", "compute", "MPI_Wait", "compute", "MPI_Finalize"}))
      << "the last computation requires nothing";
  EXPECT_TRUE((*source)->quality().empty());
}

TEST(GoalSource, RanksWithoutASchedule) {
  const auto source = read_goal("num_ranks 3", "a.goal");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->definitions().world_size, 3U);
}

TEST(GoalSource, SaysThatOperationsBeginLate) {
  const auto source = read_goal(
      "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: recv 1b from 1\nc: calc 1\nd: calc 2\nc requires a\nd requires "
      "b\n}\nrank 1 {\n}\n",
      "a.goal");
  ASSERT_TRUE(source) << source.error().text();
  const auto rows = (*source)->quality().rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, "operations-in-order");
  EXPECT_EQ(rows[0].count, 1U);
  EXPECT_NE(rows[0].what.find("first: line 6"), std::string::npos) << rows[0].what;
}

TEST(GoalSource, RanksWithoutABlockAreTold) {
  const auto source = read_goal("num_ranks 4\nrank 0 {\ncalc 5\n}\nrank 2 {\n}\n", "a.goal");
  ASSERT_TRUE(source) << source.error().text();
  const auto rows = (*source)->quality().rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, "ranks-without-operations");
  EXPECT_EQ(rows[0].count, 2U);
}

/// "LINE: why".
std::string refusal_of(const std::string& text) {
  const auto source = read_goal(text, "a.goal");
  if (source) return "none";
  EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
  EXPECT_EQ(source.error().where.substr(0, 7), "a.goal:");
  return source.error().where.substr(7) + ": " + source.error().why;
}

TEST(GoalSource, ErrorsNameLineAndReason) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "1: num_ranks is expected instead of the end of the file"},
      {"rank 0 {\n}\n", "1: num_ranks is expected instead of \"rank\""},
      {"num_ranks\n2", "1: the number of ranks is expected instead of the end of the line"},
      {"num_ranks 0", "1: there are no ranks"},
      {"num_ranks 99999999", "1: the number of ranks is 99999999, and at most 4098 is possible"},
      {"num_ranks 1\nrank 1 {\n}\n", "2: a rank is 1, and at most 0 is possible"},
      {"num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", "4: rank 0 stands here a second time"},
      {"num_ranks 1\nrank 0 {\ncalc 5\n", "4: the rank has no closing bracket"},
      {"num_ranks 1\nrank 0 {\ncalc 5 /* no end\n}\n", "5: a comment has no end"},
      {"num_ranks 1\nrank 0 {\ncalc 5 7\n}\n", "3: the end of the line is expected instead of \"7\""},
      {"num_ranks 1\nrank 0 {\ncalc -5\n}\n", "3: the nanoseconds of calc is expected instead of \"-5\""},
      {"num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}\n",
       "3: the nanoseconds of calc is 99999999999999999999, and at most 1000000000000000 is possible"},
      {"num_ranks 1\nrank 0 {\nx: jump 5\n}\n", "3: send, recv or calc is expected instead of \"jump\""},
      {"num_ranks 1\nrank 0 {\nx calc 5\n}\n", "3: \":\", requires or irequires is expected instead of \"calc\""},
      {"num_ranks 1\nrank 0 {\n7: calc 5\n}\n",
       "3: an operation, a label or a closing bracket is expected instead of \"7\""},
      {"num_ranks 2\nrank 0 {\nsend 5 to 1\n}\n", "3: b, for bytes, is expected instead of \"to\""},
      {"num_ranks 2\nrank 0 {\nsend b to 1\n}\n", "3: a size, like 8b, is expected instead of \"b\""},
      {"num_ranks 2\nrank 0 {\nsend 5b from 1\n}\n", "3: to is expected instead of \"from\""},
      {"num_ranks 2\nrank 0 {\nsend 5b to 2\n}\n", "3: a rank is 2, and at most 1 is possible"},
      {"num_ranks 2\nrank 0 {\nsend 5b to 1 tag 1 tag 2\n}\n", "3: the end of the line is expected instead of \"tag\""},
      {"num_ranks 2\nrank 0 {\nrecv 5b from -1\n}\n",
       "3: it receives from any rank: which message that is depends on times that the schedule does not hold"},
      {"num_ranks 2\nrank 0 {\nrecv 5b from 1 tag -1\n}\n",
       "3: it has any tag: which message that is depends on times that the schedule does not hold"},
      {"num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}\n", "4: the label a is given a second time"},
      {"num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n", "4: no operation of this rank has the label b"},
      {"num_ranks 1\nrank 0 {\na: calc 5\nb requires a\n}\n", "4: no operation of this rank has the label b"},
      {"num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb irequires a\n}\n",
       "3: a requires itself, through others"},
      {"num_ranks 1\nrank 0 {\na: calc 5\na requires a\n}\n", "3: a requires itself, through others"},
      {"num_ranks 1\nrank 0 {\ncalc 5 cpu 0\ncalc 5 cpu 1\n}\n",
       "4: the rank computes on the processors 0 and 1 at once, and a rank is one thread here"},
      {"num_ranks 2\nrank 0 {\nsend 5b to 1 nic 1\n}\n", "3: it uses the network interface 1, and a rank has one here"},
      {"num_ranks 1\nrank 0 {\n}\nend", "4: rank is expected instead of \"end\""},
  };
  for (const auto& [text, expected] : wrong) EXPECT_EQ(refusal_of(text), expected) << text;
}

TEST(GoalSource, TimesThatDoNotFitAreRefused) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 1001; ++i) text += "calc 1000000000000000\n";
  EXPECT_EQ(refusal_of(text + "}\n"), "1003: the times are too large");
}

TEST(GoalSource, IsKnownByItsFirstWord) {
  EXPECT_TRUE(is_goal("num_ranks 2"));
  EXPECT_TRUE(is_goal("// by hand\n/* or\nnot */ \n num_ranks 2"));
  EXPECT_FALSE(is_goal("num_ranksx 2"));
  EXPECT_FALSE(is_goal("rank 0 {"));
  EXPECT_FALSE(is_goal(""));
}

}  // namespace
}  // namespace mora::trace
