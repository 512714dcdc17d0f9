/// Damage and corners of fences and post-start-complete-wait that the golden traces
/// (tests/golden/patterns/active_target) do not show. Every trace is analysed with 1, 2, 3 and 5 partitions.
#include <functional>

#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

void analysed(const std::string& body, const std::function<void(const Analysed&)>& check) {
  for (const unsigned partitions : {1U, 2U, 3U, 5U}) {
    SCOPED_TRACE(std::to_string(partitions) + " partitions");
    check(analyse_text(body, partitions));
  }
}

std::int64_t all_waits(const Analysed& a) {
  return a.total("late-post") + a.total("early-transfer") + a.total("early-wait") + a.total("early-fence");
}

const WaitSummary* summary(const Analysed& a, const std::string& metric) {
  for (const WaitSummary& w : a.result.waits) {
    if (a.result.cube.metrics[w.metric].id == metric) return &w;
  }
  return nullptr;
}

std::string cause(const Analysed& a, const std::string& metric) {
  const WaitSummary* w = summary(a, metric);
  if (w == nullptr) return "none";
  return std::to_string(w->worst.cause) + " in " + a.result.cube.call_paths[w->worst.cause_call_path].name;
}

TEST(ActiveTarget, LatePostNamesTheTargetThatPostedLast) {
  analysed(
      "P0 1-20 MPI_Win_start w0 group 1,2; 21-22 MPI_Win_complete w0\nP1 9-10 MPI_Win_post w0 group 0; 30-31 "
      "MPI_Win_wait "
      "w0\nP2 15-16 MPI_Win_post w0 group 0; 30-31 MPI_Win_wait w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("late-post"), "14 0 0");
        EXPECT_EQ(cause(a, "late-post"), "2 in MPI_Win_post");
        EXPECT_EQ(a.ranks("pairwise-synchronizations"), "2 1 1");
        EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "2 1 1");
      });
}

TEST(ActiveTarget, EarlyWaitNamesTheOriginThatCompletesLast) {
  analysed(
      "P0 1-2 MPI_Win_post w0 group 2,1; 5-30 MPI_Win_wait w0\nP1 3-4 MPI_Win_start w0 group 0; 6-7 MPI_Put w0 to 0; "
      "20-21 "
      "MPI_Win_complete w0\nP2 3-4 MPI_Win_start w0 group 0; 20-21 MPI_Win_complete w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("early-wait"), "15 0 0");
        EXPECT_EQ(cause(a, "early-wait"), "1 in MPI_Win_complete");  // a tie: the smaller location
        EXPECT_EQ(a.ranks("late-complete"), "13 0 0");
      });
}

TEST(ActiveTarget, EarlyFenceNamesTheCallThatEndedLast) {
  analysed(
      "P0 0-1 MPI_Win_fence w0; 5-20 MPI_Win_fence w0\nP1 0-1 MPI_Win_fence w0; 2-8 MPI_Get w0 to 0; 15-20 "
      "MPI_Win_fence "
      "w0\nP2 0-1 MPI_Win_fence w0; 2-9 MPI_Accumulate w0 to 0; 15-20 MPI_Win_fence w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("wait-at-fence"), "10 0 0");
        EXPECT_EQ(a.ranks("early-fence"), "4 0 0");
        EXPECT_EQ(cause(a, "early-fence"), "2 in MPI_Accumulate");
        EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "2 3 3");
      });
}

TEST(ActiveTarget, AtomicsOfAnAccessEpochWaitForThePostAndAreNoRetries) {
  analysed(
      "P0 10-11 MPI_Win_post w0 group 1; 30-31 MPI_Win_wait w0\nP1 1-2 MPI_Win_start w0 group 0; 6-11 MPI_Fetch_and_op "
      "w0 "
      "to 0; 12-13 MPI_Fetch_and_op w0 to 0; 14-15 MPI_Win_complete w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("early-transfer"), "0 4");
        EXPECT_EQ(a.total("atomic-retry"), 0);
      });
}

TEST(ActiveTarget, EpochsOfTheOpenEndAreCountedAndTheirPartnersPostStillKnown) {
  analysed(
      "P0 5-6 MPI_Win_post w0 group 1\nP1 1-7 MPI_Win_start w0 group 0; 8-9 MPI_Win_complete w0; 10-11 MPI_Win_start "
      "w0 "
      "group 0; 12-13 MPI_Win_start w0 group 0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("late-post"), "0 4");
        EXPECT_EQ(a.total("early-wait"), 0);
        EXPECT_EQ(a.quality("unclosed-epoch"), 3U);   // the post, and two starts
        EXPECT_EQ(a.quality("unmatched-epoch"), 2U);  // the two starts
      });
}

TEST(ActiveTarget, AnEpochWithoutAllItsPartnersWaitsForNobody) {
  analysed(
      "ranks 3\nP0 5-6 MPI_Win_post w0 group 1,2; 7-30 MPI_Win_wait w0\nP1 1-7 MPI_Win_start w0 group 0,2; 9-10 "
      "MPI_Put w0 "
      "to 0; 20-21 MPI_Win_complete w0\nP2 1-2 work\n",
      [](const Analysed& a) {
        EXPECT_EQ(all_waits(a), 0);
        EXPECT_EQ(a.quality("unmatched-epoch"), 2U);
        EXPECT_EQ(a.ranks("pairwise-synchronizations"), "1 1 0");  // the pair that is known
        EXPECT_EQ(a.total("pairwise-synchronizations-unneeded"), 0);
      });
}

TEST(ActiveTarget, EndsWithoutABeginningAreCounted) {
  analysed(
      "P0 1 ENTER MPI_Win_wait; 5 MPIWEXIT w0 group 1 synex 1\nP1 2 ENTER MPI_Win_complete; 3 MPIWEXIT w0 group 0 "
      "synex 1\n",
      [](const Analysed& a) {
        EXPECT_EQ(all_waits(a), 0);
        EXPECT_EQ(a.quality("unopened-epoch"), 2U);
      });
}

TEST(ActiveTarget, AGroupThatNamesItsOwnRankIsWholeOnlyWithItsOwnEpoch) {
  const std::string origin = "P1 3-4 MPI_Win_start w0 group 0; 20-21 MPI_Win_complete w0\n";
  analysed("P0 1-2 MPI_Win_post w0 group 0,1; 10-25 MPI_Win_wait w0\n" + origin, [](const Analysed& a) {
    EXPECT_EQ(all_waits(a), 0);  // rank 0 never started
    EXPECT_EQ(a.quality("unmatched-epoch"), 1U);
  });
  analysed(
      "P0 1-2 MPI_Win_post w0 group 0,1; 3-4 MPI_Win_start w0 group 0; 5-6 MPI_Put w0 to 0; 7-8 MPI_Win_complete w0; "
      "10-25 "
      "MPI_Win_wait w0\n" +
          origin,
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("early-wait"), "10 0");
        EXPECT_EQ(a.ranks("late-complete"), "10 0");
        EXPECT_EQ(a.ranks("pairwise-synchronizations"), "1 1");
      });
}

TEST(ActiveTarget, EmptyGroupsSynchroniseWithNobody) {
  auto source = trace::read_trace_text(
      "mora-trace 1\nP0 1-2 MPI_Win_post w0 group 1; 10-25 MPI_Win_wait w0\nP1 3-4 MPI_Win_start w0 group 0; 20-21 "
      "MPI_Win_complete w0\n");
  ASSERT_TRUE(source.has_value());
  for (trace::Group& group : (*source)->defs.groups) group.members.clear();
  const auto result = analyze(**source, "text", AnalyzeOptions{});
  ASSERT_TRUE(result.has_value());
  const Analysed a{*result};
  EXPECT_EQ(all_waits(a) + a.total("pairwise-synchronizations"), 0);
  EXPECT_TRUE(a.result.quality.rows().empty());
}

TEST(ActiveTarget, EpochsWithoutAGroupAreCounted) {
  auto source = trace::read_trace_text(
      "mora-trace 1\nP0 1-2 MPI_Win_post w0 group 1; 10-25 MPI_Win_wait w0\nP1 3-4 MPI_Win_start w0 group 0; 20-21 "
      "MPI_Win_complete w0\n");
  ASSERT_TRUE(source.has_value());
  for (auto& events : (*source)->events) {
    for (trace::Event& e : events) e.group = trace::no_id;
  }
  const auto result = analyze(**source, "text", AnalyzeOptions{});
  ASSERT_TRUE(result.has_value());
  const Analysed a{*result};
  EXPECT_EQ(all_waits(a), 0);
  EXPECT_EQ(a.quality("epoch-without-group"), 2U);
  EXPECT_EQ(a.quality("unopened-epoch"), 0U);
}

TEST(ActiveTarget, AGroupMayNameARankTwiceOrOneThatIsNotThere) {
  auto source = trace::read_trace_text(
      "mora-trace 1\nP0 1-2 MPI_Win_post w0 group 1; 10-25 MPI_Win_wait w0\nP1 3-4 MPI_Win_start w0 group 0; 20-21 "
      "MPI_Win_complete w0\n");
  ASSERT_TRUE(source.has_value());
  for (trace::Group& group : (*source)->defs.groups) group.members.push_back(group.members.front());
  auto result = analyze(**source, "text", AnalyzeOptions{});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(Analysed{*result}.ranks("early-wait"), "10 0");
  for (trace::Group& group : (*source)->defs.groups) group.members.push_back(4000000000U);
  result = analyze(**source, "text", AnalyzeOptions{});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(all_waits(Analysed{*result}), 0);
  EXPECT_EQ(Analysed{*result}.quality("unmatched-epoch"), 2U);
}

TEST(ActiveTarget, AnInterruptionOfTheRecordingCutsEpochs) {
  // P1's complete may end another epoch than its start began. Epochs behind the interruption are numbered anew.
  analysed(
      "P0 1-2 MPI_Win_post w0 group 1; 4 RECORDING_OFF; 9 RECORDING_ON; 10-25 MPI_Win_wait w0; 30-31 MPI_Win_post w0 "
      "group "
      "1; 40-50 MPI_Win_wait w0\nP1 3-4 MPI_Win_start w0 group 0; 5 RECORDING_OFF; 9 RECORDING_ON; 20-21 "
      "MPI_Win_complete "
      "w0; 32-33 MPI_Win_start w0 group 0; 45-46 MPI_Win_complete w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("early-wait"), "5 0");
        EXPECT_EQ(a.quality("epoch-across-gap"), 2U);
        EXPECT_EQ(a.quality("unclosed-epoch") + a.quality("unopened-epoch"), 0U);
      });
}

TEST(ActiveTarget, UnequalCountsBehindAnInterruptionAreLeftOut) {
  analysed(
      "P0 0 RECORDING_OFF; 1 RECORDING_ON; 5-6 MPI_Win_post w0 group 1; 10-25 MPI_Win_wait w0\n"
      "P1 0 RECORDING_OFF; 1 RECORDING_ON; 3-4 MPI_Win_start w0 group 0; 20-21 MPI_Win_complete w0; 22-23 "
      "MPI_Win_start w0 "
      "group 0; 24-25 MPI_Win_complete w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(all_waits(a) + a.total("pairwise-synchronizations"), 0);
        EXPECT_EQ(a.quality("epoch-across-gap"), 3U);
      });
}

TEST(ActiveTarget, ABrokenCallGetsNoWaitingButItsPartnersTimesHold) {
  // Recording is off inside the fence of P0; P1's Put was still running when P0 entered.
  analysed(
      "P0 0-1 MPI_Win_fence w0; 5 ENTER MPI_Win_fence; 6 RECORDING_OFF; 7 RECORDING_ON; 20 MPIWCEXIT w0\nP1 0-1 "
      "MPI_Win_fence w0; 2-8 MPI_Put w0 to 0; 9 RECORDING_OFF; 10 RECORDING_ON; 15-20 MPI_Win_fence w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.total("early-fence") + a.total("wait-at-fence"), 0);
        EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "1 1");  // of the first; the second is not known
        EXPECT_EQ(a.ranks("pairwise-synchronizations"), "2 2");
      });
}

TEST(ActiveTarget, EpochsBelongToTheProcessNotToTheThread) {
  // Thread 1 puts and waits for the post while thread 0 is elsewhere; the fence's access comes from a thread, too.
  analysed(
      "P0 10-11 MPI_Win_post w0 group 1; 20-31 MPI_Win_wait w0; 40-41 MPI_Win_fence w0; 50-70 MPI_Win_fence w0\nP1 1-2 "
      "MPI_Win_start w0 group 0; 30-31 MPI_Win_complete w0; 40-41 MPI_Win_fence w0; 60-70 MPI_Win_fence w0\nP1.1 5-12 "
      "MPI_Put w0 to 0; 45-55 MPI_Put w0 to 0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.ranks("early-transfer"), "0 0 5");
        EXPECT_EQ(a.ranks("early-wait"), "10 0 0");
        EXPECT_EQ(a.ranks("late-complete"), "10 0 0");
        EXPECT_EQ(a.ranks("early-fence"), "5 0 0");
        EXPECT_EQ(cause(a, "early-fence"), "2 in MPI_Put");
        EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "1 1 0");  // the first fence
      });
}

TEST(ActiveTarget, RecordsOutsideTheirCallAndAccessesOutsideEpochsAreCounted) {
  analysed(
      "P0 0 ENTER work; 1 PUT_1TS @1 w0 id 7 sent 8; 2 PUT_1TE_REMOTE @1 w0 id 7 recvd 8; 3 EXIT; 4-5 MPI_Put w0 to 1; "
      "6-7 "
      "MPI_Win_fence w0\nP1 6-7 MPI_Win_fence w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(all_waits(a), 0);
        EXPECT_EQ(a.quality("event-outside-call"), 1U);
        EXPECT_EQ(a.quality("access-outside-epoch"), 1U);
        EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "1 1");
      });
}

TEST(ActiveTarget, AccessesToNobodyDoNothing) {
  analysed(
      "P0 0-1 MPI_Win_fence w0; 2-20 MPI_Put w0 to null; 21-22 MPI_Win_fence w0\nP1 0-1 MPI_Win_fence w0; 3-22 "
      "MPI_Win_fence w0\n",
      [](const Analysed& a) {
        EXPECT_EQ(a.total("early-fence"), 0);
        EXPECT_EQ(a.ranks("wait-at-fence"), "0 18");
        EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "2 2");
        EXPECT_EQ(a.quality("access-outside-epoch"), 0U);
      });
}

TEST(ActiveTarget, AFenceWithoutAllMembersCountsNothing) {
  analysed("ranks 3\nP0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 1\nP1 0-5 MPI_Win_fence w0\nP2 0-1 work\n",
           [](const Analysed& a) {
             EXPECT_EQ(a.total("pairwise-synchronizations") + a.total("early-fence"), 0);
             EXPECT_EQ(a.quality("incomplete-collective"), 1U);
           });
}

TEST(ActiveTarget, MoreFencesThanABlockMeetInSeveralPartitions) {
  std::string p0 = "P0", p1 = "P1";
  for (int n = 0; n < 2500; ++n) {
    const auto at = [&](int t) { return std::to_string(n * 100 + t); };
    p0 += " " + at(0) + "-" + at(60) + " MPI_Win_fence w0;";
    p1 += " " + at(50) + "-" + at(60) + " MPI_Win_fence w0; " + at(70) + "-" + at(110) + " MPI_Put w0 to 0;";
  }
  analysed(p0 + "\n" + p1 + "\n", [](const Analysed& a) {
    EXPECT_EQ(a.ranks("wait-at-fence"), "125000 0");
    EXPECT_EQ(a.ranks("early-fence"), "24990 0");  // the Put until 10 of the next round; not at the first fence
    EXPECT_EQ(a.ranks("pairwise-synchronizations"), "2500 2500");
    EXPECT_EQ(a.ranks("pairwise-synchronizations-unneeded"), "1 1");
  });
}

}  // namespace
}  // namespace mora::analysis
