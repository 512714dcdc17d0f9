// One-sided calls on a network that costs something: every expected number is worked out by hand. 5 ns for each
// processor, 100 + b ns between.
#include "support/analysis/replay_on_network.h"

namespace mora::replay {
namespace {

TEST(CostedWindows, AFenceCompletesTransfersAndIsABarrier) {
  const auto r = on(LineNetwork(), R"(
P0 0-10 w; 10-12 MPI_Put w0 to 1 bytes 300; 12-22 w; 22-40 MPI_Win_fence w0; 40-41 w
P1 0-30 w; 30-40 MPI_Win_fence w0; 40-41 w
)");
  // P0: handed over at 15, at the target at 15 + 300 + 100. P1's empty message is there by then; P0's is handed over at
  // 420, and there at 520.
  EXPECT_EQ(r.parts("MPI_Put", 0), "5 = 0 + 0 + 5");
  EXPECT_EQ(r.parts("MPI_Win_fence", 0), "400 = 0 + 390 + 10");
  EXPECT_EQ(r.ends(), "426 526");
  EXPECT_EQ(r.parts("MPI_Win_fence", 1), "495 = 385 + 100 + 10");
}

TEST(CostedWindows, TransfersLeaveOneAfterAnother) {
  const auto r = on(LineNetwork(), R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 1 bytes 300; 2-3 MPI_Put w0 to 2 bytes 50; 3-4 MPI_Win_flush w0 to 2; 4-5 MPI_Win_flush_all w0; 5-6 MPI_Get w0 to 1 bytes 70; 6-7 MPI_Win_flush_local w0 to 1; 7-8 MPI_Win_unlock_all w0
P1 0-1 w
P2 0-1 w
)");
  // Handed over at 5 and 10; gone at 305 and 355, there at 405 and 455. The request of the get is handed over at 460,
  // there at 560, and 70 bytes are back at 560 + 100 + 70.
  EXPECT_EQ(r.parts("MPI_Win_flush", 0), "445 = 0 + 445 + 0");
  EXPECT_EQ(r.parts("MPI_Win_flush_all", 0), "0 = 0 + 0 + 0");
  EXPECT_EQ(r.parts("MPI_Win_flush_local", 0), "270 = 0 + 270 + 0");
  EXPECT_EQ(r.ends(), "730 1 1");
}

TEST(CostedWindows, LocallyComplete) {
  const auto r = on(LineNetwork(), R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 1 bytes 300; 2-3 MPI_Win_flush_local w0 to 1; 3-4 MPI_Win_unlock_all w0
P1 0-1 w
)");
  EXPECT_EQ(r.parts("MPI_Win_flush_local", 0), "300 = 0 + 300 + 0");
  EXPECT_EQ(r.parts("MPI_Win_unlock_all", 0), "100 = 0 + 100 + 0");
}

TEST(CostedWindows, ARequestIsWaitedForAlone) {
  const auto r = on(LineNetwork(), R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Rget w0 to 1 bytes 40 req a; 2-3 MPI_Put w0 to 1 bytes 900; 3-4 MPI_Wait req a; 4-5 MPI_Win_unlock_all w0
P1 0-1 w
)");
  // The request is at the target at 105, 40 bytes are back at 245; the put is there at 10 + 900 + 100.
  EXPECT_EQ(r.parts("MPI_Wait", 0), "235 = 0 + 235 + 0");
  EXPECT_EQ(r.ends(), "1010 1");
}

TEST(CostedWindows, OpenShmemTakesWhatWasRecorded) {
  const auto r = on(LineNetwork(), R"(
P0 0 ENTER shmem_putmem; 1 PUT_1TS @1 w0 rma1 sent 300; 3 EXIT; 3-4 w
P1 0-1 w
)");
  EXPECT_EQ(r.ends(), "4 1");
}

TEST(CostedWindows, AFenceThatNotAllAssertIsNoCrash) {
  const auto r = on(LineNetwork(), R"(
P0 0-10 MPI_Win_fence w0; 10-11 w
P1 0-5 w; 5-10 MPI_Win_fence w0 assert noprecede; 10-11 w
)");
  EXPECT_EQ(r.ends().find('-'), std::string::npos);  // all must assert it (MPI-3.1, 11.5.1): when they end is not said
}

TEST(CostedWindows, PostStartCompleteWait) {
  const auto r = on(LineNetwork(), R"(
P0 0-10 w; 10-11 MPI_Win_start w0 group 1; 11-15 MPI_Put w0 to 1 bytes 200; 15-16 MPI_Win_complete w0; 16-17 w
P1 0-1 MPI_Win_post w0 group 0; 1-33 w; 33-90 MPI_Win_wait w0; 90-91 w
)");
  // Posted at 5, known at P0 at 105. The put is handed over at 15, there at 315; then the message that says so, handed
  // over at 320, there at 420.
  EXPECT_EQ(r.parts("MPI_Win_post", 1), "5 = 0 + 0 + 5");
  EXPECT_EQ(r.parts("MPI_Win_complete", 0), "310 = 0 + 300 + 10");
  EXPECT_EQ(r.parts("MPI_Win_wait", 1), "388 = 283 + 100 + 5");
  EXPECT_EQ(r.ends(), "326 426");
}

TEST(CostedWindows, ALockIsAskedForAndGrantedAndGivenBack) {
  const std::string lines = R"(
P0 0-10 w; 10-11 MPI_Win_lock w0 to 2; 11-45 MPI_Put w0 to 2 bytes 20; 45-50 MPI_Win_unlock w0 to 2; 50-51 w
P1 0-20 w; 20-55 MPI_Win_lock w0 to 2; 55-60 w; 60-65 MPI_Win_unlock w0 to 2; 65-66 w
P2 0-1 w
)";
  const auto r = on(LineNetwork(), lines);
  // P0 asks at 15 (there at 115, granted at 215), puts (220, there at 340), gives it back at 345 (there at 445). P1
  // asks at 25 and gets it at 445 + 100.
  EXPECT_EQ(r.parts("MPI_Win_lock", 0), "205 = 0 + 200 + 5");
  EXPECT_EQ(r.parts("MPI_Win_unlock", 0), "125 = 0 + 120 + 5");
  EXPECT_EQ(r.parts("MPI_Win_lock", 1), "525 = 420 + 100 + 5");
  EXPECT_EQ(r.ends(), "346 556 1");
  for (std::uint64_t seed = 1; seed < 20; ++seed) EXPECT_EQ(on(LineNetwork(), lines, seed).ends(), r.ends());
}

/// … where one-sided calls were measured by themselves.
class MeasuredWindows final : public LineNetwork {
 public:
  std::optional<MessageCost> window(WindowCall call, std::uint32_t, std::uint32_t, std::uint64_t bytes) const override {
    const auto cost = [&](Nanoseconds overhead, Nanoseconds latency, Nanoseconds per_byte) {
      return MessageCost{overhead, 0, latency, static_cast<Nanoseconds>(bytes) * per_byte, 0, false};
    };
    switch (call) {
      case WindowCall::put:
        return cost(7, 40, 2);
      case WindowCall::get:
        return cost(9, 60, 1);
      case WindowCall::accumulate:
        return cost(11, 50, 3);
      case WindowCall::fetch:
        return cost(13, 70, 4);
      case WindowCall::fence:
        return cost(0, 200, 0);
      case WindowCall::post:
        return cost(3, 20, 0);
      case WindowCall::start:
        return cost(4, 0, 0);
      case WindowCall::complete:
        return cost(6, 30, 0);
      case WindowCall::wait:
        return cost(8, 0, 0);
      case WindowCall::lock:
        return cost(0, 90, 0);
      case WindowCall::unlock:
        return cost(17, 0, 0);
      case WindowCall::lock_all:
        return cost(2, 0, 0);
      case WindowCall::unlock_all:
        return cost(12, 0, 0);
      case WindowCall::flush:
        return cost(15, 0, 0);
      case WindowCall::create:
        return cost(0, 500, 0);
      case WindowCall::free:
        return cost(0, 300, 0);
      case WindowCall::none:
        return {};
    }
    return {};
  }
};

TEST(MeasuredWindowCalls, AFenceLastsFromTheLastMember) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-10 w; 10-12 MPI_Put w0 to 1 bytes 300; 12-22 w; 22-40 MPI_Win_fence w0; 40-41 w
P1 0-30 w; 30-40 MPI_Win_fence w0; 40-41 w
)");
  // Handed over at 17, gone at 617, at the target at 657: then both have come, and a fence of two lasts 200.
  EXPECT_EQ(r.parts("MPI_Put", 0), "7 = 0 + 0 + 7");
  EXPECT_EQ(r.parts("MPI_Win_fence", 0), "830 = 0 + 830 + 0");
  EXPECT_EQ(r.parts("MPI_Win_fence", 1), "827 = 627 + 200 + 0");
  EXPECT_EQ(r.ends(), "858 858");
}

TEST(MeasuredWindowCalls, AFenceOfFiveHasThreeRounds) {
  std::string lines;
  for (int p = 0; p < 5; ++p) lines += "\nP" + std::to_string(p) + " 0-10 w; 10-20 MPI_Win_fence w0; 20-21 w";
  EXPECT_EQ(on(MeasuredWindows(), lines).ends(), "611 611 611 611 611");
}

TEST(MeasuredWindowCalls, CreatingAndFreeing) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-10 w; 10-20 MPI_Win_create w0; 20-21 MPI_Put w0 to 1 bytes 300; 21-40 MPI_Win_free w0; 40-41 w
P1 0-15 w; 15-20 MPI_Win_create w0; 20-21 w; 21-40 MPI_Win_free w0; 40-41 w
)");
  // Both have come at 15. The put, handed over at 522, is there at 522 + 600 + 40; then freeing lasts 300.
  EXPECT_EQ(r.parts("MPI_Win_create", 0), "505 = 5 + 500 + 0");
  EXPECT_EQ(r.parts("MPI_Win_free", 0), "940 = 0 + 940 + 0");
  EXPECT_EQ(r.ends(), "1463 1463");
}

TEST(MeasuredWindowCalls, FlushesAndLocksOfAll) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 1 bytes 300; 2-3 MPI_Accumulate w0 to 2 bytes 50; 3-4 MPI_Win_flush w0 to 2; 4-5 MPI_Win_flush_all w0; 5-6 MPI_Get w0 to 1 bytes 70; 6-7 MPI_Win_flush_local w0 to 1; 7-8 MPI_Win_unlock_all w0
P1 0-1 w
P2 0-1 w
)");
  // The put is handed over at 9 and gone at 609, the accumulate at 20 and gone at 759, there at 809. The get is handed
  // over at 848; its 70 bytes come in from 908 on.
  EXPECT_EQ(r.parts("MPI_Win_lock_all", 0), "2 = 0 + 0 + 2");
  EXPECT_EQ(r.parts("MPI_Accumulate", 0), "11 = 0 + 0 + 11");
  EXPECT_EQ(r.parts("MPI_Win_flush", 0), "804 = 0 + 789 + 15");
  EXPECT_EQ(r.parts("MPI_Win_flush_all", 0), "15 = 0 + 0 + 15");
  EXPECT_EQ(r.parts("MPI_Win_flush_local", 0), "145 = 0 + 130 + 15");
  EXPECT_EQ(r.parts("MPI_Win_unlock_all", 0), "12 = 0 + 0 + 12");
  EXPECT_EQ(r.ends(), "1005 1 1");
}

TEST(MeasuredWindowCalls, AResultIsTheWholeWay) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 1 bytes 300; 2-3 MPI_Fetch_and_op w0 to 1 bytes 8; 3-4 MPI_Win_flush_local w0 to 1; 4-5 MPI_Rget w0 to 1 bytes 40 req a; 5-6 MPI_Wait req a; 6-7 MPI_Win_unlock_all w0
P1 0-1 w
)");
  // The put is gone at 609. The fetch, handed over at 22, is back at 22 + 70 + 8 4 = 124. After the flush it is 624;
  // the request is handed over at 633, and complete at 633 + 60 + 40.
  EXPECT_EQ(r.parts("MPI_Win_flush_local", 0), "602 = 0 + 587 + 15");
  EXPECT_EQ(r.parts("MPI_Rget", 0), "9 = 0 + 0 + 9");
  EXPECT_EQ(r.parts("MPI_Wait", 0), "100 = 0 + 100 + 0");
  EXPECT_EQ(r.ends(), "745 1");
}

TEST(MeasuredWindowCalls, PostStartCompleteWait) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-10 w; 10-11 MPI_Win_start w0 group 1; 11-15 MPI_Put w0 to 1 bytes 200; 15-16 MPI_Win_complete w0; 16-17 w
P1 0-1 MPI_Win_post w0 group 0; 1-33 w; 33-90 MPI_Win_wait w0; 90-91 w
)");
  // Posted at 3. The put is handed over at 21 and there at 461; that it is complete is said at 467, and known at 497.
  EXPECT_EQ(r.parts("MPI_Win_start", 0), "4 = 0 + 0 + 4");
  EXPECT_EQ(r.parts("MPI_Win_post", 1), "3 = 0 + 0 + 3");
  EXPECT_EQ(r.parts("MPI_Win_complete", 0), "446 = 0 + 440 + 6");
  EXPECT_EQ(r.parts("MPI_Win_wait", 1), "470 = 432 + 30 + 8");
  EXPECT_EQ(r.ends(), "468 506");
}

TEST(MeasuredWindowCalls, ACallWithSeveralPartnersSpendsItsOwnTimeOnce) {
  std::string lines;
  for (const auto& [rank, others] : {std::pair{"0", "1,2"}, {"1", "0,2"}, {"2", "0,1"}})
    lines += std::string("P") + rank + " 0-1 MPI_Win_post w0 group " + others + "; 1-2 MPI_Win_start w0 group " +
             others + "; 2-3 MPI_Win_complete w0; 3-4 MPI_Win_wait w0\n";
  const auto r = on(MeasuredWindows(), lines);
  // Posted at 3, known at 23; started at 7; complete said at 13, known at 43.
  EXPECT_EQ(r.parts("MPI_Win_post", 0), "3 = 0 + 0 + 3");
  EXPECT_EQ(r.parts("MPI_Win_complete", 0), "16 = 0 + 10 + 6");
  EXPECT_EQ(r.parts("MPI_Win_wait", 0), "28 = 0 + 20 + 8");
  EXPECT_EQ(r.ends(), "51 51 51");
  // Of messages each has the processor of its own ends: 5 for each of two.
  EXPECT_EQ(on(LineNetwork(), lines).parts("MPI_Win_post", 0), "10 = 0 + 0 + 10");
}

TEST(MeasuredWindowCalls, AFileOperationBehindAFenceIsNoFence) {
  std::string lines = "comm PAIR = 0,1\n";
  for (const char* rank : {"P0", "P1"})
    lines += std::string(rank) +
             " 0-10 MPI_Win_fence w0; 10-60 MPI_File_write_all; 11 IO_START file out id 1 comm PAIR collective; 59 "
             "IO_END file out id 1; 60-61 w\n";
  // A fence of 200, then what was recorded.
  EXPECT_EQ(on(MeasuredWindows(), lines).ends(), "251 251");
}

TEST(MeasuredWindowCalls, ALatePostIsWaitedFor) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-1 MPI_Win_start w0 group 1; 1-2 MPI_Win_complete w0; 2-3 w
P1 0-50 w; 50-51 MPI_Win_post w0 group 0; 51-90 MPI_Win_wait w0; 90-91 w
)");
  // Posted at 53, known at 73.
  EXPECT_EQ(r.parts("MPI_Win_complete", 0), "69 = 43 + 20 + 6");
}

TEST(MeasuredWindowCalls, ALockTakesItsTimeFromWhenItIsFree) {
  const std::string lines = R"(
P0 0-10 w; 10-11 MPI_Win_lock w0 to 2; 11-45 MPI_Put w0 to 2 bytes 20; 45-50 MPI_Win_unlock w0 to 2; 50-51 w
P1 0-20 w; 20-55 MPI_Win_lock w0 to 2; 55-60 w; 60-65 MPI_Win_unlock w0 to 2; 65-66 w
P2 0-1 w
)";
  const auto r = on(MeasuredWindows(), lines);
  // P0 has it at 100, puts (107, there at 187), gives it back at 204. P1 asked at 20, and has it 90 after that.
  EXPECT_EQ(r.parts("MPI_Win_lock", 0), "90 = 0 + 90 + 0");
  EXPECT_EQ(r.parts("MPI_Win_unlock", 0), "97 = 0 + 80 + 17");
  EXPECT_EQ(r.parts("MPI_Win_lock", 1), "274 = 184 + 90 + 0");
  EXPECT_EQ(r.ends(), "205 317 1");
  for (std::uint64_t seed = 1; seed < 20; ++seed) EXPECT_EQ(on(MeasuredWindows(), lines, seed).ends(), r.ends());
}

TEST(MeasuredWindowCalls, ALockThatPromisesNoConflictCostsItsGivingBack) {
  const auto r = on(MeasuredWindows(), R"(
P0 0-1 MPI_Win_lock w0 to 1 assert nocheck; 1-2 MPI_Put w0 to 1 bytes 20; 2-3 MPI_Win_unlock w0 to 1; 3-4 w
P1 0-1 w
)");
  // It asks nobody. The put is handed over at 7, there at 87.
  EXPECT_EQ(r.parts("MPI_Win_lock", 0), "0 = 0 + 0 + 0");
  EXPECT_EQ(r.parts("MPI_Win_unlock", 0), "97 = 0 + 80 + 17");
}

}  // namespace
}  // namespace mora::replay
