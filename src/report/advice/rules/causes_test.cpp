/// Conclusions that must name the right cause: delays of the very waiting, what was told already, unsure figures.
#include "report/advice/rule.h"
#include "support/report/advice_sample.h"

namespace mora::report::advice {
namespace {

void add_quality(Case& c, const char* kind, std::uint64_t count) {
  c.data.quality.push_back({kind, Severity::warning, "rank 0", count, "", ""});
}

/// `solve` ends in a collective that waits for rank 1; then rank 0 alone is in a region; then all wait for it 45.
Case one_rank_before() {
  Case c(4);
  const auto solve = c.sample.interval(0, 12), reduce = c.sample.call(solve, "MPI_Allreduce");
  const auto only0 = c.sample.interval(0, 22), last = c.sample.interval(0, 27);
  const auto barrier = c.sample.call(last, "MPI_Barrier");
  c.compute(solve, {80, 120, 80, 80});
  c.add("wait-at-nxn", reduce, {40, 0, 40, 40});
  c.cause("wait-at-nxn", reduce, 1, 120);
  c.add("delay-costs-n-to-n-short-term", solve, {0, 120, 0, 0});
  c.sample.compute(only0, 0, 15);
  c.compute(last, {3, 3, 3, 3});
  c.add("wait-at-barrier", barrier, {0, 15, 15, 15});
  c.cause("wait-at-barrier", barrier, 0, 45);
  c.add("delay-costs-barrier-short-term", only0, {45, 0, 0, 0});
  return c;
}

// The imbalance of `solve`, 120, is larger than the 45, but was waited for there: it is rank 0 alone.
TEST(Rule5, NamesWhoDelaysThisWait) {
  Case c = one_rank_before();
  const Conclusion* found = nullptr;
  for (const Conclusion& one : c.conclude().conclusions) {
    if (one.rule == "rule-5") found = &one;
  }
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(c.table.intervals[found->interval].line, 27u);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{0});
  EXPECT_EQ(found->explained, 45'000);
  EXPECT_DOUBLE_EQ(found->measure, 1);
  EXPECT_EQ(fact(*found, "delay_costs_preceding")->amount, 45'000);
  EXPECT_EQ(found->places.front().site.line, 22u);
  EXPECT_EQ(found->what.find("12"), std::string::npos) << found->what;
}

// Costs that the waits of the place itself account for are not this wait's.
TEST(Rule5, NotForDelaysThatWereWaitedForThere) {
  Case c(2);
  const auto solve = c.sample.interval(0, 12), first = c.sample.call(solve, "MPI_Barrier");
  const auto last = c.sample.interval(0, 27), second = c.sample.call(last, "MPI_Barrier");
  c.compute(solve, {10, 50});
  c.add("wait-at-barrier", first, {40, 0});
  c.cause("wait-at-barrier", first, 1, 40);
  c.add("delay-costs-barrier-short-term", solve, {0, 40});
  c.compute(last, {5, 5});
  c.add("wait-at-barrier", second, {30, 0});
  c.cause("wait-at-barrier", second, 1, 30);  // of a delay that nobody knows
  for (const Conclusion& one : c.conclude().conclusions) EXPECT_NE(one.rule, "rule-5");
}

/// The root waits 40 for rank 2, and the others wait 80 for the root: `passed` of that are charged to rank 2.
Case root_waits(std::int64_t own, std::int64_t passed) {
  Case c(3);
  const auto receive = c.sample.call(0, "MPI_Recv"), broadcast = c.sample.call(0, "MPI_Bcast");
  const auto work = c.user(0, "work");
  c.compute(work, {50, 50, 90});
  c.add("late-sender", receive, {40, 0, 0});
  c.cause("late-sender", receive, 2, 40);
  c.add("late-broadcast", broadcast, {0, 40, 40});
  c.cause("late-broadcast", broadcast, 0, 80);
  c.add("delay-costs-late-sender-short-term", work, {0, 0, 40});
  c.add("delay-costs-one-to-n-short-term", work, {own, 0, 0});
  c.add("delay-costs-late-sender-long-term", work, {0, 0, passed});
  return c;
}

TEST(LateRoot, NamesWhoTheRootWaitsFor) {
  Case c = root_waits(10, 70);
  const Conclusion* found = c.find("late-root");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->ranks.front(), 2u);
  EXPECT_NE(found->what.find("which itself waits for rank 2"), std::string::npos) << found->what;
  EXPECT_NE(found->advice.find("rank 2"), std::string::npos);
}

TEST(LateRoot, NamesTheRootThatIsLateItself) {
  Case c = root_waits(70, 10);
  const Conclusion* found = c.find("late-root");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->ranks.front(), 0u);
  EXPECT_EQ(found->what.find("waits for rank 2"), std::string::npos) << found->what;
}

// Rank 0 computes 288 of a mean of 242, but in one place 198 of a mean of 66: each number with its own mean.
TEST(LoadSentence, ComparesLikeWithLike) {
  Case c(3);
  const auto here = c.user(0, "here"), there = c.user(0, "there"), broadcast = c.sample.call(0, "MPI_Bcast");
  c.compute(here, {198, 0, 0});
  c.compute(there, {90, 219, 219});
  c.add("late-broadcast", broadcast, {0, 100, 100});
  c.cause("late-broadcast", broadcast, 0, 200);
  const Conclusion* found = c.find("late-root");
  ASSERT_NE(found, nullptr);
  const std::string text = fact(*found, "computation_above_mean")->text;
  EXPECT_NE(text.find("288 us in the program, the mean is 242 us"), std::string::npos) << text;
  EXPECT_NE(text.find("198 us in here"), std::string::npos) << text;
  EXPECT_NE(text.find("the mean there is 66 us"), std::string::npos) << text;
  EXPECT_EQ(text.find("132"), std::string::npos) << text;
}

// 50 of 60 are waiting for who starts late: no pipeline. What then remains is less.
TEST(Serialisation, NotIfTheyStartAtDifferentTimes) {
  Case c(2);
  const auto init = c.sample.call(0, "MPI_Init"), barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(0, {40, 40});
  c.add("wait-at-init", init, {25, 25});
  c.add("wait-at-barrier", barrier, {5, 5});
  EXPECT_EQ(c.find("serialisation"), nullptr);
}

// 60 of waiting, of that 20 at the start: 40 is what it may explain.
TEST(Serialisation, WithoutWaitingAtTheStart) {
  Case c(2);
  const auto init = c.sample.call(0, "MPI_Init"), barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(0, {40, 40});
  c.add("wait-at-init", init, {10, 10});
  c.add("wait-at-barrier", barrier, {20, 20});
  const Conclusion* found = c.find("serialisation");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->explained, 40'000);
  EXPECT_EQ(found->loss_amount, 60'000);
}

/// 80 of collectives in a loop, `waiting` of that on each of 2 ranks.
Case loop_of_collectives(std::int64_t waiting) {
  Case c(2);
  const auto reduce = c.sample.call(0, "MPI_Allreduce");
  c.compute(0, {60, 60});
  c.add("collective", reduce, {40 - waiting, 40 - waiting});
  c.add("wait-at-nxn", reduce, {waiting, waiting});
  c.add("visits", reduce, {200, 200});
  return c;
}

TEST(CollectivesInLoops, OnlyTheTimeBesidesWaiting) {
  Case c = loop_of_collectives(30);
  const Conclusion* found = c.find("collectives-in-loops");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->explained, 20'000);
  EXPECT_NEAR(found->measure, 0.25, 1e-9);
  Case waiting = loop_of_collectives(38);
  EXPECT_EQ(waiting.find("collectives-in-loops"), nullptr);
}

Case transfer(std::int64_t waiting, std::int64_t polling) {
  Case c(2);
  const auto send = c.sample.call(0, "MPI_Send"), test = c.sample.call(0, "MPI_Test");
  c.compute(0, {50, 50});
  c.add("point-to-point", send, {50 - waiting - polling, 50 - waiting - polling});
  c.add("late-receiver", send, {waiting, waiting});
  c.add("polling", test, {polling, polling});
  c.add("messages-sent", send, {50, 50});
  return c;
}

TEST(Rule12, NotIfMuchIsWaiting) {
  Case little = transfer(9, 0), much = transfer(21, 0);
  EXPECT_NE(little.find("rule-12"), nullptr);
  EXPECT_EQ(much.find("rule-12"), nullptr);
}

TEST(Rule12, NotWhatIsPolling) {
  Case c = transfer(0, 15);
  EXPECT_NE(c.find("polling"), nullptr);
  EXPECT_EQ(c.find("rule-12"), nullptr);
}

TEST(Rule12, NotIfAnotherCauseHasIt) {
  Case c(2);
  const auto send = c.sample.call(0, "MPI_Send");
  c.compute(0, {50, 50});
  c.add("point-to-point", send, {50, 50});
  c.add("messages-sent", send, {200, 200});
  c.add("bytes-sent", send, {200, 200});
  EXPECT_EQ(c.rules(), "rule-11");
}

// One of 100 messages without a partner counts, none of 200 would.
TEST(Quality, WhatRestsOnWaitingIsNotSure) {
  Case c = one_rank_before();
  EXPECT_EQ(confidence_word(c.find("rule-5")->confidence), "high");
  add_quality(c, "truncated-location", 1);
  const Conclusion* found = c.find("rule-5");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(confidence_word(found->confidence), "low");
  EXPECT_NE(fact(*found, "waiting_not_known")->text.find("truncated-location"), std::string::npos);

  Case unmatched = transfer(0, 0);
  add_quality(unmatched, "unmatched-send", 1);
  EXPECT_EQ(unmatched.find("rule-12"), nullptr);
  Case few = transfer(0, 0);
  few.sample.add("messages-sent", 1, 0, 100);
  few.sample.add("bytes-sent", 1, 0, 1'000'000);  // no small messages
  add_quality(few, "unmatched-send", 1);
  EXPECT_NE(few.find("rule-12"), nullptr);
  Case polling = transfer(0, 50);
  add_quality(polling, "unmatched-send", 1);
  EXPECT_EQ(confidence_word(polling.find("polling")->confidence), "high");
}

// 5 executions on each of 3 ranks: the first and 4 others, however many ranks.
TEST(Rule9, CountsExecutionsNotRanks) {
  Case c(3);
  const auto loop = c.sample.interval(0, 10);
  for (const unsigned rank : {0u, 1u, 2u}) c.sample.compute(loop, rank, 90, 5);
  c.put("first-execution", loop, {50, 50, 50});
  const Conclusion* found = c.find("rule-9");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(fact(*found, "other_executions")->text, "mean of the 4 others: 10 us");
}

TEST(Caveats, OneProcessIsNotToldToRunOneProcess) {
  Case one(1), two(2);
  one.compute(0, {50});
  two.compute(0, {50, 50});
  EXPECT_TRUE(one.conclude().caveats.empty());
  EXPECT_EQ(two.conclude().caveats.size(), 1u);
}

TEST(Verdict, NoPartIsAsLargeAsTheThreshold) {
  Case c = transfer(0, 0);
  c.set("loss=0.9");
  const std::string verdict = c.conclude().verdict;
  EXPECT_NE(verdict.find("no part of it is as large as 0.9"), std::string::npos) << verdict;
}

// A share above 1: "278 % of the waiting" says nothing.
TEST(Facts, NoShareAboveAll) {
  EXPECT_EQ(share_fact("x", "imbalance", 125'000, 45'000, "the waiting").text,
            "imbalance 125 us, more than the waiting (45 us)");
  EXPECT_EQ(share_fact("x", "imbalance", 45'000, 45'000, "the waiting").text,
            "imbalance 45 us, 100.00 % of the waiting");
}

}  // namespace
}  // namespace mora::report::advice
