#include "predict/pattern/compare/compare.h"

#include <gtest/gtest.h>

#include "support/pattern/written_job.h"

namespace mora::predict {
namespace {

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
