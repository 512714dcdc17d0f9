/// A remedy applied to a trace makes the run no shorter than the advice had said it could at most.
#include "report/advice/gain.h"

#include <gtest/gtest.h>

#include "analysis/analyze.h"
#include "trace/readers/text/text_source.h"

namespace mora::report::advice {
namespace {

struct Run {
  Nanoseconds time = 0;
  std::vector<Conclusion> conclusions;
};

Run run_of(const std::string& body) {
  Run run;
  const auto source = trace::read_trace_text("mora-trace 1\nunit us\n" + body);
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  if (!source) return run;
  analysis::AnalyzeOptions options;
  options.workers = 1;
  const auto result = analysis::analyze(**source, "text", options);
  EXPECT_TRUE(result);
  if (!result) return run;
  const ReportData data;
  const analysis::IntervalTable table = analysis::interval_table(result->cube);
  const Advice advice = advise({data, result->cube, table, nullptr, std::nullopt, ""}, Thresholds());
  run.time = advice.execution;
  run.conclusions = advice.conclusions;
  return run;
}

/// What `rule` says of the run before, at most `gain`, holds for the remedied one.
void expect_bound(const std::string& before, const std::string& after, const std::string& rule, Nanoseconds shrinks,
                  Nanoseconds gain) {
  const Run was = run_of(before), is = run_of(after);
  ASSERT_EQ(was.time - is.time, shrinks);
  bool is_said = false;
  for (const Conclusion& conclusion : was.conclusions) {
    if (conclusion.rule != rule) continue;
    is_said = true;
    EXPECT_GE(conclusion.gain, shrinks) << conclusion.gain_reason;
    EXPECT_EQ(conclusion.gain, gain) << conclusion.gain_reason;
  }
  EXPECT_TRUE(is_said) << rule;
}

// Waiting: 40 for the message; 49, 50, 50 at the barrier: 189. The message takes 1 on both sides. (189 + 2) / 4
// = 47.75.
TEST(Gain, LateSenderBeforeABarrier) {
  expect_bound(R"(P0 0 ENTER main; 50-51 MPI_Send@g.c:1 to 1; 51-101 MPI_Barrier@g.c:9; 101 EXIT
P1 0 ENTER main; 10-51 MPI_Recv@g.c:3 from 0; 100-101 MPI_Barrier@g.c:9; 101 EXIT
P2 0 ENTER main; 50-101 MPI_Barrier@g.c:9; 101 EXIT
P3 0 ENTER main; 50-101 MPI_Barrier@g.c:9; 101 EXIT
)",
               R"(P0 0 ENTER main; 10-11 MPI_Send@g.c:1 to 1; 51-61 MPI_Barrier@g.c:9; 61 EXIT
P1 0 ENTER main; 10-11 MPI_Recv@g.c:3 from 0; 60-61 MPI_Barrier@g.c:9; 61 EXIT
P2 0 ENTER main; 50-61 MPI_Barrier@g.c:9; 61 EXIT
P3 0 ENTER main; 50-61 MPI_Barrier@g.c:9; 61 EXIT
)",
               "late-sender-chain", 40'000, 47'750);
}

// Waiting 40, idle 49 + 90 + 90, message 1 + 1: 271 / 4.
TEST(Gain, LateSenderBeforeIdling) {
  expect_bound(R"(P0 0 ENTER main; 50-51 MPI_Send@g.c:1 to 1; 51 EXIT
P1 0 ENTER main; 10-51 MPI_Recv@g.c:3 from 0; 100 EXIT
P2 0-10 main
P3 0-10 main
)",
               R"(P0 0 ENTER main; 10-11 MPI_Send@g.c:1 to 1; 51 EXIT
P1 0 ENTER main; 10-11 MPI_Recv@g.c:3 from 0; 60 EXIT
P2 0-10 main
P3 0-10 main
)",
               "late-sender-chain", 40'000, 67'750);
}

// The message is in an interval, what it delays behind it. Waiting 40, idle 49, message 1 + 1, by 2; the interval alone
// would allow (40 + 2) / 2.
TEST(Gain, LateSenderInAnInterval) {
  expect_bound(R"(region part interval at a.c:10
P0 0 ENTER main; 0 ENTER part; 50-51 MPI_Send@g.c:1 to 1; 51 EXIT; 51 EXIT
P1 0 ENTER main; 0 ENTER part; 10-51 MPI_Recv@g.c:3 from 0; 51 EXIT; 100 EXIT
)",
               R"(region part interval at a.c:10
P0 0 ENTER main; 0 ENTER part; 10-11 MPI_Send@g.c:1 to 1; 51 EXIT; 51 EXIT
P1 0 ENTER main; 0 ENTER part; 10-11 MPI_Recv@g.c:3 from 0; 11 EXIT; 60 EXIT
)",
               "late-sender-chain", 40'000, 45'500);
}

// Computation 100, 20, 20, 20: waiting 240, 60 less with 40 on each.
TEST(Gain, ImbalanceBeforeABarrier) {
  expect_bound(R"(P0 0 ENTER main; 100-101 MPI_Barrier@g.c:9; 101 EXIT
P1 0 ENTER main; 20-101 MPI_Barrier@g.c:9; 101 EXIT
P2 0 ENTER main; 20-101 MPI_Barrier@g.c:9; 101 EXIT
P3 0 ENTER main; 20-101 MPI_Barrier@g.c:9; 101 EXIT
)",
               R"(P0 0 ENTER main; 40-41 MPI_Barrier@g.c:9; 41 EXIT
P1 0 ENTER main; 40-41 MPI_Barrier@g.c:9; 41 EXIT
P2 0 ENTER main; 40-41 MPI_Barrier@g.c:9; 41 EXIT
P3 0 ENTER main; 40-41 MPI_Barrier@g.c:9; 41 EXIT
)",
               "rule-3", 60'000, 60'000);
}

// Idle 80 by 2.
TEST(Gain, IdleEnd) {
  expect_bound(R"(P0 0 ENTER main; 100 EXIT
P1 0 ENTER main; 20 EXIT
)",
               R"(P0 0 ENTER main; 60 EXIT
P1 0 ENTER main; 60 EXIT
)",
               "rule-8", 40'000, 40'000);
}

// Ranks 0 and 1 compute the same 100, 2 and 3 nothing and wait 100 each: copies 100 and waiting 200, by 4. Without the
// copies each of the two computes 50.
TEST(Gain, DuplicatedSectionThatOthersWaitFor) {
  expect_bound(R"(region rows interval at a.c:10 replicated 2
P0 0 ENTER main; 0-100 rows; 100-101 MPI_Barrier@g.c:9; 101 EXIT
P1 0 ENTER main; 0-100 rows; 100-101 MPI_Barrier@g.c:9; 101 EXIT
P2 0 ENTER main; 0-101 MPI_Barrier@g.c:9; 101 EXIT
P3 0 ENTER main; 0-101 MPI_Barrier@g.c:9; 101 EXIT
)",
               R"(region rows interval at a.c:10
P0 0 ENTER main; 0-50 rows; 50-51 MPI_Barrier@g.c:9; 51 EXIT
P1 0 ENTER main; 0-50 rows; 50-51 MPI_Barrier@g.c:9; 51 EXIT
P2 0 ENTER main; 0-51 MPI_Barrier@g.c:9; 51 EXIT
P3 0 ENTER main; 0-51 MPI_Barrier@g.c:9; 51 EXIT
)",
               "rule-2", 50'000, 75'000);
}

// The root computes 60 first that nobody needs, then all wait for rank 1, which computes 40 after the broadcast.
// Waiting: 60 + 60 at the broadcast, 39 + 39 at the barrier (rank 0, too); besides, 1 on each of three at the
// broadcast.
TEST(Gain, LateRoot) {
  expect_bound(R"(P0 0 ENTER main; 60-61 MPI_Bcast@g.c:1 root 0; 61-101 MPI_Barrier@g.c:9; 101 EXIT
P1 0 ENTER main; 0-61 MPI_Bcast@g.c:1 root 0; 100-101 MPI_Barrier@g.c:9; 101 EXIT
P2 0 ENTER main; 0-61 MPI_Bcast@g.c:1 root 0; 61-101 MPI_Barrier@g.c:9; 101 EXIT
)",
               R"(P0 0 ENTER main; 0-1 MPI_Bcast@g.c:1 root 0; 61-62 MPI_Barrier@g.c:9; 62 EXIT
P1 0 ENTER main; 0-1 MPI_Bcast@g.c:1 root 0; 40-62 MPI_Barrier@g.c:9; 62 EXIT
P2 0 ENTER main; 0-1 MPI_Bcast@g.c:1 root 0; 1-62 MPI_Barrier@g.c:9; 62 EXIT
)",
               "late-root", 39'000, 67'000);
}

// A receiver that posts late: with an early MPI_Irecv the transfer hides, too. Rank 1 computes 60 of the 80.
TEST(Gain, LateReceiver) {
  expect_bound(R"(P0 0 ENTER main; 10-80 MPI_Ssend@g.c:1 to 1; 80 EXIT
P1 0 ENTER main; 60-80 MPI_Recv@g.c:3 from 0; 80 EXIT
)",
               R"(P0 0 ENTER main; 10-30 MPI_Ssend@g.c:1 to 1; 30 EXIT
P1 0 ENTER main; 0-0 MPI_Irecv@g.c:2 from 0 req a; 60-60 MPI_Wait@g.c:3 req a; 60 EXIT
)",
               "late-receiver", 20'000, 20'000);
}

TEST(Gain, TextNeverFallsBelowTheBound) {
  EXPECT_EQ(bound_for_people(33'334), "33.4 us");
  EXPECT_EQ(bound_for_people(33'300), "33.3 us");
  EXPECT_EQ(bound_for_people(999), "999 ns");
  EXPECT_EQ(bound_for_people(999'001), "1 ms");
  EXPECT_EQ(bound_for_people(1'000'000'001), "1.001 s");
  EXPECT_EQ(bound_for_people(0), "0 s");
  EXPECT_EQ(bound_percent_for_people(20, 100), "20.00 %");
  EXPECT_EQ(bound_percent_for_people(1, 3), "33.34 %");
  EXPECT_EQ(bound_percent_for_people(1, 1'000'000'000), "0.01 %");
  EXPECT_EQ(bound_percent_for_people(5, 0), "-");
}

}  // namespace
}  // namespace mora::report::advice
