// Programs whose messages can be worked out by hand, recorded with few ranks, against the same programs with 32.
#include "predict/scaling/scaling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "predict/pattern/compare/compare.h"
#include "predict/pattern/events/from_trace.h"
#include "predict/scaling/scaled_source.h"
#include "trace/readers/text/text_source.h"

namespace mora::predict {
namespace {

/// Writes what one rank does.
class Rank {
 public:
  Rank(int rank, int ranks) : r(rank), P(ranks) {}
  const int r, P;
  std::string text;
  void compute(long long ns) { now_ += ns; }
  /// A call of 10 ns.
  void call(const std::string& words) {
    const auto at = words.find(' ');
    text += fmt::format("P{} {}-{} {}{}\n", r, now_, now_ + 10, words.substr(0, at),
                        at == std::string::npos ? "" : words.substr(at));
    now_ += 10;
  }

 private:
  long long now_ = 0;
};
using Body = std::function<void(Rank&)>;

std::unique_ptr<trace::Source> run_of(const Body& body, int ranks, const std::string& definitions = "") {
  std::string text = "mora-trace 1\n" + definitions;
  for (int r = 0; r < ranks; ++r) {
    Rank rank(r, ranks);
    rank.call("MPI_Init");
    body(rank);
    rank.call("MPI_Finalize");
    text += rank.text;
  }
  auto source = trace::read_trace_text(text, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  return std::move(*source);
}

using Definer = std::function<std::string(int ranks)>;

Result<std::shared_ptr<const ScaledProgram>> scaled(
    const Body& body, const std::vector<int>& from, std::uint32_t to, const Definer& definer = [](int) { return ""; }) {
  std::vector<std::unique_ptr<trace::Source>> sources;
  std::vector<GivenRun> runs;
  for (const int ranks : from) {
    sources.push_back(run_of(body, ranks, definer(ranks)));
    runs.push_back({fmt::format("run {}", ranks), sources.back().get()});
  }
  return scale_runs(runs, {to, 0.25, {}});
}

/// Every call of every rank is that of the program itself with so many ranks.
void expect_same(
    const Body& body, const std::vector<int>& from, int to, const Definer& definer = [](int) { return ""; }) {
  const auto program = scaled(body, from, static_cast<std::uint32_t>(to), definer);
  ASSERT_TRUE(program) << program.error().text();
  const auto source = scaled_source(*program, FitEnd::value);
  const auto real = pattern_of_trace(*run_of(body, to, definer(to))), made = pattern_of_trace(*source);
  ASSERT_TRUE(real && made);
  ASSERT_EQ(made->ranks.size(), static_cast<std::size_t>(to));
  for (const Disagreement& one : compare_patterns(*real, *made)) ADD_FAILURE() << one.text;
}

std::string why_not(const Body& body, const std::vector<int>& from, std::uint32_t to) {
  const auto program = scaled(body, from, to);
  EXPECT_FALSE(program);
  return program ? "" : program.error().where + ": " + program.error().why;
}

/// As MPI_Dims_create.
std::pair<int, int> grid_of(int ranks) {
  int columns = static_cast<int>(std::sqrt(ranks));
  while (ranks % columns != 0) --columns;
  return {ranks / columns, columns};
}

void ring_program(Rank& rank) {
  for (int step = 0; step < 3; ++step) {
    rank.compute(960'000 / rank.P);
    rank.call(fmt::format("MPI_Isend@ring.c:10 to {} bytes {} tag 5 req s", (rank.r + 1) % rank.P, 64'000 / rank.P));
    rank.call(fmt::format("MPI_Irecv@ring.c:11 from {} bytes {} tag 5 req r", (rank.r + rank.P - 1) % rank.P,
                          64'000 / rank.P));
    rank.call("MPI_Waitall@ring.c:12 req s,r");
    rank.call("MPI_Allreduce@ring.c:20 bytes 8");
  }
  rank.call(fmt::format("MPI_Bcast@ring.c:30 root 0 bytes {}", 100 * rank.P));
}

TEST(Scaling, ARingAndCollectives) { expect_same(ring_program, {2, 4, 8}, 32); }

TEST(Scaling, AnyNumberOfRanksOfARing) {
  expect_same(ring_program, {2, 4, 8}, 20);
  expect_same(ring_program, {4, 8, 16}, 5);
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

TEST(Scaling, AChainWithEnds) { expect_same(chain_program, {2, 4, 8, 16}, 32); }

void butterfly_program(Rank& rank) {
  for (int step = 0; step < 5; ++step) {
    rank.compute(100'000);
    for (int bit = 1; bit < rank.P; bit *= 2)
      rank.call(fmt::format("MPI_Sendrecv@fly.c:8 to {0} from {0} bytes {1}", rank.r ^ bit, 16 * bit));
    rank.call("MPI_Barrier@fly.c:12");
  }
}

TEST(Scaling, AButterflyHasMoreRounds) { expect_same(butterfly_program, {2, 4, 8, 16}, 32); }

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

TEST(Scaling, AMasterAndItsWorkers) { expect_same(master_program, {2, 4, 8}, 32); }

/// The same master takes what comes; the order of another run says nothing.
TEST(Scaling, AMasterThatTakesWhatComes) {
  const auto program = scaled(
      [](Rank& rank) {
        for (int i = 1; i < rank.P; ++i) {
          if (rank.r == 0)
            rank.call(fmt::format("MPI_Recv@any.c:3 from {} bytes 8", (i * 5 + rank.P / 4) % (rank.P - 1) + 1));
        }
        if (rank.r > 0) rank.call("MPI_Send@any.c:5 to 0 bytes 8");
      },
      {2, 4, 8}, 20);
  ASSERT_TRUE(program) << program.error().text();
}

/// A loop over the dimensions of a grid: the partners of each iteration have a rule of their own.
TEST(Scaling, ALoopOverDimensions) {
  expect_same(
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

TEST(Scaling, AnAlltoallOfAFixedMatrix) { expect_same(transpose_program, {2, 4, 8}, 32); }

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

TEST(Scaling, AHaloOfTwoDimensions) { expect_same(halo_program, {2, 4, 8, 16}, 32); }

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

TEST(Scaling, AHaloThatLeavesOutCallsAtItsEdges) { expect_same(sparse_halo_program, {2, 4, 8, 16}, 32); }

/// Weak scaling on a torus: each rank has four neighbours, whatever their number. 16 ranks tell the directions apart.
TEST(Scaling, ATorusThatGrowsWithTheRanks) {
  const Body torus = [](Rank& rank) {
    const auto [rows, columns] = grid_of(rank.P);
    const int y = rank.r / columns, x = rank.r % columns;
    const auto at = [&](int row, int column) { return (row + rows) % rows * columns + (column + columns) % columns; };
    for (int step = 0; step < 2; ++step) {
      rank.compute(50'000);
      rank.call(fmt::format("MPI_Irecv@torus.c:5 from {} bytes 256 tag 1 req a", at(y - 1, x)));
      rank.call(fmt::format("MPI_Irecv@torus.c:6 from {} bytes 256 tag 2 req b", at(y, x - 1)));
      rank.call(fmt::format("MPI_Isend@torus.c:7 to {} bytes 256 tag 1 req c", at(y + 1, x)));
      rank.call(fmt::format("MPI_Isend@torus.c:8 to {} bytes 256 tag 2 req d", at(y, x + 1)));
      for (const char* const request : {"a", "b", "c", "d"})
        rank.call(fmt::format("MPI_Wait@torus.c:10 req {}", request));
    }
  };
  expect_same(torus, {4, 8, 16}, 64);
}

/// Sums along the rows and columns of a grid.
TEST(Scaling, CommunicatorsOfRowsAndColumns) {
  const Definer rows_and_columns = [](int ranks) {
    const auto [rows, columns] = grid_of(ranks);
    std::string text;
    for (int y = 0; y < rows; ++y) {
      text += fmt::format("comm row{} =", y);
      for (int x = 0; x < columns; ++x) text += fmt::format("{}{}", x == 0 ? " " : ",", y * columns + x);
      text += "\n";
    }
    for (int x = 0; x < columns; ++x) {
      text += fmt::format("comm column{} =", x);
      for (int y = 0; y < rows; ++y) text += fmt::format("{}{}", y == 0 ? " " : ",", y * columns + x);
      text += "\n";
    }
    return text;
  };
  const Body body = [](Rank& rank) {
    const int columns = grid_of(rank.P).second;
    rank.compute(3000);
    rank.call(fmt::format("MPI_Allreduce@rows.c:1 comm row{} sent 8 recvd 8", rank.r / columns));
    rank.call(
        fmt::format("MPI_Bcast@rows.c:2 comm column{} root {} sent 0 recvd 64", rank.r % columns, rank.r % columns));
  };
  expect_same(body, {2, 4, 8, 16}, 32, rows_and_columns);
}

TEST(Scaling, WeakScalingHasTheSameMessages) {
  expect_same(
      [](Rank& rank) {
        rank.compute(1'000'000);
        rank.call(fmt::format("MPI_Send@weak.c:1 to {} bytes 4096", (rank.r + 1) % rank.P));
        rank.call(fmt::format("MPI_Recv@weak.c:2 from {} bytes 4096", (rank.r + rank.P - 1) % rank.P));
      },
      {2, 4, 8}, 32);
}

TEST(Scaling, ABlockDistributionWithARest) {
  expect_same(
      [](Rank& rank) {
        const int elements = 1003 / rank.P + (rank.r < 1003 % rank.P ? 1 : 0);
        rank.call(fmt::format("MPI_Gatherv@rest.c:1 root 0 sent {} recvd {}", 8 * elements, rank.r == 0 ? 8024 : 0));
      },
      {2, 4, 8}, 32);
}

/// Computation in ns of all calls of a rank.
double computation(trace::Source& source) {
  class Sum : public trace::EventSink {
   public:
    double sum = 0;
    void on_event(const trace::Event& e) override {
      if (e.kind == trace::EventKind::enter) sum += static_cast<double>(e.time - last);
      last = e.time;
    }
    Nanoseconds last = 0;
  } sum;
  EXPECT_TRUE(source.read_location(0, sum));
  return sum.sum;
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
}

TEST(Scaling, PartnersThatNoRuleGivesAreRefused) {
  const Body irregular = [](Rank& rank) {
    // A permutation of its own for each number of ranks.
    const int to = (rank.r * 5 + rank.P * 3 + (rank.r % 3 == 1 ? 1 : 0)) % rank.P;
    rank.call(fmt::format("MPI_Isend@graph.c:7 to {} bytes 8 req s", to));
    rank.call("MPI_Wait@graph.c:8 req s");
  };
  const std::string why = why_not(irregular, {4, 8, 16}, 32);
  EXPECT_NE(why.find("graph.c:7"), std::string::npos) << why;
  EXPECT_NE(why.find("no rule gives the partners"), std::string::npos) << why;
}

TEST(Scaling, CountsThatNoLawExplainsAreRefused) {
  const std::string why = why_not(
      [](Rank& rank) {
        const int times = rank.P == 2 ? 7 : rank.P == 4 ? 3 : 17;
        for (int i = 0; i < times; ++i) rank.call("MPI_Allreduce@solve.c:9 bytes 8");
      },
      {2, 4, 8}, 32);
  EXPECT_NE(why.find("solve.c:9: how often the loop"), std::string::npos) << why;
  EXPECT_NE(why.find("no law explains"), std::string::npos) << why;
}

TEST(Scaling, ComputationThatNoLawPredictsIsRefused) {
  const std::string why = why_not(
      [](Rank& rank) {
        rank.compute(rank.P == 4 ? 9'000'000 : 1'000'000);
        rank.call("MPI_Barrier@cache.c:3");
      },
      {2, 4, 8}, 32);
  EXPECT_NE(why.find("cache.c:3: computation since MPI_Init"), std::string::npos) << why;
  EXPECT_NE(why.find("left out (limit: 25 %)"), std::string::npos) << why;
}

TEST(Scaling, RulesThatTheRunsDoNotTellApartAreRefused) {
  // With two columns at most, left and right of a periodic grid are the same rank.
  const std::string why = why_not(
      [](Rank& rank) {
        const auto [rows, columns] = grid_of(rank.P);
        const int y = rank.r / columns, x = rank.r % columns;
        rank.call(fmt::format("MPI_Isend@torus.c:7 to {} bytes 8 req s", y * columns + (x + 1) % columns));
        rank.call(fmt::format("MPI_Irecv@torus.c:8 from {} bytes 8 req r", y * columns + (x + columns - 1) % columns));
        rank.call("MPI_Waitall@torus.c:9 req s,r");
      },
      {2, 4, 8}, 32);
  EXPECT_NE(why.find("torus.c:7: partners: the runs do not tell"), std::string::npos) << why;
}

TEST(Scaling, SizesThatNoRuleExplainsAreRefusedUnlessTheyScatterByLittle) {
  const auto with = [](int percent) {
    return [=](Rank& rank) {
      const int bytes = 64'000 / rank.P + (rank.P == 4 ? 160 : 0) * percent + rank.r;
      rank.call(fmt::format("MPI_Isend@size.c:7 to {} bytes {} req s", (rank.r + 1) % rank.P, bytes));
      rank.call(fmt::format("MPI_Recv@size.c:8 from {} bytes {}", (rank.r + rank.P - 1) % rank.P,
                            64'000 / rank.P + (rank.P == 4 ? 160 : 0) * percent + (rank.r + rank.P - 1) % rank.P));
      rank.call("MPI_Wait@size.c:9 req s");
    };
  };
  const auto little = scaled(with(1), {2, 4, 8}, 16);
  ASSERT_TRUE(little) << little.error().text();
  EXPECT_GT((*little)->from.worst_error, 0);
  const std::string why = why_not(with(20), {2, 4, 8}, 16);
  EXPECT_NE(why.find("size.c:7: bytes:"), std::string::npos) << why;
  EXPECT_NE(why.find("(limit: 5 %)"), std::string::npos) << why;
}

TEST(Scaling, TooFewRunsAreRefused) {
  const std::string why = why_not(ring_program, {2, 4}, 32);
  EXPECT_NE(why.find("2 traces with 2 different numbers of ranks"), std::string::npos) << why;
}

TEST(Scaling, OneSidedCommunicationIsRefused) {
  const std::string why =
      why_not([](Rank& rank) { rank.call(fmt::format("MPI_Put@put.c:3 w0 to {} bytes 8", (rank.r + 1) % rank.P)); },
              {2, 4, 8}, 32);
  EXPECT_NE(why.find("MPI_Put@put.c:3: one-sided communication is not scaled"), std::string::npos) << why;
}

}  // namespace
}  // namespace mora::predict
