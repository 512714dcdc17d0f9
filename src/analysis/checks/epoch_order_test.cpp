/// Accesses of epochs of different kinds, or of different windows over one memory.
#include <gtest/gtest.h>

#include "support/analysis/broken_rules.h"

namespace mora::analysis::epoch_order {
namespace {

using test::broken;

const std::string put = "MPI_Put w0 to 2 offset 0";
const std::string locked_put = "MPI_Win_lock w0 to 2; 52-53 " + put + "; 54-55 MPI_Win_unlock w0 to 2";
const std::string conflict = "conflicting-access P1>0 MPI_Put 52-53 x1 & MPI_Put 2";

/// P0 puts in a fence epoch from 0 to 10; P1 puts under a lock, after `second`; `more`: of all, behind the fence.
std::string fence_and_lock(const std::string& second, const std::string& opening = "", const std::string& more = "") {
  const std::string fence = "0-1 MPI_Win_fence w0" + opening + "; ";
  return broken("P0 " + fence + "2-3 " + put + "; 9-10 MPI_Win_fence w0 assert nosucceed" + more + "\nP1 " + fence +
                second + "\nP2 " + fence + "9-10 MPI_Win_fence w0 assert nosucceed" + more + "\n");
}

TEST(EpochOrder, AFenceOrdersWhatItEndsAndALock) {
  EXPECT_EQ(fence_and_lock("9-10 MPI_Win_fence w0 assert nosucceed; 51-52 " + locked_put), "");
  EXPECT_EQ(fence_and_lock("9-10 MPI_Win_fence w0 assert nosucceed; 21-22 MPI_Barrier; 51-52 " + locked_put, "",
                           "; 21-22 MPI_Barrier"),
            "");
  for (const std::string opening : {"", " assert noprecede"}) {
    EXPECT_EQ(fence_and_lock("51-52 " + locked_put + "; 60-61 MPI_Win_fence w0 assert nosucceed", opening), conflict);
  }
}

TEST(EpochOrder, ALockBeforeTheFenceIsOrdered) {
  const auto with = [](const std::string& assertion, const std::string& unlock) {
    const std::string fence = "20-21 MPI_Win_fence w0" + assertion + "; ";
    const std::string end = "30-31 MPI_Win_fence w0\n";
    return broken("P0 0-1 MPI_Win_lock w0 to 2 shared; 2-3 " + put + "; " + unlock + fence + end + "P1 " + fence +
                  "22-23 " + put + "; " + end + "P2 " + fence + end);
  };
  EXPECT_EQ(with("", "4-5 MPI_Win_unlock w0 to 2; "), "");
  EXPECT_EQ(with(" assert noprecede", "4-5 MPI_Win_unlock w0 to 2; "), "");
}

TEST(EpochOrder, AMessageDoesNotEndAFenceEpoch) {
  const auto with = [](const std::string& first, const std::string& second) {
    return broken("P0 0-1 MPI_Win_fence w0; 2-3 " + put + "; " + first + "60-61 MPI_Win_fence w0\n" +
                  "P1 0-1 MPI_Win_fence w0; " + second + "60-61 MPI_Win_fence w0\n" +
                  "P2 0-1 MPI_Win_fence w0; 60-61 MPI_Win_fence w0\n");
  };
  EXPECT_EQ(with("4-5 MPI_Send to 1; ", "40-41 MPI_Recv from 0; 50-51 " + locked_put + "; "), conflict);
}

TEST(EpochOrder, SumsMayMeetInEpochsOfEveryKind) {
  const auto with = [](const std::string& operation) {
    return broken(
        "P0 0-1 MPI_Win_fence w0; 2-3 MPI_Accumulate w0 to 2 offset 0 op MPI_SUM; 60-61 MPI_Win_fence w0\n"
        "P1 0-1 MPI_Win_fence w0; 50-51 MPI_Win_lock w0 to 2; 52-53 MPI_Accumulate w0 to 2 offset 0 op " +
        operation + "; 54-55 MPI_Win_unlock w0 to 2; 60-61 MPI_Win_fence w0\n" +
        "P2 0-1 MPI_Win_fence w0; 60-61 MPI_Win_fence w0\n");
  };
  EXPECT_EQ(with("MPI_SUM"), "");
  EXPECT_EQ(with("MPI_MAX"), "conflicting-access P1>0 MPI_Accumulate 52-53 x1 & MPI_Accumulate 2");
}

const std::string started = "0-1 MPI_Win_start w0 group 2; 2-3 " + put + "; 4-5 MPI_Win_complete w0";

TEST(EpochOrder, OnlyTheTargetKnowsThatAnAccessEpochIsOver) {
  const std::string late = "P1 20-30 MPI_Recv from ";
  const auto with = [&](const std::string& origin, const std::string& target, const std::string& from) {
    return broken("P0 " + started + origin + "\n" + late + from + "; 50-51 " + locked_put +
                  "\nP2 0-1 MPI_Win_post w0 group 0; 4-6 MPI_Win_wait w0" + target + "\n");
  };
  EXPECT_EQ(with("", "; 7-8 MPI_Send to 1", "2"), "");
  EXPECT_EQ(with("; 7-8 MPI_Send to 1", "", "0"), conflict);
  EXPECT_EQ(with("; 7-8 MPI_Send to 2; 9-10 MPI_Recv from 2; 11-12 MPI_Send to 1",
                 "; 7-9 MPI_Recv from 0; 9-10 MPI_Send to 0", "0"),
            "");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 2; 2-3 MPI_Get w0 to 2 offset 0; 4-5 MPI_Win_complete w0; 7-8 "
                   "MPI_Send to 1\n" +
                   late + "0; 50-51 " + locked_put + "\nP2 0-1 MPI_Win_post w0 group 0; 4-6 MPI_Win_wait w0\n"),
            "");  // what is fetched is there
}

TEST(EpochOrder, ASuccessfulTestEndsAnExposureEpoch) {
  EXPECT_EQ(broken("P0 " + started + "\nP1 20-30 MPI_Recv from 2; 50-51 " + locked_put +
                   "\nP2 0-1 MPI_Win_post w0 group 0; 5-6 MPI_Win_test w0 synex 1; 7-8 MPI_Send to 1\n"),
            "");
}

TEST(EpochOrder, AnAccessEpochComesAfterItsPost) {
  const auto with = [](const std::string& message, const std::string& start) {
    return broken("P0 0-1 MPI_Win_lock w0 to 2 shared; 2-3 " + put + "; 4-5 MPI_Win_unlock w0 to 2; 6-7 " + message +
                  "\nP1 " + start + " MPI_Win_start w0 group 2; 52-53 " + put + "; 54-55 MPI_Win_complete w0\n" +
                  "P2 8-9 MPI_Recv from 0; 40-41 MPI_Win_post w0 group 1; 42-56 MPI_Win_wait w0\n");
  };
  EXPECT_EQ(with("MPI_Send to 2", "30-51"), "");
  EXPECT_EQ(with("MPI_Send to 2", "30-31"), "");  // it need not block there
}

TEST(EpochOrder, AnAccessMayComeInTimeBeforeThePostThatItWaitsFor) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 2; 2-3 " + put + "; 4-31 MPI_Win_complete w0\nP1 0-1 main\n" +
                   "P2 10-11 MPI_Win_lock w0 to 2; 12-13 " + put +
                   "; 14-15 MPI_Win_unlock w0 to 2; 20-21 MPI_Win_post w0 group 0; 22-32 MPI_Win_wait w0\n"),
            "");
}

TEST(EpochOrder, WhatLocksNothingConflictsWithAnExposureEpoch) {
  EXPECT_EQ(
      broken("P0 " + started + "\nP1 50-51 " + locked_put + "\nP2 0-1 MPI_Win_post w0 group 0; 4-6 MPI_Win_wait w0\n"),
      conflict);
}

TEST(EpochOrder, WhatHasNoEndIsComplete) {  // the breach is told, not what may follow from it
  EXPECT_EQ(broken("P0 " + started + "; 10-11 MPI_Barrier\nP1 10-11 MPI_Barrier; 50-51 " + locked_put +
                   "\nP2 0-1 MPI_Win_post w0 group 0; 10-11 MPI_Barrier\n"),
            "unclosed-epoch P2 MPI_Win_post 0-1 x1");
}

const std::string over = "ranks 3\nwindow w0 on WORLD at 2:4096\nwindow w1 on WORLD at 2:4000\n";
const std::string other_put = "MPI_Put w1 to 2 offset 96";

TEST(EpochOrder, TwoWindowsOverOneMemoryUnderFences) {
  const auto with = [](const std::string& first, const std::string& second, const std::string& third) {
    return broken(over + "P0 " + first + "\nP1 " + second + "\nP2 " + third + "\n");
  };
  const std::string both = "0-1 MPI_Win_fence w0; 1-2 MPI_Win_fence w1; ";
  const std::string end = "60-61 MPI_Win_fence w0; 62-63 MPI_Win_fence w1";
  EXPECT_EQ(with(both + "2-3 " + put + "; " + end, both + "52-53 " + other_put + "; " + end, both + end), conflict);
  EXPECT_EQ(with(both + "2-3 " + put + "; 4-5 " + other_put + "; " + end, both + end, both + end),
            "conflicting-access P0>0 MPI_Put 4-5 x1 & MPI_Put 2");
  const std::string between = "10-11 MPI_Win_fence w0; ";
  EXPECT_EQ(with(both + "2-3 " + put + "; " + between + end, both + between + "52-53 " + other_put + "; " + end,
                 both + between + end),
            "");
}

TEST(EpochOrder, TwoWindowsOverOneMemoryUnderPosts) {
  const auto with = [](const std::string& second, const std::string& third) {
    return broken(over + "P0 " + started + "\nP1 " + second + "; 52-53 " + other_put + "; 54-55 MPI_Win_complete w1\n" +
                  "P2 0-1 MPI_Win_post w0 group 0; " + third + "\n");
  };
  EXPECT_EQ(
      with("40-41 MPI_Win_start w1 group 2", "4-6 MPI_Win_wait w0; 7-8 MPI_Win_post w1 group 1; 9-56 MPI_Win_wait w1"),
      "");
  EXPECT_EQ(
      with("40-41 MPI_Win_start w1 group 2", "1-2 MPI_Win_post w1 group 1; 4-6 MPI_Win_wait w0; 9-56 MPI_Win_wait w1"),
      conflict);
}

TEST(EpochOrder, WhereAFenceIsLostNumbersOfFencesSayNothing) {  // P0's second; its put comes after P1's
  const auto with = [](const std::string& end) {
    return broken("P0 0-1 MPI_Win_fence w0; 12-13 " + put + "; 20-21 MPI_Win_fence w0" + end + "\n" +
                  "P1 0-1 MPI_Win_fence w0; 2-3 " + put + "; 10-11 MPI_Win_fence w0; 20-21 MPI_Win_fence w0" + end +
                  "\nP2 0-1 MPI_Win_fence w0; 10-11 MPI_Win_fence w0; 20-21 MPI_Win_fence w0" + end + "\n");
  };
  EXPECT_EQ(with("; 30-31 MPI_Win_free w0"), "");
  EXPECT_EQ(with(""), "conflicting-access P0>1 MPI_Put 12-13 x1 & MPI_Put 2");  // which nothing tells
}

TEST(EpochOrder, PlacesApartAreApart) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 2 offset 8; 60-61 MPI_Win_fence w0\n"
                   "P1 0-1 MPI_Win_fence w0; 51-52 " +
                   locked_put +
                   "; 60-61 MPI_Win_fence w0\n"
                   "P2 0-1 MPI_Win_fence w0; 60-61 MPI_Win_fence w0\n"),
            "");
}

}  // namespace
}  // namespace mora::analysis::epoch_order
