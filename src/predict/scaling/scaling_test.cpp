// Programs whose messages can be worked out by hand, recorded with few ranks, against the same programs with 32.
#include "predict/prediction/what_if.h"
#include "predict/scaling/scaled_runs_sample.h"

namespace mora::predict {
namespace {

TEST(Scaling, ARingAndCollectives) { expect_scaled(ring_program, {2, 4, 8}, 32); }

TEST(Scaling, AnyNumberOfRanksOfARing) {
  expect_scaled(ring_program, {2, 4, 8}, 20);
  expect_scaled(ring_program, {4, 8, 16}, 5);
}

/// The first and the last rank are something else, and have no partner there.
void chain_program(Rank& rank) {
  for (int step = 0; step < 4; ++step) {
    if (rank.r > 0) rank.call(fmt::format("MPI_Recv@chain.c:5 from {} bytes 64", rank.r - 1));
    rank.compute(1000);
    if (rank.r + 1 < rank.P) rank.call(fmt::format("MPI_Send@chain.c:7 to {} bytes 64", rank.r + 1));
  }
  rank.call("MPI_Reduce@chain.c:9 root 0 bytes 24");
}

TEST(Scaling, AChainWithEnds) { expect_scaled(chain_program, {2, 4, 8, 16}, 32); }

void butterfly_program(Rank& rank) {
  for (int step = 0; step < 5; ++step) {
    rank.compute(100'000);
    for (int bit = 1; bit < rank.P; bit *= 2)
      rank.call(fmt::format("MPI_Sendrecv@fly.c:8 to {0} from {0} bytes {1}", rank.r ^ bit, 16 * bit));
    rank.call("MPI_Barrier@fly.c:12");
  }
}

TEST(Scaling, AButterflyHasMoreRounds) { expect_scaled(butterfly_program, {2, 4, 8, 16}, 32); }

/// A master that gives each worker its part and collects the results.
void master_program(Rank& rank) {
  for (int round = 0; round < 2; ++round) {
    if (rank.r == 0) {
      for (int w = 1; w < rank.P; ++w) rank.call(fmt::format("MPI_Send@master.c:5 to {} bytes 800 tag 1", w));
      for (int w = 1; w < rank.P; ++w) rank.call(fmt::format("MPI_Recv@master.c:8 from {} bytes 40 tag 2", w));
    } else {
      rank.call("MPI_Recv@master.c:12 from 0 bytes 800 tag 1");
      rank.compute(50'000);
      rank.call("MPI_Send@master.c:14 to 0 bytes 40 tag 2");
    }
  }
}

TEST(Scaling, AMasterAndItsWorkers) { expect_scaled(master_program, {2, 4, 8}, 32); }

/// The same master takes what comes; the order of another run says nothing, so that of the ranks is taken.
TEST(Scaling, AMasterThatTakesWhatComes) {
  const auto taking = [](bool in_order) {
    return [=](Rank& rank) {
      for (int i = 1; i < rank.P; ++i) {
        if (rank.r == 0)
          rank.call(
              fmt::format("MPI_Recv@any.c:3 from {} bytes 8", in_order ? i : (i * 5 + rank.P / 4) % (rank.P - 1) + 1));
      }
      if (rank.r > 0) rank.call("MPI_Send@any.c:5 to 0 bytes 8");
    };
  };
  const auto program = scaled(taking(false), {2, 4, 8}, 20);
  ASSERT_TRUE(program) << program.error().text();
  const auto real = pattern_of_trace(*run_of(taking(true), 20)),
             made = pattern_of_trace(*scaled_source(*program, FitEnd::value));
  ASSERT_TRUE(real && made);
  for (const Disagreement& one : compare_patterns(*real, *made)) ADD_FAILURE() << one.text;
}

/// A loop over the dimensions of a grid: the partners of each iteration have a rule of their own.
TEST(Scaling, ALoopOverDimensions) {
  expect_scaled(
      [](Rank& rank) {
        const auto [rows, columns] = grid_of(rank.P);
        const int y = rank.r / columns, x = rank.r % columns;
        for (int d = 0; d < 2; ++d) {
          const bool has_next = d == 0 ? y + 1 < rows : x + 1 < columns, has_last = d == 0 ? y > 0 : x > 0;
          const int step = d == 0 ? columns : 1;
          rank.call(fmt::format("MPI_Sendrecv@dims.c:4 to {} from {} bytes {} tag {}",
                                has_next ? std::to_string(rank.r + step) : "null",
                                has_last ? std::to_string(rank.r - step) : "null", 960 / (d == 0 ? columns : rows), d));
        }
      },
      {2, 4, 8, 16}, 32);
}

void transpose_program(Rank& rank) {
  for (int step = 0; step < 3; ++step) {
    rank.compute(1'600'000 / rank.P);
    rank.call(fmt::format("MPI_Alltoall@fft.c:4 bytes {}", 1'048'576 / (rank.P * rank.P)));
  }
  rank.call(fmt::format("MPI_Allgather@fft.c:9 bytes {}", 4096 / rank.P));
}

TEST(Scaling, AnAlltoallOfAFixedMatrix) { expect_scaled(transpose_program, {2, 4, 8}, 32); }

/// Strong scaling: 960 x 960 points, five-point stencil without periodic ends; calls with no partner are made.
void halo_program(Rank& rank) {
  const auto [rows, columns] = grid_of(rank.P);
  const int y = rank.r / columns, x = rank.r % columns;
  const auto peer = [&](bool there, int to) { return there ? std::to_string(to) : std::string("null"); };
  const int wide = 960 / columns * 8, high = 960 / rows * 8;
  for (int step = 0; step < 3; ++step) {
    rank.compute(9'216'000 / rank.P);
    rank.call(fmt::format("MPI_Sendrecv@halo.c:10 to {} from {} bytes {}", peer(y > 0, rank.r - columns),
                          peer(y + 1 < rows, rank.r + columns), wide));
    rank.call(fmt::format("MPI_Sendrecv@halo.c:11 to {} from {} bytes {}", peer(y + 1 < rows, rank.r + columns),
                          peer(y > 0, rank.r - columns), wide));
    rank.call(fmt::format("MPI_Sendrecv@halo.c:12 to {} from {} bytes {}", peer(x > 0, rank.r - 1),
                          peer(x + 1 < columns, rank.r + 1), high));
    rank.call(fmt::format("MPI_Sendrecv@halo.c:13 to {} from {} bytes {}", peer(x + 1 < columns, rank.r + 1),
                          peer(x > 0, rank.r - 1), high));
  }
}

TEST(Scaling, AHaloOfTwoDimensions) { expect_scaled(halo_program, {2, 4, 8, 16}, 32); }

/// The same without calls where there is no neighbour, and non-blocking.
void sparse_halo_program(Rank& rank) {
  const auto [rows, columns] = grid_of(rank.P);
  const int y = rank.r / columns, x = rank.r % columns;
  for (int step = 0; step < 3; ++step) {
    rank.compute(700'000);
    std::string requests;
    const auto exchange = [&](int line, const char* name, bool there, int with) {
      if (!there) return;
      rank.call(fmt::format("MPI_Irecv@sparse.c:{} from {} bytes 512 tag 3 req r{}", line, with, name));
      rank.call(fmt::format("MPI_Isend@sparse.c:{} to {} bytes 512 tag 3 req s{}", line + 1, with, name));
      requests += fmt::format("{0}r{1},s{1}", requests.empty() ? "" : ",", name);
    };
    exchange(10, "u", y > 0, rank.r - columns);
    exchange(20, "d", y + 1 < rows, rank.r + columns);
    exchange(30, "l", x > 0, rank.r - 1);
    exchange(40, "e", x + 1 < columns, rank.r + 1);
    rank.call("MPI_Waitall@sparse.c:50 req " + requests);
    rank.call("MPI_Allreduce@sparse.c:60 bytes 8");
  }
}

TEST(Scaling, AHaloThatLeavesOutCallsAtItsEdges) { expect_scaled(sparse_halo_program, {2, 4, 8, 16}, 32); }

/// 16 ranks tell the directions apart.
TEST(Scaling, ATorusThatGrowsWithTheRanks) { expect_scaled(torus_program, {4, 8, 16}, 64); }

/// Sums along the rows and columns of a grid.
TEST(Scaling, CommunicatorsOfRowsAndColumns) {
  const Body body = [](Rank& rank) {
    const int columns = grid_of(rank.P).second;
    rank.compute(3000);
    rank.call(fmt::format("MPI_Allreduce@rows.c:1 comm row{} sent 8 recvd 8", rank.r / columns));
    rank.call(
        fmt::format("MPI_Bcast@rows.c:2 comm column{} root {} sent 0 recvd 64", rank.r % columns, rank.r % columns));
  };
  expect_scaled(body, {2, 4, 8, 16}, 32, rows_and_columns);
}

/// Each rank has a communicator of its own.
TEST(Scaling, CommunicatorsOfOneRank) {
  expect_scaled([](Rank& rank) { rank.call(fmt::format("MPI_Barrier@own.c:1 comm own{}", rank.r)); }, {2, 4, 8}, 32,
                [](int ranks) {
                  std::string text;
                  for (int r = 0; r < ranks; ++r) text += fmt::format("comm own{0} = {0}\n", r);
                  return text;
                });
}

TEST(Scaling, WeakScalingHasTheSameMessages) {
  expect_scaled(
      [](Rank& rank) {
        rank.compute(1'000'000);
        rank.call(fmt::format("MPI_Send@weak.c:1 to {} bytes 4096", (rank.r + 1) % rank.P));
        rank.call(fmt::format("MPI_Recv@weak.c:2 from {} bytes 4096", (rank.r + rank.P - 1) % rank.P));
      },
      {2, 4, 8}, 32);
}

TEST(Scaling, ABlockDistributionWithARest) {
  expect_scaled(
      [](Rank& rank) {
        const int elements = 1003 / rank.P + (rank.r < 1003 % rank.P ? 1 : 0);
        rank.call(fmt::format("MPI_Gatherv@rest.c:1 root 0 sent {} recvd {}", 8 * elements, rank.r == 0 ? 8024 : 0));
      },
      {2, 4, 8}, 32);
}

TEST(Scaling, ComputationFollowsItsLaw) {
  const auto program = scaled(ring_program, {2, 4, 8}, 32);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_NEAR(computation(*scaled_source(*program, FitEnd::value)), 3 * 960'000.0 / 32, 4);
  EXPECT_EQ((*program)->from.worst_error, 0);
  // Exact data have no interval.
  EXPECT_NEAR(computation(*scaled_source(*program, FitEnd::upper)), 3 * 960'000.0 / 32, 4);

  // A part that all ranks compute, and one that is divided.
  const auto amdahl = scaled(
      [](Rank& rank) {
        rank.compute(20'000 + 640'000 / rank.P);
        rank.call("MPI_Barrier@a.c:1");
      },
      {2, 4, 8}, 64);
  ASSERT_TRUE(amdahl) << amdahl.error().text();
  EXPECT_NEAR(computation(*scaled_source(*amdahl, FitEnd::value)), 30'000, 4);
}

TEST(Scaling, WhatIsComputedAtTheEndIsNotLost) {
  // Without MPI_Finalize, in a region and outside of any.
  for (const bool in_region : {true, false}) {
    std::vector<std::unique_ptr<trace::Source>> sources;
    std::vector<GivenRun> runs;
    for (const int ranks : {2, 4, 8}) {
      std::string text = "mora-trace 1\n";
      for (int r = 0; r < ranks; ++r)
        text += in_region ? fmt::format("P{} 0 ENTER main; 10-20 MPI_Barrier@a.c:1; {} EXIT\n", r, 20 + 800 / ranks)
                          : fmt::format("P{} 10-20 MPI_Barrier@a.c:1; 20-{} work\n", r, 20 + 800 / ranks);
      sources.push_back(std::move(*trace::read_trace_text(text, "end.trace")));
      runs.push_back({"run", sources.back().get()});
    }
    const auto program = scale_runs(runs, {16, 0.25, {}});
    ASSERT_TRUE(program) << program.error().text();
    class Last : public trace::EventSink {
     public:
      Nanoseconds time = 0;
      void on_event(const trace::Event& e) override { time = e.time; }
    } last;
    ASSERT_TRUE(scaled_source(*program, FitEnd::value)->read_location(3, last));
    EXPECT_EQ(last.time, (in_region ? 10 : 0) + 800 / 16) << in_region;
  }
}

TEST(Scaling, TheErrorBarHoldsTheErrorOfTheFit) {
  const auto program = scaled(
      [](Rank& rank) {
        rank.compute(1'000'000 + (rank.P == 4 ? 30'000 : 0));
        rank.call("MPI_Barrier@a.c:1");
      },
      {2, 4, 8}, 32);
  ASSERT_TRUE(program) << program.error().text();
  const auto model = parse_machine_model(
      R"({"format": "mora-machine 2", "same_node": {"model": "loggp", "latency_ns": 100, "overhead_ns": 10, "gap_ns": 10, "gap_ns_per_byte": 1}})",
      "m");
  ASSERT_TRUE(model) << model.error().text();
  PredictionRequest request;
  request.machine = &*model;
  request.places.node.assign(32, 0);
  const auto p = predict_scaled(*program, request);
  ASSERT_TRUE(p) << p.error().text();
  EXPECT_EQ(p->by_rank.size(), 32U);
  EXPECT_GT(p->machine.run_time, 1'000'000);
  EXPECT_LT(p->low.run_time, p->machine.run_time - 10'000);
  EXPECT_GT(p->high.run_time, p->machine.run_time + 10'000);
  EXPECT_GT((*program)->from.worst_error, 0.01);
  // Equal computation has the errors of the fits, too.
  const auto changes = what_if([&](const PredictionRequest& asked) { return predict_scaled(*program, asked); }, request,
                               *p, std::nullopt);
  ASSERT_TRUE(changes) << changes.error().text();
  const auto balanced =
      std::find_if(changes->begin(), changes->end(), [](const WhatIf& one) { return one.key == "balanced"; });
  ASSERT_NE(balanced, changes->end());
  EXPECT_LT(*balanced->low, balanced->run_time - 10'000);
  EXPECT_GT(*balanced->high, balanced->run_time + 10'000);
}

}  // namespace
}  // namespace mora::predict
