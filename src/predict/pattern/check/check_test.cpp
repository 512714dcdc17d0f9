#include "predict/pattern/check/check.h"
#include "predict/pattern/check/needed_data.h"

#include <gtest/gtest.h>

#include "support/pattern/written_job.h"

namespace mora::predict {
namespace {

TEST(CheckPattern, ARingAgrees) {
  Job job(4);
  for (std::uint32_t r = 0; r < 4; ++r)
    for (int i = 0; i < 100; ++i)
      job.add(r, send(static_cast<std::int32_t>((r + 1) % 4), 1 + i % 3))
          .add(r, receive(static_cast<std::int32_t>((r + 3) % 4), 1 + i % 3));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, AMessageThatNobodyReceivesIsNamedWithItsCall) {
  Job job(2);
  job.add(0, send(1, 5)).add(0, send(1, 5)).add(1, receive(0, 5));
  const auto found = check_pattern(job.finish());
  EXPECT_EQ(kinds(found), "pattern-unmatched-send@0:2");
  EXPECT_EQ(found[0].other, 1u);
}

TEST(CheckPattern, AReceiveThatNobodySendsToIsNamed) {
  Job job(2);
  job.add(0, send(1, 5, 7)).add(1, receive(0, 5, 7)).add(1, receive(0, 5, 8));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "pattern-unmatched-receive@1:2");
}

TEST(CheckPattern, TagsAreChannelsOfTheirOwn) {
  Job job(2);
  job.add(0, send(1, 5, 1)).add(0, send(1, 9, 2)).add(1, receive(0, 9, 2)).add(1, receive(0, 5, 1));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, SizesAreComparedInOrder) {
  Job job(2);
  job.add(0, send(1, 5)).add(0, send(1, 6)).add(0, send(1, 7));
  job.add(1, receive(0, 5)).add(1, receive(0, 7)).add(1, receive(0, 6));  // same sum
  const auto found = check_pattern(job.finish());
  EXPECT_EQ(kinds(found), "pattern-message-size@1:2");
  EXPECT_EQ(found[0].other, 0u);
}

TEST(CheckPattern, RanksThatAreNotThereAreNotMissed) {
  Job job(4);
  job.add(0, send(3, 5))
      .add(0, receive(2, 8))
      .add(0, collective(Operation::allreduce, 1))
      .add(1, collective(Operation::allreduce, 1));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, AsynchronousReceivesMatchWhereTheyWerePosted) {
  Job job(2);
  job.add(0, send(1, 5)).add(0, send(1, 6)).add(0, send(1, 7));
  auto& one = job.on(1);
  one.add(receive(0, 10, 0, Operation::irecv));
  one.add(receive(0, 10, 0, Operation::irecv));
  one.add(receive(0, 7));
  one.add(wait(
      one, {{0, 0, 0, 24, false}, {1, 0, 0, 20, false}}));  // the second one first: 6 integers; then the first one: 5
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, AWildcardCountsForTheRankThatSent) {
  Job job(3);
  job.add(1, send(0, 5, 3)).add(2, send(0, 6, 4));
  auto& zero = job.on(0);
  zero.add(any_tag(any_source(receive(peer_any, 10, tag_any, Operation::irecv))));
  zero.add(any_source(receive(1, 5, 3)));
  zero.add(wait(zero, {{0, 2, 4, 24, false}}));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, ACancelledReceiveTakesNothing) {
  Job job(2);
  auto& one = job.on(1);
  one.add(receive(0, 10, 0, Operation::irecv));
  one.add(wait(one, {{0, peer_none, tag_any, 0, true}}, Operation::wait));
  job.add(0, collective(Operation::barrier, -1)).add(1, collective(Operation::barrier, -1));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, RequestsAreCompletedOnce) {
  Job job(1);
  auto& zero = job.on(0);
  zero.add(send(0, 5, 0, Operation::isend));
  zero.add(receive(0, 5, 0, Operation::irecv));
  zero.add(wait(zero, {{1, peer_none, tag_any, 0, false}}, Operation::wait));
  zero.add(wait(zero, {{1, peer_none, tag_any, 0, false}}, Operation::wait));
  zero.add(wait(zero, {{5, peer_none, tag_any, 0, false}}, Operation::wait));
  EXPECT_EQ(kinds(check_pattern(job.finish())),
            "pattern-request-open@0:2 pattern-request-twice@0:4 pattern-request-unknown@0:5");
}

TEST(CheckPattern, AFreedRequestIsNotOpen) {
  Job job(1);
  job.add(0, send(0, 5, 0, Operation::isend));
  Call free;
  free.operation = Operation::request_free;
  free.argument = 0;
  job.add(0, free).add(0, receive(0, 5));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
}

TEST(CheckPattern, AnIncompleteRankIsNamedAndNotMissed) {
  Job job(2);
  job.add(0, send(1, 5)).add(0, collective(Operation::barrier, -1)).add(0, phase(true, 0)).add(0, phase(false, 0));
  job.add(1, phase(true, 1));
  job.stopped[1] = true;
  EXPECT_EQ(kinds(check_pattern(job.finish())), "pattern-rank-incomplete@1:1");
}

TEST(CheckPattern, CollectivesAreTheSameOperation) {
  Job job(2);
  for (std::uint32_t r = 0; r < 2; ++r)
    job.add(r, collective(Operation::allreduce, 1)).add(r, collective(Operation::allreduce, 1));
  job.add(0, collective(Operation::bcast, 1, 0)).add(1, collective(Operation::allreduce, 1));
  job.add(0, collective(Operation::bcast, 1, 0)).add(1, collective(Operation::barrier, -1));
  const auto found = check_pattern(job.finish());
  EXPECT_EQ(kinds(found), "pattern-collective-operation@1:3");
  EXPECT_EQ(found[0].other, 0u);
}

TEST(CheckPattern, RootsAreEqual) {
  Job job(3);
  for (std::uint32_t r = 0; r < 3; ++r) job.add(r, collective(Operation::bcast, 4, r == 2 ? 1 : 0));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "pattern-collective-root@2:1");
}

TEST(CheckPattern, AmountsOfCollectivesAreEqualWhateverTheTypes) {
  Job job(2);
  auto doubles = collective(Operation::allreduce, 2);
  doubles.sent.type = mpi_double;
  job.add(0, collective(Operation::allreduce, 4)).add(1, doubles);
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
  Job other(2);
  other.add(0, collective(Operation::allreduce, 4)).add(1, collective(Operation::allreduce, 5));
  EXPECT_EQ(kinds(check_pattern(other.finish())), "pattern-collective-size@1:1");
}

TEST(CheckPattern, TheRootOfAGatherSaysHowMuchEachGives) {
  Job job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    auto c = collective(Operation::gatherv, r + 1, 1);
    if (r == 1) c.received_vector = job.on(1).vector({4, 8, 16});
    job.add(r, c);
  }
  EXPECT_EQ(kinds(check_pattern(job.finish())), "pattern-collective-size@2:1");  // gives 12, root takes 16
}

TEST(CheckPattern, AlltoallvIsComparedPairByPair) {
  for (const std::uint64_t back : {8, 12}) {
    Job job(2);
    auto zero = collective(Operation::alltoallv, 3), one = collective(Operation::alltoallv, 4);
    zero.sent_vector = job.on(0).vector({4, 8});
    zero.received_vector = job.on(0).vector({4, 16});
    one.sent_vector = job.on(1).vector({16, 0});
    one.received_vector = job.on(1).vector({back, 0});
    job.add(0, zero).add(1, one);
    EXPECT_EQ(kinds(check_pattern(job.finish())), back == 8 ? "" : "pattern-collective-size@0:1");
  }
}

TEST(CheckPattern, NeighboursGiveWhatTheOtherTakes) {
  for (const std::uint64_t takes : {8, 4}) {
    Job job(2);  // a ring of two: the other is both neighbours
    for (std::uint32_t r = 0; r < 2; ++r) {
      auto c = collective(Operation::neighbor_alltoallv, 4);
      const std::uint64_t other = 1 - r;
      c.sent_vector = job.on(r).vector({other, 8, other, 4});
      c.received_vector = job.on(r).vector({other, 4, other, r == 1 ? takes : 8});
      job.add(r, c);
    }
    EXPECT_EQ(kinds(check_pattern(job.finish())), takes == 8 ? "" : "pattern-collective-size@0:1");
  }
}

TEST(CheckPattern, MissingCollectivesAreNamedPerCommunicator) {
  Job job(3);
  for (std::uint32_t r = 0; r < 3; ++r)
    for (int i = 0; i < (r == 1 ? 2 : 3); ++i) job.add(r, collective(Operation::barrier, -1));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "pattern-collective-missing@1:2");
}

TEST(CheckPattern, PhasesNestAndAreEnteredEquallyOften) {
  Job job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    job.add(r, phase(true, 0)).add(r, phase(true, 1));
    if (r == 1)
      job.add(r, phase(false, 0)).add(r, phase(false, 1));  // crossing
    else
      job.add(r, phase(false, 1)).add(r, phase(false, 0));
  }
  job.add(2, phase(false, 0)).add(2, phase(true, 0));
  EXPECT_EQ(kinds(check_pattern(job.finish())),
            "pattern-phase-crossing@1:3 pattern-phase-count@2:0 pattern-phase-without-begin@2:5 "
            "pattern-phase-without-end@2:6");
}

TEST(CheckPattern, ADryRunsReceivesHaveRoomForWhatIsSent) {
  Job job(3, Origin::dryrun);
  job.add(0, send(1, 5)).add(1, receive(0, 100));
  EXPECT_EQ(kinds(check_pattern(job.finish())), "");
  Job small(3, Origin::dryrun);
  small.add(0, send(1, 4)).add(0, send(1, 5)).add(1, receive(0, 4)).add(1, receive(0, 4));
  EXPECT_EQ(kinds(check_pattern(small.finish())), "pattern-message-size@1:2");
}

TEST(CheckPattern, ADryRunsWildcardsTakeWhateverIsSent) {
  // Three workers send to the master, whose wildcard receives name neutral sources.
  for (const int receives : {2, 3, 4}) {
    Job job(4, Origin::dryrun);
    for (std::uint32_t r = 1; r < 4; ++r) job.add(r, send(0, 1, 9));
    for (int i = 0; i < receives; ++i) job.add(0, any_source(receive(1, 1, 9)));
    EXPECT_EQ(kinds(check_pattern(job.finish())), receives == 3   ? ""
                                                  : receives == 2 ? "pattern-unmatched-send@0:0"
                                                                  : "pattern-unmatched-receive@0:0");
  }
  Job tags(2, Origin::dryrun);  // a wildcard for another tag does not help
  tags.add(1, send(0, 1, 9)).add(0, any_source(receive(1, 1, 8)));
  EXPECT_EQ(kinds(check_pattern(tags.finish())), "pattern-unmatched-receive@0:0 pattern-unmatched-send@1:1");
}

TEST(NeededData, IsTheLastCallThatTakesDataOfOthers) {
  Job job(2);
  job.add(0, send(1, 2)).add(0, receive(1, 2)).add(0, collective(Operation::alltoall, 4)).add(0, send(1, 2));
  job.add(0, collective(Operation::bcast, 4, 0));  // of its own
  job.add(1, send(0, 2)).add(1, receive(1, 2)).add(1, collective(Operation::reduce, 4, 0));
  const auto trace = job.finish();
  const auto call = [&](std::uint32_t rank, std::uint64_t before) {
    const auto needed = needed_data(trace, rank, before);
    return needed ? needed->call : 0;
  };
  EXPECT_EQ(call(0, 0), 3u);
  EXPECT_EQ(needed_data(trace, 0, 0)->text, "Alltoall 4 x MPI_INT, on MPI_COMM_WORLD");
  EXPECT_EQ(call(0, 3), 2u);
  EXPECT_EQ(call(0, 2), 0u);
  EXPECT_EQ(call(1, 0), 0u) << "it only sends, and receives from itself";
  EXPECT_EQ(call(2, 0), 0u) << "no such rank";
}

}  // namespace
}  // namespace mora::predict
