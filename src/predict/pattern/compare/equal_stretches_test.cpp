#include "predict/pattern/compare/equal_stretches.h"

#include <gtest/gtest.h>

#include <random>

namespace mora::predict {
namespace {

PatternTrace job(std::uint32_t world) {
  PatternTrace trace;
  auto& d = trace.definitions;
  d.world_size = world;
  d.datatypes = {{"MPI_INT", 4, 4, true, true, 1}};
  Communicator all, self;
  all.name = "MPI_COMM_WORLD";
  for (std::uint32_t r = 0; r < world; ++r) all.members.push_back(r);
  self.name = "MPI_COMM_SELF";
  d.communicators = {all, self};
  return trace;
}

Call of(Operation operation, std::int64_t count = -1, std::uint32_t communicator = 0) {
  Call c;
  c.operation = operation;
  c.communicator = communicator;
  if (count >= 0) c.sent = {count, 0};
  return c;
}

void add_rank(PatternTrace& trace, std::uint32_t rank, const std::vector<Call>& calls) {
  RankTraceBuilder builder(rank);
  for (const auto& call : calls) builder.add(call);
  trace.ranks.push_back(builder.finish());
}

RankLikeness likeness(const std::vector<Call>& real_calls, const std::vector<Call>& dry_calls) {
  auto real = job(2), dry = job(2);
  add_rank(real, 0, real_calls);
  add_rank(dry, 0, dry_calls);
  const auto all = equal_stretches(real, dry);
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

constexpr auto barrier = Operation::barrier, allreduce = Operation::allreduce,
               reduce_scatter = Operation::reduce_scatter_block;

TEST(EqualStretches, EqualRunsAreOneStretch) {
  const std::vector<Call> calls{of(Operation::send, 3), of(barrier), of(Operation::send, 4)};
  const auto found = likeness(calls, calls);
  EXPECT_TRUE(found.whole);
  EXPECT_EQ(found.equal_calls, 3u);
  ASSERT_EQ(found.stretches.size(), 1u);
  EXPECT_EQ(found.stretches[0].operations,
            (std::vector<std::pair<Operation, std::uint64_t>>{{Operation::send, 2}, {barrier, 1}}));
}

TEST(EqualStretches, AfterADifferenceTheNextLandmarkIsLookedFor) {
  const auto send = of(Operation::send, 3), other = of(Operation::send, 4), poll = of(Operation::iprobe);
  const auto found = likeness({send, other, send, send, of(barrier), poll, send, of(allreduce, 1)},  //
                              {send, other, other, of(barrier), send, of(allreduce, 1)});
  EXPECT_EQ(found.real_calls, 7u);
  EXPECT_EQ(found.dry_calls, 6u);
  EXPECT_EQ(found.equal_calls, 5u);
  ASSERT_EQ(found.stretches.size(), 2u);
  EXPECT_EQ(found.stretches[0].real_last, 2u);
  const auto& second = found.stretches[1];
  EXPECT_EQ(second.real_first, 5u);
  EXPECT_EQ(second.real_last, 8u);  // the probe counts, but is not compared
  EXPECT_EQ(second.dry_first, 4u);
  EXPECT_EQ(second.dry_last, 6u);
  EXPECT_EQ(second.calls, 3u);
  EXPECT_EQ(second.first, "Barrier, on MPI_COMM_WORLD");
  EXPECT_EQ(
      sentences_about(found, 1),
      (std::vector<std::string>{
          "rank 0: 5 calls are equal, of 7 in the real run and 6 in the dry run, in 2 stretches",
          "  calls 5-8 (in the dry run 4-6): Barrier, on MPI_COMM_WORLD to Allreduce 1 x MPI_INT, on MPI_COMM_WORLD",
          "    1 Send, 1 Barrier, 1 Allreduce"}));
}

TEST(EqualStretches, MessagesAloneAreNoPlaceToGoOn) {
  const auto a = of(Operation::send, 1), b = of(Operation::send, 2);
  EXPECT_EQ(likeness({a, b, b, b}, {b, b, b}).equal_calls, 0u);
}

TEST(EqualStretches, LandmarksOfOneRunOnlyAreSkipped) {
  const auto found = likeness({of(barrier), of(barrier), of(barrier), of(allreduce, 1)},
                              {of(allreduce, 2), of(barrier), of(allreduce, 1)});
  EXPECT_EQ(found.equal_calls, 2u);
  EXPECT_TRUE(found.whole);
}

TEST(EqualStretches, AsManyLandmarksAsPossibleAreEqual) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Call> calls[2];
    for (auto& c : calls)
      for (auto n = random() % 12; n > 0; --n) c.push_back(of(allreduce, random() % 3));
    const auto &x = calls[0], &y = calls[1];
    std::vector<std::vector<std::uint64_t>> longest(x.size() + 1, std::vector<std::uint64_t>(y.size() + 1));
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < y.size(); ++j)
        longest[i + 1][j + 1] = x[i] == y[j] ? longest[i][j] + 1 : std::max(longest[i][j + 1], longest[i + 1][j]);
    const auto found = likeness(x, y);
    EXPECT_EQ(found.equal_calls, longest[x.size()][y.size()]) << "round " << round;
    EXPECT_TRUE(found.whole);
  }
}

TEST(EqualStretches, RunsThatHaveTooLittleInCommonAreNotLookedThrough) {
  std::vector<Call> real{of(barrier), of(barrier), of(barrier)}, dry = real;
  real.insert(real.end(), 3000, of(allreduce, 1));
  dry.insert(dry.end(), 3000, of(reduce_scatter, 1));
  const auto found = likeness(real, dry);
  EXPECT_FALSE(found.whole);
  EXPECT_EQ(found.equal_calls, 3u);
}

TEST(EqualStretches, CommunicatorsThatAreAlikeAreToldApartByTheirOrder) {
  // Two duplicates of MPI_COMM_WORLD; the definitions stand in another order in the dry run.
  const Communicator first{"mini_comm_0_0", Operation::comm_dup, 0, 0, 0, 0, {0, 1}, {}},
      second{"mini_comm_1_0", Operation::comm_dup, 0, 1, 0, 0, {0, 1}, {}};
  for (const bool same : {true, false}) {
    auto real = job(2), dry = job(2);
    real.definitions.communicators.insert(real.definitions.communicators.end(), {first, second});
    dry.definitions.communicators.insert(dry.definitions.communicators.end(), {second, first});
    add_rank(real, 1, {of(barrier, -1, 2), of(barrier, -1, 3)});
    add_rank(dry, 1, {of(barrier, -1, same ? 3 : 2), of(barrier, -1, same ? 2 : 3)});
    EXPECT_EQ(equal_stretches(real, dry).at(0).equal_calls,
              same ? 2u : 1u);  // crosswise only one of them can be paired
  }
}

TEST(EqualStretches, AChoiceByTimeExcusesOnlyWhatIsBetweenItsLandmarks) {
  const auto run = [](std::uint32_t waited_for, bool choice_beside) {
    auto trace = job(2);
    RankTraceBuilder zero(0);
    const auto completes = [&](Operation operation, std::uint32_t age) {
      auto call = of(operation);
      call.completions = zero.completions({{age, 1, 0, 12, false}});
      zero.add(call);
    };
    zero.add(of(Operation::irecv));
    completes(Operation::waitany, 0);
    if (!choice_beside) zero.add(of(barrier));
    zero.add(of(Operation::irecv));
    zero.add(of(Operation::irecv));
    completes(Operation::wait, waited_for);
    completes(Operation::wait, 1 - waited_for);
    trace.ranks.push_back(zero.finish());
    return trace;
  };
  EXPECT_EQ(equal_stretches(run(0, false), run(0, false)).at(0).equal_calls, 7u);
  EXPECT_EQ(equal_stretches(run(0, false), run(1, false)).at(0).equal_calls, 5u);
  EXPECT_EQ(equal_stretches(run(0, true), run(1, true)).at(0).equal_calls, 6u);
}

}  // namespace
}  // namespace mora::predict
