/// The metrics of the efficiency analysis, with numbers worked out by hand.
#include "analysis/efficiency/metrics/metrics.h"

#include "support/analysis/analyze_text.h"
#include "trace/memory_source.h"

namespace mora::analysis {
namespace {

TEST(PotentialSynchronization, OfOneBarrier) {
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 100-131 MPI_Barrier; 200 EXIT\nP1 0 ENTER main; 100-132 MPI_Barrier; 200 EXIT\n"
      "P2 0 ENTER main; 100-131 MPI_Barrier; 200 EXIT\nP3 0 ENTER main; 130-133 MPI_Barrier; 200 EXIT\n");
  EXPECT_EQ(a.ranks("potential-synchronization-collective"), "30 30 30 0");
  EXPECT_EQ(a.ranks("potential-synchronization"), "30 30 30 0");
  EXPECT_EQ(a.ranks("potential-synchronization-point-to-point"), "0 0 0 0");
  EXPECT_EQ(a.ranks("start-delay"), "0 0 0 30");
  EXPECT_EQ(a.ranks("time-variation"), "2 1 2 0");
  EXPECT_EQ(a.path("MPI_Barrier", "time-variation", 1), 1);
}

TEST(PotentialSynchronization, IsNotWaiting) {  // the root of a broadcast waits for nobody
  const Analysed a = analyse_text("P0 0-2 MPI_Bcast root 0\nP1 15-18 MPI_Bcast root 0\nP2 10-20 MPI_Bcast root 0\n");
  EXPECT_EQ(a.ranks("late-broadcast"), "0 0 0");
  EXPECT_EQ(a.ranks("potential-synchronization-collective"), "15 0 5");
  EXPECT_EQ(a.ranks("start-delay"), "0 15 10");
  EXPECT_EQ(a.ranks("time-variation"), "18 2 0");
  // Without data there is no wait state, but the members came at different times all the same.
  EXPECT_EQ(analyse_text("P0 0-9 MPI_Reduce root 0 bytes 0\nP1 5-6 MPI_Reduce root 0 bytes 0\n")
                .ranks("potential-synchronization"),
            "5 0");
}

TEST(PotentialSynchronization, OfAllKindsOfCollectives) {
  for (const char* call : {"MPI_Allreduce", "MPI_Scan", "MPI_Alltoallv", "MPI_Win_fence w0", "MPI_Win_free w0",
                           "MPI_Neighbor_allgather", "MPI_Gatherv root 1", "MPI_Reduce_scatter"}) {
    const Analysed a = analyse_text(std::string("P0 10-20 ") + call + "\nP1 13-26 " + call + "\n");
    EXPECT_EQ(a.ranks("potential-synchronization-collective"), "3 0") << call;
    EXPECT_EQ(a.ranks("start-delay"), "0 3") << call;
    EXPECT_EQ(a.ranks("time-variation"), "6 0") << call;
  }
  // Processes begin and end when the launcher lets them.
  const Analysed a = analyse_text("P0 0-20 MPI_Init; 30-40 MPI_Finalize\nP1 5-21 MPI_Init; 30-50 MPI_Finalize\n");
  EXPECT_EQ(a.total("potential-synchronization") + a.total("start-delay") + a.total("time-variation"), 0);
}

TEST(PotentialSynchronization, NotOfOneMemberNorOfIncompleteOrBrokenInstances) {
  const std::string alone = "comm ALONE = 0\nP0 0-5 MPI_Barrier comm ALONE\nP1 0-9 compute\n";
  const std::string incomplete = "P0 0-5 MPI_Barrier\nP1 0-9 compute\n";
  const std::string broken =
      "P0 0 ENTER MPI_Barrier; 2 RECORDING_OFF; 4 RECORDING_ON; 5 MPICEXIT\n"
      "P1 3 ENTER MPI_Barrier; 3 RECORDING_OFF; 4 RECORDING_ON; 9 MPICEXIT\n";
  for (const std::string& text : {alone, incomplete, broken}) {
    const Analysed a = analyse_text(text);
    EXPECT_EQ(a.total("potential-synchronization") + a.total("start-delay") + a.total("time-variation"), 0) << text;
  }
}

/// Of each collective somebody has no potential synchronisation and somebody no time variation; nothing is negative.
TEST(PotentialSynchronization, SomebodyIsLastAndSomebodyFirst) {
  const Analysed a = analyse_text(
      "P0 0-7 MPI_Allreduce; 10-15 MPI_Barrier\nP1 2-8 MPI_Allreduce; 12-14 MPI_Barrier\n"
      "P2 1-6 MPI_Allreduce; 11-16 MPI_Barrier\n");
  for (const char* call : {"MPI_Allreduce", "MPI_Barrier"}) {
    for (const char* metric : {"potential-synchronization-collective", "start-delay", "time-variation"}) {
      Nanoseconds least = INT64_MAX;
      for (std::uint32_t rank = 0; rank < 3; ++rank) least = std::min<Nanoseconds>(least, a.path(call, metric, rank));
      EXPECT_EQ(least, 0) << call << " " << metric;
    }
  }
}

TEST(PotentialSynchronization, OfNonblockingCollectivesIsOfStartsAndVariationOfCompletions) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 20-30 MPI_Wait req a\nP1 5-6 MPI_Ibarrier req a; 20-34 MPI_Test req a\n");
  EXPECT_EQ(a.path("MPI_Ibarrier", "potential-synchronization-collective", 0), 5);
  EXPECT_EQ(a.path("MPI_Ibarrier", "start-delay", 1), 5);
  EXPECT_EQ(a.path("MPI_Wait", "time-variation", 0), 4);
  EXPECT_EQ(a.ranks("time-variation"), "4 0");
  const Analysed never =
      analyse_text("P0 0-1 MPI_Ibarrier req a; 20-30 MPI_Wait req a\nP1 5-6 MPI_Ibarrier req a; 20-34 compute\n");
  EXPECT_EQ(never.ranks("potential-synchronization-collective"), "5 0");
  EXPECT_EQ(never.total("time-variation"), 0);
}

TEST(Messages, OfALateSender) {
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 50-60 MPI_Send to 1; 100 EXIT\nP1 0 ENTER main; 20-65 MPI_Recv from 0; 100 EXIT\n");
  EXPECT_EQ(a.ranks("potential-synchronization-point-to-point"), "0 30");
  EXPECT_EQ(a.ranks("potential-synchronization"), "0 30");
  EXPECT_EQ(a.ranks("late-sender"), "0 30");
  EXPECT_EQ(a.ranks("message-lifetime"), "0 15");
  EXPECT_EQ(a.ranks("start-delay"), "0 0");
}

TEST(Messages, OfALateReceiver) {
  const Analysed eager =
      analyse_text("P0 0 ENTER m; 10-15 MPI_Send to 1; 100 EXIT\nP1 0 ENTER m; 70-74 MPI_Recv from 0; 100 EXIT\n");
  EXPECT_EQ(eager.ranks("message-lifetime"), "0 64");  // more than all time in MPI
  EXPECT_EQ(eager.total("potential-synchronization"), 0);
  const Analysed synchronous = analyse_text("P0 10-74 MPI_Ssend to 1\nP1 70-75 MPI_Recv from 0\n");
  EXPECT_EQ(synchronous.ranks("message-lifetime"), "0 65");
  EXPECT_EQ(synchronous.total("potential-synchronization"), 0);
}

TEST(Messages, WhoseClocksContradictAreCutAndCounted) {
  const Analysed a = analyse_text("P0 1050-1060 MPI_Send to 1\nP1 20-65 MPI_Recv from 0\n");
  EXPECT_EQ(a.total("message-lifetime"), 0);
  EXPECT_EQ(a.ranks("potential-synchronization-point-to-point"), "0 45");
  EXPECT_EQ(a.quality("clock-violation"), 1U);
}

TEST(Messages, OfOneCallCountEachAlsoThoseOfATest) {
  const Analysed a = analyse_text(
      "P0 10-11 MPI_Send to 2\nP1 14-15 MPI_Send to 2\n"
      "P2 0-1 MPI_Irecv from 0 req a; 1-2 MPI_Irecv from 1 req b; 5-20 MPI_Waitall req a,b\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 0 9");
  EXPECT_EQ(a.path("MPI_Waitall", "potential-synchronization-point-to-point", 2), 5 + 9);
  EXPECT_EQ(a.path("MPI_Waitall", "message-lifetime", 2), 10 + 6);
  const Analysed test = analyse_text("P0 6-7 MPI_Send to 1\nP1 0-1 MPI_Irecv from 0 req a; 5-9 MPI_Test req a\n");
  EXPECT_EQ(test.path("MPI_Test", "potential-synchronization-point-to-point", 1), 1);
  EXPECT_EQ(test.total("late-sender"), 0);
}

TEST(Overlap, IsComputationBetweenStartAndCompletion) {
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 10-11 MPI_Isend to 1 req s; 30-31 MPI_Wait req s; 100 EXIT\n"
      "P1 0 ENTER main; 10-11 MPI_Irecv from 0 req r; 30-32 MPI_Wait req r; 100 EXIT\n");
  EXPECT_EQ(a.ranks("overlap"), "19 19");
  EXPECT_EQ(a.path("MPI_Wait", "request-overlap", 0), 19);
  EXPECT_EQ(a.ranks("request-overlap"), "19 19");
  EXPECT_EQ(a.path("compute MPI_Isend -> MPI_Wait", "overlap", 0), 19);
  EXPECT_EQ(a.path("compute MPI_Irecv -> MPI_Wait", "overlap", 1), 19);
}

TEST(Overlap, LeavesOutTimeInOtherCallsAndCountsRequestsOnce) {
  // Computation 2-5, 7-10; in the barrier of P0 alone nobody computes.
  const Analysed a = analyse_text(
      "comm ALONE = 0\n"
      "P0 0-1 MPI_Isend to 1 req a; 1-2 MPI_Isend to 1 req b; 5-7 MPI_Barrier comm ALONE; 10-11 MPI_Wait req a; "
      "14-15 MPI_Wait req b; 20-21 MPI_Barrier comm ALONE\n"
      "P1 0-1 MPI_Recv from 0; 1-2 MPI_Recv from 0\n");
  EXPECT_EQ(a.at("overlap", 0), 3 + 3 + 3);
  EXPECT_EQ(a.at("request-overlap", 0), 6 + 9);
  EXPECT_EQ(a.at("computation", 0), 3 + 3 + 3 + 5);
}

TEST(Overlap, OfRegionsBelongsToTheRegionThatComputes) {
  // solve computes 3-4 before the start and 12-14 behind the completion; 7-9 itself while inner computes 5-7 and 9-12
  // in work.
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 2 ENTER solve; 4-5 MPI_Isend to 1 req a; 5 ENTER inner; 7 EXIT; 9 ENTER work; 12 EXIT; 12-13 "
      "MPI_Wait req a; "
      "14 EXIT; 20 EXIT\nP1 0-1 MPI_Recv from 0\n");
  EXPECT_EQ(a.path("inner", "overlap", 0), 2);
  EXPECT_EQ(a.path("work", "overlap", 0), 3);
  EXPECT_EQ(a.path("compute MPI_Isend -> MPI_Wait", "overlap", 0), 2);
  EXPECT_EQ(a.at("overlap", 0), 7);
}

TEST(Overlap, WithTestsPersistentRequestsAndThoseThatNeverEnd) {
  const std::string other = "P1 0-1 MPI_Recv from 0; 1-2 MPI_Recv from 0; 3-4 MPI_Recv from 0\n";
  const Analysed tests = analyse_text(
      "P0 0-1 MPI_Isend to 1 req a; 4-5 MPI_Test; 7-8 MPI_Test; 12-13 MPI_Test req a; 20-21 compute\n" + other);
  EXPECT_EQ(tests.at("overlap", 0), 3 + 2 + 4);
  EXPECT_EQ(tests.at("request-overlap", 0), 9);
  const Analysed loop = analyse_text(  // a loop of polls with short gaps does not compute
      "P0 0-1 MPI_Isend to 1 req a; 4-8 MPI_Test; 9-12 MPI_Test; 13-14 MPI_Test req a; 20-21 compute\n" + other);
  EXPECT_EQ(loop.at("overlap", 0), 3);
  EXPECT_EQ(loop.at("request-overlap", 0), 3);
  const Analysed persistent = analyse_text(
      "P0 0-1 MPI_Send_init to 1 req a; 5-6 MPI_Start req a; 8-9 MPI_Wait req a; 20-21 MPI_Start req a; 24-25 MPI_Wait "
      "req a\n" +
      other);
  EXPECT_EQ(persistent.at("overlap", 0), 2 + 3);
  const Analysed never = analyse_text(
      "P0 0-1 MPI_Isend to 1 req a; 5-6 MPI_Isend to 1 req b; 8-9 MPI_Wait req b; 20-21 MPI_Request_free; 30-31 "
      "compute\n" +
      other);
  EXPECT_EQ(never.at("overlap", 0), 2);
  const Analysed cancelled =
      analyse_text("P0 0-1 MPI_Irecv from 1 req a; 5-6 MPI_Cancel; 8-9 MPI_Wait req a cancelled\nP1 0-1 compute\n");
  EXPECT_EQ(cancelled.at("overlap", 0), 0);
  EXPECT_EQ(cancelled.at("request-overlap", 0), 0);
}

TEST(Overlap, OfCollectivesTransfersAndFiles) {
  const Analysed collective =
      analyse_text("P0 0-1 MPI_Ibarrier req a; 4-5 MPI_Wait req a\nP1 0-1 MPI_Ibarrier req a; 3-5 MPI_Wait req a\n");
  EXPECT_EQ(collective.ranks("overlap"), "3 2");
  EXPECT_EQ(collective.ranks("request-overlap"), "3 2");
  // A put is complete when its epoch ends: no request. An Rput has one.
  const Analysed transfer = analyse_text(
      "P0 0-1 MPI_Win_lock_all w0; 2-3 MPI_Put to 1 w0; 8-9 MPI_Rput to 1 w0 req r; 13-14 MPI_Wait req r; 20-21 "
      "MPI_Win_unlock_all w0\n"
      "P1 0-1 compute\n");
  EXPECT_EQ(transfer.at("overlap", 0), 4);
  EXPECT_EQ(transfer.path("MPI_Wait", "request-overlap", 0), 4);
  const Analysed file = analyse_text(
      "P0 0 ENTER MPI_File_iwrite; 0 IO_START file f bytes 8 id 3; 1 EXIT; 6 ENTER MPI_Wait; 7 IO_END file f bytes 8 "
      "id 3; 7 EXIT; "
      "8 ENTER MPI_File_write; 8 IO_START file f bytes 8 id 4; 9 IO_END file f bytes 8 id 4; 9 EXIT; "
      "12 ENTER write; 12 IO_START file f bytes 8 id 5; 15 IO_END file f bytes 8 id 5; 15 EXIT\n");
  EXPECT_EQ(file.at("overlap", 0), 5);
}

TEST(Counters, OfComputationGoToItsCallPath) {
  // As Score-P writes them: a reading before each enter and leave, at its time.
  const std::string text =
      "P0 0 ENTER all; 0 METRIC PAPI_TOT_INS 100; 0 METRIC PAPI_TOT_CYC 10; 0 ENTER main; 5 METRIC PAPI_TOT_INS 150; 5 "
      "METRIC PAPI_TOT_CYC 30; "
      "5 ENTER MPI_Barrier; 9 METRIC PAPI_TOT_INS 900; 9 METRIC PAPI_TOT_CYC 99; 9 MPICEXIT; 12 METRIC PAPI_TOT_INS "
      "907; "
      "12 METRIC PAPI_TOT_CYC 119; 12 ENTER solve; 14 METRIC PAPI_TOT_INS 1000; 14 METRIC PAPI_TOT_CYC 100; 14 EXIT; "
      "15 METRIC PAPI_TOT_INS 1001; 15 METRIC L2 77; 15 EXIT; 16 EXIT\n";
  const Analysed a = analyse_text(text);
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "instructions", 0), 50);
  EXPECT_EQ(a.path("compute MPI_Barrier -> end", "instructions", 0), 7 + 1);
  EXPECT_EQ(a.path("solve", "instructions", 0), 93);
  EXPECT_EQ(a.total("instructions"), 151);  // not the 750 of the barrier
  EXPECT_EQ(a.total("cycles"), 20 + 20);    // and none where the counter ran backwards
}

TEST(Counters, ReadBehindTheirEventsAreTheSame) {
  const Analysed a = analyse_text(
      "P0 0 ENTER all; 0 ENTER main; 0 METRIC PAPI_TOT_INS 100; 5 ENTER MPI_Barrier; 5 METRIC PAPI_TOT_INS 150; 9 "
      "MPICEXIT; "
      "9 METRIC PAPI_TOT_INS 900; 12 ENTER solve; 12 METRIC PAPI_TOT_INS 907; 14 EXIT; 14 METRIC PAPI_TOT_INS 1000; 15 "
      "EXIT; "
      "15 METRIC PAPI_TOT_INS 1001; 16 EXIT\n");
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "instructions", 0), 50);
  EXPECT_EQ(a.path("compute MPI_Barrier -> end", "instructions", 0), 7 + 1);
  EXPECT_EQ(a.path("solve", "instructions", 0), 93);
  EXPECT_EQ(a.total("instructions"), 151);
}

TEST(Core, TimeWithoutItIsThatOfStretchesThatWereRead) {
  // The stretch before the barrier is executed twice, 40 each. Of the first both ends are read: 10 of 40 did not run, 6
  // of them in the run queue. The stretch after it was not read, and counts as all that was: a quarter of 20. The
  // barrier is in the run queue for 3.
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 0 METRIC CPU_TIME 5; 0 METRIC RUN_QUEUE_WAIT 1; 40 METRIC CPU_TIME 35; "
      "40 METRIC RUN_QUEUE_WAIT 7; 40-50 MPI_Barrier; 90-100 MPI_Barrier; 120 METRIC CPU_TIME 90; "
      "120 METRIC RUN_QUEUE_WAIT 10; 120 EXIT\n");
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "not-running", 0), 10);
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "computation-without-core", 0), 6);
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Barrier", "not-running", 0), 10);
  EXPECT_EQ(a.path("compute MPI_Barrier -> end", "not-running", 0), 5);
  EXPECT_EQ(a.path("compute MPI_Barrier -> end", "computation-without-core", 0), 3);
  EXPECT_EQ(a.total("not-running"), 25);
  EXPECT_EQ(a.total("run-queue-wait"), 9);
  EXPECT_EQ(a.total("core-readings"), 1);
}

TEST(Core, WhatTheKernelCountedBelongsToStretchesThatWereRead) {
  // The first stretch was read: 40 long, in the kernel for 20, 8 faults, 4 and 2 switches. The one after the barrier
  // was not: in the kernel at the rate of all that were, 20 of 50, and no faults, which come in bursts. What the
  // barriers took is of no computation.
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 0 METRIC CPU_TIME 0; 0 METRIC KERNEL_TIME 5; 0 METRIC PAGE_FAULTS 1; "
      "0 METRIC VOLUNTARY_SWITCHES 0; 0 METRIC INVOLUNTARY_SWITCHES 3; 40 METRIC CPU_TIME 30; 40 METRIC KERNEL_TIME "
      "25; "
      "40 METRIC PAGE_FAULTS 9; 40 METRIC VOLUNTARY_SWITCHES 4; 40 METRIC INVOLUNTARY_SWITCHES 5; 40-50 MPI_Barrier; "
      "70-80 MPI_Barrier; 80 METRIC CPU_TIME 70; 80 METRIC KERNEL_TIME 60; 80 METRIC PAGE_FAULTS 1000; 90 METRIC "
      "CPU_TIME 80; 90 METRIC PAGE_FAULTS 1003; 90-100 MPI_Barrier; 110-120 MPI_Reduce; 120 EXIT\n");
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "computation-in-kernel", 0), 20);
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "page-faults", 0), 8);
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "voluntary-switches", 0), 4);
  EXPECT_EQ(a.path("compute start -> MPI_Barrier", "involuntary-switches", 0), 2);
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Barrier", "page-faults", 0), 3);  // one of two read
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Reduce", "page-faults", 0), 0);
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Reduce", "computation-in-kernel", 0), 4);
  EXPECT_EQ(a.total("voluntary-switches"), 4);
  EXPECT_EQ(a.total("involuntary-switches"), 2);
}

TEST(Core, NothingIsSaidWhereItWasNotRead) {
  const Analysed a = analyse_text("P0 0 ENTER main; 40-50 MPI_Barrier; 60 EXIT\n");
  EXPECT_EQ(a.total("not-running"), 0);
  EXPECT_EQ(a.total("page-faults"), 0);
  EXPECT_EQ(a.total("run-queue-wait"), 0);
}

/// A rank's intervals and computation, marked as intervals/ hands them to the engine.
class Marked {
 public:
  Marked() {
    source_.defs.program = "marked";
    source_.defs.nodes.push_back({"node0"});
    source_.defs.locations.emplace_back();
    source_.defs.communicators.push_back({});
    source_.defs.communicators[0].members = {0, 1};
    for (const char* name : {"loop", "MPI_Pcontrol", "part"}) {
      trace::Region region;
      region.name = name;
      region.kind = region.name.starts_with("MPI_") ? trace::RegionKind::mpi : trace::RegionKind::user;
      region.call_site_file = "a.c";
      region.call_site_line = 20;
      source_.defs.regions.push_back(region);
    }
    source_.defs.world_size = 1;
    source_.defs.index_ranks();
    source_.events.resize(1);
  }
  Marked& at(Nanoseconds time, trace::EventKind kind, std::uint32_t region, std::uint32_t interval) {
    trace::Event event;
    event.time = time;
    event.kind = kind;
    event.region = region;
    event.interval = interval;
    source_.events[0].push_back(event);
    return *this;
  }
  Marked& in(Nanoseconds time, std::uint32_t region, std::uint32_t interval = 0) {
    return at(time, trace::EventKind::enter, region, interval);
  }
  Marked& out(Nanoseconds time, std::uint32_t region, std::uint32_t interval = 0) {
    return at(time, trace::EventKind::leave, region, interval);
  }
  AnalysisResult analysed() {
    AnalyzeOptions options;
    options.workers = 1;
    auto result = analyze(source_, "marked", options);
    EXPECT_TRUE(result.has_value());
    return result ? std::move(*result) : AnalysisResult{};
  }

 private:
  trace::MemorySource source_;
};

TEST(FirstExecution, IsThatOfTheFirstVisitWithEverythingInIt) {
  constexpr std::uint32_t loop = 0, mark = 1, part = 2;
  Marked m;
  m.in(0, part);
  m.in(1, mark, 8).in(2, loop, 1).out(5, loop, 1).in(6, loop, 1).out(20, loop, 1).out(21, mark, 8);  // id 7: 20, loop 3
  m.in(30, mark, 8).in(31, loop, 1).out(40, loop, 1).out(41, mark, 8);
  m.in(50, mark, 9).out(57, mark, 9);                             // another id
  m.in(60, part).in(61, mark, 8).out(70, mark, 8).out(71, part);  // the same interval by another call path
  m.out(80, part);
  const AnalysisResult result = m.analysed();
  const cube::MetricId metric = result.cube.find_metric("first-execution");
  std::string found;
  for (cube::CallPathId c = 0; c < result.cube.call_paths.size(); ++c) {
    const cube::CallPath& path = result.cube.call_paths[c];
    if (path.kind != cube::CallPathKind::interval) continue;
    found += path.name + "#" + std::to_string(path.id) + " " + std::to_string(result.cube.get(metric, c, 0)) + "\n";
  }
  EXPECT_EQ(found, "interval#7 20\nloop#0 3\ninterval#8 7\ninterval#7 0\n");
  EXPECT_EQ(result.cube.total(metric), 30);
}

}  // namespace
}  // namespace mora::analysis
