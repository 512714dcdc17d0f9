/// Rules 1 to 6: for each a case where it must fire and one where it must not. Microseconds.
#include "support/report/advice_sample.h"

namespace mora::report::advice {
namespace {

constexpr std::uint32_t sequential = cube::all_processes;

// Each of 4 computes 100 alike and 300 of its own: 300 copies of 1600.
TEST(Rule1, SequentialSectionMt14) {
  Case c(4);
  const auto section = c.sample.interval(0, 10, sequential), loop = c.sample.interval(0, 20);
  c.compute(section, {100, 100, 100, 100});
  c.compute(loop, {300, 300, 300, 300});
  const Conclusion* found = c.find("rule-1");
  expect(found, 300'000, 1.0, 75'000);
  EXPECT_EQ(found->interval, 1u);
  EXPECT_EQ(found->places.front().site.line, 10u);
  EXPECT_EQ(found->ranks.size(), 4u);
  EXPECT_EQ(fact(*found, "insufficient_parallelism_sequential")->amount, 300'000);
  EXPECT_DOUBLE_EQ(c.advice.efficiency, 0.8125);
  EXPECT_EQ(c.rules(), "rule-1");
}

TEST(Rule1, NotWithoutTheMark) {
  Case c(4);
  const auto section = c.sample.interval(0, 10), loop = c.sample.interval(0, 20);
  c.compute(section, {100, 100, 100, 100});
  c.compute(loop, {300, 300, 300, 300});
  EXPECT_EQ(c.rules(), "");
  EXPECT_TRUE(c.advice.nothing_to_gain);
}

// Half of 4 x 100 is done twice: 200 of 1600.
TEST(Rule2, ReplicatedIterations) {
  Case c(4);
  const auto replicated = c.sample.interval(0, 10, 2), loop = c.sample.interval(0, 20);
  c.compute(replicated, {100, 100, 100, 100});
  c.compute(loop, {300, 300, 300, 300});
  expect(c.find("rule-2"), 200'000, 1.0, 50'000);
  EXPECT_EQ(c.rules(), "rule-2");
}

// 300 copies in a sequential section, 100 in replicated iterations: the latter are less than half.
TEST(Rule2, NotIfMostIsSequential) {
  Case c(4);
  const auto all = c.sample.interval(0, 5);
  const auto section = c.sample.interval(all, 10, sequential), replicated = c.sample.interval(all, 20, 2);
  c.compute(all, {0, 0, 0, 0});
  c.compute(section, {100, 100, 100, 100});
  c.compute(replicated, {50, 50, 50, 50});
  c.set("descend=0.9");
  const Conclusion* found = c.find("rule-1");
  expect(found, 300'000, 0.75 * 0.75, 100'000 - 25'000);
  EXPECT_EQ(c.find("rule-2"), nullptr);
}

/// One barrier of 4, rank 3 comes 30 late; run time 200.
Case mt4() {
  Case c(4);
  const auto barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(0, {169, 168, 169, 197});
  c.add("barrier", barrier, {1, 2, 1, 3});
  c.add("wait-at-barrier", barrier, {30, 30, 30, 0});
  c.add("visits", barrier, {1, 1, 1, 1});
  c.add("time-variation", barrier, {2, 1, 2, 0});
  return c;
}

// Communication 97, waiting 90, imbalance 28 + 29 + 28 = 85: 85 of 97 explained, 85 / 90 of the waiting.
TEST(Rule3, LoadImbalanceMt4) {
  Case c = mt4();
  const Conclusion* found = c.find("rule-3");
  expect(found, 85'000, 85.0 / 97 * 85 / 90, 22'500);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{3});
  EXPECT_EQ(fact(*found, "real_synchronization")->amount, 90'000);
  EXPECT_EQ(fact(*found, "load_imbalance")->amount, 85'000);
  EXPECT_EQ(fact(*found, "computation_above_mean")->amount, 197'000 - 703'000 / 4);
  EXPECT_EQ(c.rules(), "rule-3");
  // Nobody is idle, and yet the walk mentions the imbalance.
  bool told = false;
  for (const Step& step : c.advice.walks.front().steps) told = told || step.kind == "imbalance";
  EXPECT_TRUE(told);
}

// Rank 3 computes most, but it is rank 0 that the others wait for.
TEST(Rule3, NotIfSomebodyElseIsTheCause) {
  Case c = mt4();
  c.put("delay-costs", 0, {90, 0, 0, 0});
  EXPECT_EQ(c.find("rule-3"), nullptr);
  Case same = mt4();
  same.put("delay-costs", 0, {0, 0, 0, 90});
  EXPECT_NE(same.find("rule-3"), nullptr);
}

// The same waiting, but everybody computes alike: 2 of imbalance say nothing of 90.
TEST(Rule3, NotIfTheLoadIsEven) {
  Case c(4);
  const auto barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(0, {169, 168, 169, 169});
  c.add("barrier", barrier, {1, 2, 1, 31});
  c.add("wait-at-barrier", barrier, {30, 30, 30, 0});
  EXPECT_EQ(c.find("rule-3"), nullptr);
}

// Waiting 90 is dominant, but of 497: not.
TEST(Rule3, NotIfWaitingIsLittleOfCommunication) {
  Case c = mt4();
  const auto send = c.sample.call(0, "MPI_Send");
  c.add("point-to-point", send, {100, 100, 100, 100});
  EXPECT_EQ(c.find("rule-3"), nullptr);
  EXPECT_NE(c.find("rule-12"), nullptr);
}

/// 2 ranks, communication 50, waiting 40, no imbalance; rank 0 is let go `variation` before rank 1.
Case variation_case(std::int64_t variation) {
  Case c(2);
  const auto reduce = c.sample.call(0, "MPI_Allreduce");
  c.compute(0, {50, 50});
  c.add("collective", reduce, {5, 5});
  c.add("wait-at-nxn", reduce, {20, 20});
  c.add("time-variation", reduce, {variation, 0});
  return c;
}

TEST(Rule4, TimeVariation) {
  Case c = variation_case(40);
  const Conclusion* found = c.find("rule-4");
  expect(found, 40'000, 0.8, 25'000);  // gain: waiting 40 and 10 in collectives besides, by 2
  EXPECT_EQ(fact(*found, "time_variation")->amount, 40'000);
  EXPECT_EQ(found->places.front().label, "MPI_Allreduce@a.c:7");
}

TEST(Rule4, NotIfVariationIsSmall) {
  Case c = variation_case(19);
  EXPECT_EQ(c.find("rule-4"), nullptr);
  EXPECT_EQ(c.find("rule-5"), nullptr);  // no evidence of an imbalance anywhere
}

/// Compensating imbalances with a barrier behind each part: 10 and 30, then 30 and 10; each waits 20 once.
struct Compensating {
  Compensating() : c(2) {
    a = c.sample.interval(0, 10), b = c.sample.interval(0, 20);
    const auto first = c.sample.call(a, "MPI_Barrier"), second = c.sample.call(b, "MPI_Barrier");
    c.compute(a, {10, 30});
    c.compute(b, {30, 10});
    c.add("wait-at-barrier", first, {20, 0});
    c.add("wait-at-barrier", second, {0, 20});
  }
  Case c;
  cube::CallPathId a, b;
};

TEST(Rule5, CompensatingImbalanceMt5) {
  Compensating m;
  const Conclusion* found = m.c.find("rule-5");
  expect(found, 40'000, 1.0, 20'000);
  EXPECT_EQ(found->interval, 0u);
  EXPECT_EQ(fact(*found, "load_imbalance")->amount, 0);
  EXPECT_EQ(fact(*found, "load_imbalance_nested")->amount, 20'000);
  EXPECT_EQ(found->places.front().site.line, 10u);
  EXPECT_EQ(m.c.find("rule-3"), nullptr);
}

// The imbalance lies in the interval before the one that waits.
TEST(Rule5, PrecedingInterval) {
  Case c(2);
  const auto work = c.sample.interval(0, 10), exchange = c.sample.interval(0, 20);
  const auto barrier = c.sample.call(exchange, "MPI_Barrier");
  c.compute(work, {60, 100});
  c.compute(exchange, {1, 1});
  c.add("wait-at-barrier", barrier, {40, 0});
  c.cause("wait-at-barrier", barrier, 1, 40);
  EXPECT_EQ(c.find("rule-5"), nullptr);  // nothing says that it is why they wait
  c.add("delay-costs-barrier-short-term", work, {0, 40});
  const Conclusion* found = c.find("rule-5");
  ASSERT_NE(found, nullptr);
  expect(found, 40'000, 1.0, 20'000);
  EXPECT_EQ(found->interval, 2u);
  EXPECT_EQ(fact(*found, "delay_costs_preceding")->amount, 40'000);
  EXPECT_EQ(found->ranks.front(), 1u);
  EXPECT_EQ(c.advice.walks.front().steps[1].kind, "interval");
}

// Rank 0 computes 300 in front of the interval, outside any other; whether it is in front is known from its delay
// costs.
TEST(Rule5, OutsideOfIntervals) {
  Case c(2);
  c.compute(0, {300, 0});
  const auto work = c.sample.interval(0, 10), barrier = c.sample.call(work, "MPI_Barrier");
  c.compute(work, {200, 200});
  c.add("wait-at-barrier", barrier, {0, 300});
  EXPECT_EQ(c.find("rule-5"), nullptr);
  c.cause("wait-at-barrier", barrier, 0, 300);
  c.add("delay-costs-barrier-short-term", 0, {300, 0});
  const Conclusion* found = c.find("rule-5");
  ASSERT_NE(found, nullptr);
  expect(found, 300'000, 1.0, 150'000);
  EXPECT_EQ(fact(*found, "delay_costs_outside")->amount, 300'000);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{0});
}

// In call paths of an unmarked program.
TEST(Rule5, CallPathsWithoutIntervals) {
  Case c(2);
  const auto first = c.user(0, "pack"), second = c.user(0, "solve"), barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(first, {10, 30});
  c.compute(second, {30, 10});
  c.add("wait-at-barrier", barrier, {20, 20});
  expect(c.find("rule-5"), 40'000, 1.0, 20'000);
}

TEST(Rule5, NotIfNothingIsImbalancedAnywhere) {
  Case c(2);
  const auto first = c.user(0, "pack"), barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(first, {40, 40});
  c.add("wait-at-barrier", barrier, {20, 20});
  c.set("pop=0.5");  // that they wait in turn is another rule's business
  EXPECT_EQ(c.rules(), "");
  EXPECT_EQ(c.advice.walks.front().steps.back().kind, "no-cause");
}

// Communication 100, of that 60 of MPI-IO.
TEST(Rule6, InputAndOutput) {
  Case c(2);
  const auto write = c.sample.call(0, "MPI_File_write"), send = c.sample.call(0, "MPI_Send");
  c.compute(0, {50, 50});
  c.add("mpi-io-individual", write, {50, 10});
  c.add("point-to-point", send, {0, 40});
  // gain: 60 and no waiting or idling, shared by 2.
  expect(c.find("rule-6"), 60'000, 0.6 * 0.6, 30'000);
}

/// Rank 1 waits 40 for rank 0, of whose delay costs 30 lie in `where`.
Case waiting_for(const char* region, bool is_call) {
  Case c(2);
  const auto barrier = c.sample.call(0, "MPI_Barrier");
  const auto where = is_call ? c.sample.call(0, region) : c.user(0, region);
  c.compute(0, {50, 50});
  if (is_call) {
    c.add("mpi-io-individual", where, {30, 0});
  } else {
    c.compute(where, {30, 0});
  }
  c.add("barrier", barrier, {5, 0});
  c.add("wait-at-barrier", barrier, {0, 40});
  c.put("delay-costs", where, {30, 0});
  c.put("delay-costs", 0, {10, 0});
  return c;
}

// Communication 75 (I/O 30), waiting 40 of it: I/O caused 30. Without output 30 + 40 + 5 idle go, by 2.
TEST(Rule6, OthersWaitForTheRankThatWrites) {
  Case c = waiting_for("MPI_File_write", true);
  const Conclusion* found = c.find("rule-6");
  expect(found, 30'000, 30.0 / 75 * 0.75, 37'500);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{0});
  EXPECT_EQ(found->places.front().label, "MPI_File_write@a.c:7");
}

// Known by a name only: 15 of 45 count.
TEST(Rule6, ByNameHalfAsSure) {
  Case c = waiting_for("write_output", false);
  expect(c.find("rule-6"), 15'000, 15.0 / 45 * 0.75, 37'500);
}

TEST(Rule6, NotForOtherDelays) {
  Case c = waiting_for("prioritise", false);  // "io" inside a word is no word
  EXPECT_EQ(c.find("rule-6"), nullptr);
}

}  // namespace
}  // namespace mora::report::advice
