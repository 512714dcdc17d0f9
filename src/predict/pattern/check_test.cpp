#include "predict/pattern/check.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace mora::predict {
namespace {

constexpr std::uint32_t mpi_int = 0, mpi_double = 1;

/// A job written down by hand: calls go to builders, finish() makes the trace.
class Job {
 public:
  explicit Job(std::uint32_t world, Origin origin = Origin::record) {
    auto& d = trace.definitions;
    d.world_size = world;
    d.origin = origin;
    d.datatypes = {{"MPI_INT", 4, 4, true, true, 1}, {"MPI_DOUBLE", 8, 8, true, true, 0}};
    Communicator all;
    all.name = "MPI_COMM_WORLD";
    all.members.resize(world);
    std::iota(all.members.begin(), all.members.end(), 0u);
    Communicator self;
    self.name = "MPI_COMM_SELF";
    d.communicators = {all, self};
    d.phases = {"solve", "io"};
  }

  RankTraceBuilder& on(std::uint32_t rank) { return builders.try_emplace(rank, rank).first->second; }
  Job& add(std::uint32_t rank, const Call& call) {
    on(rank).add(call);
    return *this;
  }
  PatternTrace finish() {
    for (auto& [rank, builder] : builders) {
      trace.ranks.push_back(builder.finish());
      trace.ranks.back().complete = !stopped.contains(rank);
    }
    return std::move(trace);
  }

  PatternTrace trace;
  std::map<std::uint32_t, RankTraceBuilder> builders;
  std::map<std::uint32_t, bool> stopped;
};

Call send(std::int32_t to, std::int64_t count, std::int32_t tag = 0, Operation operation = Operation::send) {
  Call c;
  c.operation = operation;
  c.communicator = 0;
  c.peer = to;
  c.tag = tag;
  c.sent = {count, mpi_int};
  return c;
}

Call receive(std::int32_t from, std::int64_t count, std::int32_t tag = 0, Operation operation = Operation::recv) {
  Call c;
  c.operation = operation;
  c.communicator = 0;
  c.peer = from;
  c.tag = tag;
  c.received = {count, mpi_int};
  if (operation == Operation::recv || operation == Operation::mrecv)
    c.bytes_received = static_cast<std::uint64_t>(count) * 4;
  return c;
}

Call any_source(Call c) {
  c.posted_any_source = true;
  return c;
}
Call any_tag(Call c) {
  c.posted_any_tag = true;
  return c;
}

Call collective(Operation operation, std::int64_t count, std::int32_t root = peer_none) {
  Call c;
  c.operation = operation;
  c.communicator = 0;
  c.peer = root;
  c.sent = {count, mpi_int};
  return c;
}

Call phase(bool begin, std::uint32_t index) {
  Call c;
  c.operation = begin ? Operation::phase_begin : Operation::phase_end;
  c.argument = index;
  return c;
}

Call wait(RankTraceBuilder& rank, std::vector<Completion> list, Operation operation = Operation::waitall) {
  Call c;
  c.operation = operation;
  c.completions = rank.completions(std::move(list));
  return c;
}

std::string kinds(const std::vector<Disagreement>& found) {
  std::string all;
  for (const auto& d : found)
    all += (all.empty() ? "" : " ") + d.kind + "@" + (d.rank == no_id ? std::string("-") : std::to_string(d.rank)) +
           ":" + std::to_string(d.call);
  return all;
}

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

TEST(ComparePatterns, EqualRunsAreEqualWhateverTheNumbersOfDefinitions) {
  Job real(2), dry(2, Origin::dryrun);
  auto& d = dry.trace.definitions;
  std::swap(d.datatypes[0], d.datatypes[1]);
  for (std::uint32_t r = 0; r < 2; ++r) {
    real.add(r, send(1, 3));
    auto c = send(1, 3);
    c.sent.type = 1;
    dry.add(r, c);
  }
  EXPECT_EQ(kinds(compare_patterns(real.finish(), dry.finish())), "");
}

TEST(ComparePatterns, TheFirstDifferenceOfEachRankIsNamed) {
  Job real(3), dry(3, Origin::dryrun);
  for (std::uint32_t r = 0; r < 3; ++r)
    for (int i = 0; i < 10; ++i) real.add(r, send(1, 3));
  for (int i = 0; i < 10; ++i) dry.add(0, send(1, i == 6 ? 4 : 3));
  for (int i = 0; i < 9; ++i) dry.add(2, send(1, 3));
  const auto found = compare_patterns(real.finish(), dry.finish());
  EXPECT_EQ(kinds(found), "pattern-difference@0:7 pattern-difference@2:10");
  EXPECT_EQ(found[0].text,
            "really: Send 3 x MPI_INT to 1, tag 0, on MPI_COMM_WORLD (call 7); in the dry run: Send 4 x MPI_INT to 1, "
            "tag 0, on "
            "MPI_COMM_WORLD (call 7) (the count differs)");
}

TEST(ComparePatterns, WhatADryRunCannotKnowIsNotCompared) {
  Job real(3), dry(3, Origin::dryrun);
  real.add(0, any_source(receive(2, 3)));
  dry.add(0, any_source(receive(1, 3)));
  auto shorter = receive(2, 3);
  shorter.bytes_received = 4;
  real.add(0, shorter);
  dry.add(0, receive(2, 3));
  Call test;
  test.operation = Operation::iprobe;
  real.add(0, test).add(0, collective(Operation::barrier, -1));
  dry.add(0, collective(Operation::barrier, -1)).add(0, test);
  EXPECT_EQ(kinds(compare_patterns(real.finish(), dry.finish())), "");
}

TEST(ComparePatterns, ADefiniteSourceIsCompared) {
  Job real(3), dry(3, Origin::dryrun);
  real.add(0, receive(2, 3));
  dry.add(0, receive(1, 3));
  EXPECT_EQ(kinds(compare_patterns(real.finish(), dry.finish())), "pattern-difference@0:1");
}

/// Receives from 1, then two from 2 and 3; which of them is waited for alone is a matter of data.
PatternTrace decided_by_data(Operation in_front, bool open_then, std::uint32_t waited_for) {
  Job job(4, waited_for == 0 ? Origin::record : Origin::dryrun);
  auto& zero = job.on(0);
  zero.add(receive(1, 3, 0, Operation::irecv));
  if (!open_then) zero.add(wait(zero, {{0, 1, 0, 12, false}}, in_front));
  zero.add(receive(2, 3, 0, Operation::irecv));
  zero.add(receive(3, 3, 0, Operation::irecv));
  if (open_then) zero.add(wait(zero, {{2, 1, 0, 12, false}}, in_front));
  zero.add(wait(zero, {{waited_for, 2, 0, 12, false}}, Operation::wait));
  zero.add(wait(zero, {{1 - waited_for, 2, 0, 12, false}}, Operation::wait));
  return job.finish();
}

TEST(ComparePatterns, AChoiceByTimeExcusesNoChoiceByData) {
  for (const bool open_then : {false, true})
    for (const auto in_front :
         {Operation::wait, Operation::waitany, Operation::test, Operation::testsome, Operation::waitsome}) {
      EXPECT_EQ(
          kinds(compare_patterns(decided_by_data(in_front, open_then, 0), decided_by_data(in_front, open_then, 0))),
          "");
      const auto found =
          compare_patterns(decided_by_data(in_front, open_then, 0), decided_by_data(in_front, open_then, 1));
      ASSERT_EQ(found.size(), 1u) << info(in_front).mpi_name << open_then;
      EXPECT_NE(found[0].text.find("other requests are completed"), std::string::npos) << found[0].text;
    }
}

/// Two messages come in one order or the other, by MPI_Waitany; the answer to the first is completed first. Then come
/// two more requests, of which the program waits for the one or the other.
PatternTrace decided_by_time(bool first_first, std::uint32_t waited_for) {
  Job job(3, first_first ? Origin::record : Origin::dryrun);
  auto& zero = job.on(0);
  const std::uint32_t first = first_first ? 1 : 0, second = 1 - first;
  zero.add(send(1, 3, 0, Operation::isend));
  zero.add(send(2, 3, 0, Operation::isend));
  zero.add(receive(1, 3, 0, Operation::irecv));
  zero.add(receive(2, 3, 0, Operation::irecv));
  for (const auto one : {first, second}) {
    zero.add(wait(zero, {{one, 1, 0, 12, false}}, Operation::waitany));
    zero.add(wait(zero, {{one + 2, peer_none, tag_any, 0, false}}, Operation::wait));
  }
  zero.add(receive(1, 3, 0, Operation::irecv));
  zero.add(receive(2, 3, 0, Operation::irecv));
  zero.add(wait(zero, {{waited_for, 2, 0, 12, false}}, Operation::wait));
  zero.add(wait(zero, {{1 - waited_for, 2, 0, 12, false}}, Operation::wait));
  return job.finish();
}

TEST(ComparePatterns, WhatFollowsFromAChoiceByTimeIsNotCompared) {
  EXPECT_EQ(kinds(compare_patterns(decided_by_time(true, 0), decided_by_time(false, 0))), "");
  EXPECT_EQ(kinds(compare_patterns(decided_by_time(true, 0), decided_by_time(false, 1))), "pattern-difference@0:11");
}

TEST(ComparePatterns, RequestsThatTestsFoundBeforeAreNotMissed) {
  Job real(2), dry(2, Origin::dryrun);
  for (auto* job : {&real, &dry}) {
    auto& zero = job->on(0);
    zero.add(receive(1, 3, 0, Operation::irecv));
    zero.add(receive(1, 3, 0, Operation::irecv));
    if (job == &real) zero.add(wait(zero, {{1, 1, 0, 12, false}}, Operation::testsome));
    zero.add(job == &real ? wait(zero, {{0, 1, 0, 12, false}})
                          : wait(zero, {{1, 1, 0, 12, false}, {0, 1, 0, 12, false}}));
  }
  EXPECT_EQ(kinds(compare_patterns(real.finish(), dry.finish())), "");
}

TEST(ComparePatterns, CommunicatorsArePairedByMembers) {
  Job real(4), dry(4, Origin::dryrun);
  real.trace.definitions.communicators.push_back({"mini_comm_0_0", Operation::comm_split, 0, 0, 0, 0, {0, 1}, {}});
  real.trace.definitions.communicators.push_back({"mini_comm_0_1", Operation::comm_split, 0, 0, 1, 0, {2, 3}, {}});
  dry.trace.definitions.communicators.push_back({"mini_comm_0_1", Operation::comm_split, 0, 0, 1, 0, {2, 3}, {}});
  auto split = collective(Operation::comm_split, -1);
  auto inside = send(1, 3);
  for (const bool is_real : {true, false}) {
    split.argument = inside.communicator = is_real ? 3 : 2;
    (is_real ? real : dry).add(2, split).add(2, inside);
  }
  const auto real_trace = real.finish();
  auto dry_trace = dry.finish();
  EXPECT_EQ(kinds(compare_patterns(real_trace, dry_trace)), "");
  dry_trace.definitions.communicators[2].members = {1, 2};
  EXPECT_EQ(kinds(compare_patterns(real_trace, dry_trace)), "pattern-difference@2:1");
}

}  // namespace
}  // namespace mora::predict
