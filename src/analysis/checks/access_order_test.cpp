#include <gtest/gtest.h>

#include "analysis/checks/order_clock.h"
#include "support/analysis/broken_rules.h"

namespace mora::analysis {
namespace {

using test::broken;

const std::string write = "MPI_Put w0 to 2 offset 0";

/// P0 accesses between 2 and 3, P1 between 52 and 53, both in epochs of MPI_Win_lock_all; `first` and `second` stand
/// between.
std::string of_two(const std::string& first, const std::string& second, const std::string& access0 = write,
                   const std::string& access1 = write, const std::string& others = "") {
  return broken("P0 0-1 MPI_Win_lock_all w0; 2-3 " + access0 + "; " + first + "; 90-91 MPI_Win_unlock_all w0\n" +
                "P1 0-1 MPI_Win_lock_all w0; " + second + "; 52-53 " + access1 + "; 90-91 MPI_Win_unlock_all w0\n" +
                "P2 0-1 main\n" + others);
}

const std::string conflict = "conflicting-access P1>0 MPI_Put 52-53 x1 & MPI_Put 2";

TEST(AccessOrder, WhatNothingOrdersConflictsHoweverFarApart) {
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2", "40-41 compute"), conflict);
  EXPECT_EQ(
      broken("P0 0-1 MPI_Win_lock w0 to 2 shared; 2-3 " + write + "; 4-5 MPI_Win_unlock w0 to 2\n" +
             "P1 50-51 MPI_Win_lock w0 to 2 shared; 52-53 " + write + "; 54-55 MPI_Win_unlock w0 to 2\nP2 0-1 main\n"),
      conflict);
}

TEST(AccessOrder, AMessageOrdersWhatIsComplete) {
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Send to 1", "40-41 MPI_Recv from 0"), "");
  EXPECT_EQ(of_two("4-5 MPI_Send to 1; 6-7 MPI_Win_flush w0 to 2", "40-41 MPI_Recv from 0"), conflict);
  EXPECT_EQ(of_two("4-5 MPI_Win_flush_local w0 to 2; 6-7 MPI_Send to 1", "40-41 MPI_Recv from 0"), conflict);
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Recv from 1", "40-41 MPI_Send to 0"), conflict);
}

TEST(AccessOrder, AChainOfMessagesToo) {
  EXPECT_EQ(of_two("4-5 MPI_Win_flush_all w0; 6-7 MPI_Send to 3", "40-41 MPI_Recv from 3", write, write,
                   "P3 5-8 MPI_Recv from 0; 30-31 MPI_Send to 1\n"),
            "");
  EXPECT_EQ(of_two("4-5 MPI_Win_flush_all w0; 6-7 MPI_Send to 3", "40-41 MPI_Recv from 3", write, write,
                   "P3 5-6 MPI_Send to 1; 7-8 MPI_Recv from 0\n"),
            conflict);
}

TEST(AccessOrder, ACollectiveOrdersThoseWhoGetDataFromOthers) {
  const std::string pair = "comm c = 0,1\n";
  const auto with = [&](const std::string& call) {
    return broken(pair + "P0 0-1 MPI_Win_lock_all w0; 2-3 " + write + "; 4-5 MPI_Win_flush w0 to 2; 20-30 " + call +
                  "; 90-91 MPI_Win_unlock_all w0\nP1 0-1 MPI_Win_lock_all w0; 20-30 " + call + "; 52-53 " + write +
                  "; 90-91 MPI_Win_unlock_all w0\nP2 0-1 main\n");
  };
  EXPECT_EQ(with("MPI_Barrier comm c"), "");
  EXPECT_EQ(with("MPI_Allreduce comm c"), "");
  EXPECT_EQ(with("MPI_Alltoallv comm c"), "");
  EXPECT_EQ(with("MPI_Bcast comm c root 0"), "");
  EXPECT_EQ(with("MPI_Bcast comm c root 1"), conflict);
  EXPECT_EQ(with("MPI_Reduce comm c root 1"), "");
  EXPECT_EQ(with("MPI_Reduce comm c root 0"), conflict);
  EXPECT_EQ(with("MPI_Scan comm c"), "");
  EXPECT_EQ(with("MPI_Barrier comm c; 31-32 MPI_Barrier comm c"), "");
}

TEST(AccessOrder, ANonblockingBarrierOrdersWhereItIsComplete) {
  const auto with = [&](const std::string& wait) {
    return broken("comm c = 0,1\nP0 0-1 MPI_Win_lock_all w0; 2-3 " + write +
                  "; 4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Ibarrier comm c req a; 8-9 MPI_Wait req a; 90-91 "
                  "MPI_Win_unlock_all w0\nP1 0-1 MPI_Win_lock_all w0; 6-7 MPI_Ibarrier comm c req a; " +
                  wait + "90-91 MPI_Win_unlock_all w0\nP2 0-1 main\n");
  };
  EXPECT_EQ(with("8-9 MPI_Wait req a; 52-53 " + write + "; "), "");
  EXPECT_EQ(with("52-53 " + write + "; 54-55 MPI_Wait req a; "), conflict);
}

TEST(AccessOrder, ALockOrders) {
  const std::string first = "P0 0-1 MPI_Win_lock w0 to 2 exclusive; 2-3 " + write + "; 4-5 MPI_Win_unlock w0 to 2\n";
  const auto second = [](const std::string& kind, const std::string& access) {
    return "P1 50-51 MPI_Win_lock w0 to 2 " + kind + "; 52-53 " + access + "; 54-55 MPI_Win_unlock w0 to 2\n";
  };
  EXPECT_EQ(broken(first + second("exclusive", write) + "P2 0-1 main\n"), "");
  EXPECT_EQ(broken(first + second("shared", write) + "P2 0-1 main\n"), "");
  EXPECT_EQ(
      broken(first + "P1 50-51 MPI_Win_lock_all w0; 52-53 " + write + "; 54-55 MPI_Win_unlock_all w0\nP2 0-1 main\n"),
      "");
  // Who got the lock knows what was done before; who has it from him, too.
  const std::string third =
      "P3 70-71 MPI_Win_lock w0 to 2 shared; 72-73 " + write + "; 74-75 MPI_Win_unlock w0 to 2\nP2 0-1 main\n";
  const std::string shared = "P0 0-1 MPI_Win_lock w0 to 2 shared; 2-3 " + write + "; 4-5 MPI_Win_unlock w0 to 2\n";
  EXPECT_EQ(broken(shared + "P1 50-51 MPI_Win_lock w0 to 2 exclusive; 54-55 MPI_Win_unlock w0 to 2\n" + third), "");
  EXPECT_EQ(broken(shared + "P1 50-51 MPI_Win_lock w0 to 2 shared; 54-55 MPI_Win_unlock w0 to 2\n" + third),
            "conflicting-access P3>0 MPI_Put 72-73 x1 & MPI_Put 2");
  // MPI_MODE_NOCHECK takes none.
  EXPECT_EQ(broken("P0 0-1 MPI_Win_lock w0 to 2 exclusive assert nocheck; 2-3 " + write +
                   "; 4-5 MPI_Win_unlock w0 to 2\n" + second("exclusive", write) + "P2 0-1 main\n"),
            conflict);
}

TEST(AccessOrder, ALockOfAnotherWindowOrders) {
  const auto with = [](const std::string& last) {
    return of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Win_lock w1 to 3; 8-9 MPI_Win_unlock w1 to 3",
                  "40-41 MPI_Win_lock w1 to " + last + "; 42-43 MPI_Win_unlock w1 to " + last, write, write,
                  "P3 0-1 main\n");
  };
  EXPECT_EQ(with("3"), "");
  EXPECT_EQ(with("1"), conflict);
}

TEST(AccessOrder, EpochsOfAnotherWindowOrder) {
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Win_start w1 group 1; 8-9 MPI_Win_complete w1",
                   "5-6 MPI_Win_post w1 group 0; 40-41 MPI_Win_wait w1"),
            "");
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Win_post w1 group 1; 40-41 MPI_Win_wait w1",
                   "6-8 MPI_Win_start w1 group 0; 8-9 MPI_Win_complete w1"),
            "");
}

TEST(AccessOrder, AtomicsOnAFlagOrder) {
  const std::string set = "4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Accumulate w1 to 3 offset 8 op MPI_REPLACE";
  const auto poll = [](const std::string& offset) {
    return "40-41 MPI_Fetch_and_op w1 to 3 offset " + offset + " op MPI_NO_OP; 41-42 MPI_Win_flush w1 to 3";
  };
  const std::string locks = "0-1 MPI_Win_lock_all w1; ";
  const auto with = [&](const std::string& first, const std::string& second) {
    return broken("P0 " + locks + "0-1 MPI_Win_lock_all w0; 2-3 " + write + "; " + first +
                  "; 90-91 MPI_Win_unlock_all w0; 90-91 MPI_Win_unlock_all w1\nP1 " + locks +
                  "0-1 MPI_Win_lock_all w0; " + second + "; 52-53 " + write +
                  "; 90-91 MPI_Win_unlock_all w0; 90-91 MPI_Win_unlock_all w1\nP2 0-1 main\nP3 0-1 main\n");
  };
  EXPECT_EQ(with(set, poll("8")), "");
  EXPECT_EQ(with(set, poll("16")), conflict);
  EXPECT_EQ(with("6-7 MPI_Accumulate w1 to 3 offset 8 op MPI_REPLACE; 8-9 MPI_Win_flush w0 to 2", poll("8")), conflict);
}

TEST(AccessOrder, WhatIsNotRecordedMayHaveOrdered) {
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Send to 1", "40-41 MPI_Probe"), "");
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Recv from 1", "40-50 MPI_Ssend to 0"), "");
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2", "40-50 MPI_Recv from 3", write, write, "P3 0-1 main\n"), "");
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Comm_dup", "40-50 MPI_Comm_dup"), "");
}

TEST(AccessOrder, ReductionsOfOnePlaceMustBeTheSame) {
  const auto with = [](const std::string& one, const std::string& two) {
    return of_two("4-5 MPI_Win_flush w0 to 2", "40-41 compute", one + " offset 0", two + " offset 4");
  };
  const std::string sum = "MPI_Accumulate w0 to 2 op MPI_SUM";
  EXPECT_EQ(with(sum, sum), "");
  EXPECT_EQ(with(sum, "MPI_Fetch_and_op w0 to 2 op MPI_NO_OP"), "");
  EXPECT_EQ(with(sum, "MPI_Compare_and_swap w0 to 2"), "");
  EXPECT_EQ(with(sum, "MPI_Accumulate w0 to 2"), "");
  EXPECT_EQ(with(sum, "MPI_Accumulate w0 to 2 op MPI_REPLACE"),
            "conflicting-access P1>0 MPI_Accumulate 52-53 x1 & MPI_Accumulate 2");
  EXPECT_EQ(with(sum, "MPI_Get w0 to 2"), "conflicting-access P1>0 MPI_Get 52-53 x1 & MPI_Accumulate 2");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 " + sum + " offset 0; 9-10 MPI_Win_fence w0\n" +
                   "P1 0-1 MPI_Win_fence w0; 4-5 MPI_Accumulate w0 to 2 op MPI_MAX offset 0; 9-10 MPI_Win_fence w0\n" +
                   "P2 0-1 MPI_Win_fence w0; 9-10 MPI_Win_fence w0\n"),
            "conflicting-access P1>0 MPI_Accumulate 4-5 x1 & MPI_Accumulate 2");
}

TEST(AccessOrder, TwoWindowsOverOneMemoryAreOneMemory) {
  const auto with = [](const std::string& definitions, const std::string& offset) {
    return broken(definitions + "P0 0-1 MPI_Win_lock w0 to 2; 2-3 " + write + "; 4-5 MPI_Win_unlock w0 to 2\n" +
                  "P1 50-51 MPI_Win_lock w1 to 2; 52-53 MPI_Put w1 to 2 offset " + offset +
                  "; 54-55 MPI_Win_unlock w1 to 2\nP2 0-1 main\n");
  };
  const std::string over = "ranks 3\nwindow w0 on WORLD at 2:4096\nwindow w1 on WORLD at 2:4000\n";
  EXPECT_EQ(with("", "96"), "");
  EXPECT_EQ(with(over, "0"), "");
  EXPECT_EQ(with(over, "96"), conflict);  // locks of two windows do not exclude each other
}

TEST(AccessOrder, PlacesAreBytes) {
  const auto with = [](const std::string& one, const std::string& two) {
    return of_two("4-5 MPI_Win_flush w0 to 2", "40-41 compute", "MPI_Put w0 to 2 " + one, "MPI_Put w0 to 2 " + two);
  };
  EXPECT_EQ(with("offset 0 bytes 8", "offset 8 bytes 8"), "");
  EXPECT_EQ(with("offset 0 bytes 9", "offset 8 bytes 8"), conflict);
  EXPECT_EQ(with("offset 4 bytes 4", "offset 0 bytes 100"), conflict);
}

TEST(AccessOrder, EveryAccessSinceCounts) {
  // P1 reads twice, is waited for once only; P3 writes after P0's barrier with P1 and a message of P1's first get.
  const auto with = [](const std::string& message) {
    return broken("P0 0-1 MPI_Win_lock_all w0; 2-3 " + write +
                  "; 4-5 MPI_Win_flush w0 to 2; 6-7 MPI_Send to 1; 90-91 "
                  "MPI_Win_unlock_all w0\n"
                  "P1 0-1 MPI_Win_lock_all w0; 6-8 MPI_Recv from 0; 10-11 MPI_Rget w0 to 2 offset 0 req a; 12-13 "
                  "MPI_Rget w0 to 2 offset 0 req b; 14-15 MPI_Wait req b; " +
                  message + "90-91 MPI_Win_unlock_all w0\nP2 0-1 main\n" +
                  "P3 0-1 MPI_Win_lock_all w0; 20-30 MPI_Recv from 1; 52-53 " + write +
                  "; 90-91 MPI_Win_unlock_all w0\n");
  };
  EXPECT_EQ(with("16-17 MPI_Wait req a; 20-21 MPI_Send to 3; "), "");
  EXPECT_EQ(with("20-21 MPI_Send to 3; 30-31 MPI_Wait req a; "),
            "conflicting-access P3>1 MPI_Put 52-53 x1 & MPI_Rget 10");
}

TEST(AccessOrder, BehindAGapNothingIsClaimed) {
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2", "20 RECORDING_OFF; 30 RECORDING_ON"), "");
  EXPECT_EQ(of_two("4-5 MPI_Win_flush w0 to 2; 20 RECORDING_OFF; 30 RECORDING_ON; 31-32 MPI_Send to 1",
                   "40-41 MPI_Recv from 0"),
            "");
}

TEST(OrderClock, SharesWhatIsKnown) {
  checks::OrderClock one(3, 0), other(3, 1), nobody(3);
  EXPECT_EQ(one.complete(), 1U);
  EXPECT_EQ(one.complete(), 2U);
  other.join(one);
  EXPECT_EQ(other.knows(0), 2U);
  EXPECT_EQ(other.complete(), 1U);
  EXPECT_EQ(one.knows(1), 0U);
  nobody.join(other);
  one.complete();
  one.join(nobody);
  EXPECT_EQ(one.knows(0), 3U);
  EXPECT_EQ(one.knows(1), 1U);
  EXPECT_EQ(nobody.knows(0), 2U);
}

}  // namespace
}  // namespace mora::analysis
