// What the runs do not say of another number of ranks is refused, or said; nothing is made up.
#include "predict/scaling/scaled_runs_sample.h"

namespace mora::predict {
namespace {

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

bool has_remark(const ScaledProgram& program, const std::string& words) {
  return std::any_of(program.from.remarks.begin(), program.from.remarks.end(),
                     [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

/// With 4, 6 and 8 ranks the grid has two columns each time, so that its partners look like those of rules without one.
TEST(Scaling, ARuleWithoutAGridIsComparedWithTheGridsThatExplainTheSame) {
  const std::string why = why_not(torus_program, {4, 6, 8}, 64);
  EXPECT_NE(why.find("partners: the runs do not tell"), std::string::npos) << why;
  EXPECT_NE(why.find("balanced grid of two dimensions"), std::string::npos) << why;
}

TEST(Scaling, ExtentsThatAllRunsShareAreTold) {
  const auto program = scaled(ring_program, {4, 6, 8}, 64);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_TRUE(has_remark(**program, "extent 1 of the balanced grid of two dimensions: 2 in all runs, 8 with 64 ranks"));
  const auto others = scaled(ring_program, {4, 8, 16}, 64);
  ASSERT_TRUE(others) << others.error().text();
  EXPECT_TRUE((*others)->from.remarks.empty()) << (*others)->from.remarks.front();
}

/// Every fourth rank, and the columns of a grid with four columns, are the same with 8, 12 and 16 ranks only.
TEST(Scaling, CommunicatorsThatTheRunsDoNotTellApartAreRefused) {
  const Definer columns = [](int ranks) {
    std::string text;
    for (int x = 0; x < 4; ++x) {
      text += fmt::format("comm column{} =", x);
      for (int r = x; r < ranks; r += 4) text += fmt::format("{}{}", r == x ? " " : ",", r);
      text += "\n";
    }
    return text;
  };
  const std::string why =
      why_not([](Rank& rank) { rank.call(fmt::format("MPI_Barrier@part.c:4 comm column{}", rank.r % 4)); }, {8, 12, 16},
              64, columns);
  EXPECT_NE(why.find("the communicator"), std::string::npos) << why;
  EXPECT_NE(why.find("do not tell 'every 4th rank' from 'along dimension 0"), std::string::npos) << why;

  const std::string columns_of_two =
      why_not([](Rank& rank) { rank.call(fmt::format("MPI_Barrier@part.c:9 comm column{}", rank.r % 2)); }, {4, 6, 8},
              64, rows_and_columns);
  EXPECT_NE(columns_of_two.find("do not tell 'even and odd ranks' from 'along dimension 0"), std::string::npos)
      << columns_of_two;
}

/// A second on rank 0 before a broadcast stays a second, however many ranks there are; nobody else has it.
TEST(Scaling, ASerialPartOfRankZeroStaysWhatItIs) {
  const Body body = [](Rank& rank) {
    if (rank.r == 0) rank.compute(1'000'000);
    rank.call("MPI_Bcast@read.c:3 root 0 bytes 800");
    rank.compute(640'000 / rank.P);
    rank.call("MPI_Barrier@read.c:9");
  };
  const auto program = scaled(body, {2, 4, 8}, 64);
  ASSERT_TRUE(program) << program.error().text();
  const auto source = scaled_source(*program, FitEnd::value);
  EXPECT_NEAR(computation(*source, 0), 1'010'000, 4);
  for (const trace::LocationId rank : {1U, 4U, 63U}) EXPECT_NEAR(computation(*source, rank), 10'000, 4) << rank;
  // Ranks that compute, too, before they come there.
  const auto both = scaled(
      [&](Rank& rank) {
        rank.compute(80'000);
        body(rank);
      },
      {2, 4, 8}, 64);
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_NEAR(computation(*scaled_source(*both, FitEnd::value), 0), 1'090'000, 4);
  EXPECT_NEAR(computation(*scaled_source(*both, FitEnd::value), 2), 90'000, 4);
}

/// The others have a little noise there, as in any recording.
TEST(Scaling, ASerialPartIsFoundBesideNoise) {
  const auto program = scaled(
      [](Rank& rank) {
        rank.compute(rank.r == 0 ? 1'000'000 : 50 + (rank.r * 7919 + rank.P * 104'729) % 900);
        rank.call("MPI_Bcast@read.c:3 root 0 bytes 800");
        rank.compute(6'400'000 / rank.P);
        rank.call("MPI_Barrier@read.c:9");
      },
      {2, 4, 8}, 64);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_NEAR(computation(*scaled_source(*program, FitEnd::value), 0), 1'100'000, 4);
  EXPECT_NEAR(computation(*scaled_source(*program, FitEnd::value), 9), 100'000, 1000);
}

TEST(Scaling, ASerialPartOfAnotherRankIsInTheInterval) {
  const auto program = scaled(
      [](Rank& rank) {
        rank.compute(rank.r + 1 == rank.P ? 1'000'000 : 1000);
        rank.call("MPI_Barrier@write.c:3");
      },
      {2, 4, 8}, 64);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_GE(computation(*scaled_source(*program, FitEnd::upper), 63), 999'000);
  EXPECT_TRUE(has_remark(**program, "slowest rank grows otherwise"));
}

TEST(Scaling, FilesWithoutALawAreRefused) {
  const Body body = [](Rank& rank) {
    rank.compute(100'000);
    rank.call("MPI_File_write@out.c:5", rank.P == 2 ? 10'000'000 : rank.P == 4 ? 3'000'000 : 8'000'000);
    rank.call("MPI_Barrier@out.c:6");
  };
  const std::string why = why_not(body, {2, 4, 8}, 32);
  EXPECT_NE(why.find("out.c:5: duration: the best law"), std::string::npos) << why;
}

/// MPI_Init needs no law; where it has none that is said, and no error is made up for it.
TEST(Scaling, WhatHasNoLawHasNoErrorOfOne) {
  const auto program = scaled(
      [](Rank& rank) {
        rank.call("MPI_Init_thread@a.c:1", rank.P == 4 ? 90'000 : 1000);
        rank.compute(1'000'000);
        rank.call("MPI_Barrier@a.c:2");
      },
      {2, 4, 8}, 32);
  ASSERT_TRUE(program) << program.error().text();
  std::size_t found = 0;
  for (const ScaledLaw& law : (*program)->from.laws) {
    if (law.path.find("a.c:1") == std::string::npos || law.what != "duration") continue;
    ++found;
    EXPECT_FALSE(law.leave_one_out) << law.words;
    EXPECT_NE(law.words.find("as in the largest run"), std::string::npos) << law.words;
  }
  EXPECT_EQ(found, 1U);
  EXPECT_GE((*program)->from.unfitted, 1000);
}

TEST(Scaling, ManyShortStretchesWithoutALawAreRefused) {
  const Body body = [](Rank& rank) {
    for (int i = 0; i < 120; ++i) {
      rank.compute(rank.P == 4 ? 30'000 : 10'000);
      rank.call(fmt::format("MPI_Barrier@many.c:{}", i + 1));
    }
  };
  const std::string why = why_not(body, {2, 4, 8}, 32);
  EXPECT_NE(why.find("each is less than 1 % of the computation, but together"), std::string::npos) << why;
}

TEST(Scaling, CallsThatFollowOneAnotherInNoRunAreCounted) {
  const Body body = [](Rank& rank) {
    rank.compute(1000);
    if (rank.r < 2) rank.call("MPI_Comm_rank@pair.c:1");
    rank.compute(1000);
    if (rank.r + 2 >= rank.P) rank.call("MPI_Comm_size@pair.c:2");
    rank.compute(1000);
    rank.call("MPI_Barrier@pair.c:3");
  };
  const auto few = scaled(body, {8, 16, 32}, 3), many = scaled(body, {8, 16, 32}, 64);
  ASSERT_TRUE(few) << few.error().text();
  ASSERT_TRUE(many) << many.error().text();
  EXPECT_TRUE(has_remark(**few, "1 times a call follows one that it does not follow in the largest run"));
  EXPECT_TRUE((*many)->from.remarks.empty());
}

TEST(Scaling, LawsThatThreeRunsHardlyTestAreTold) {
  const Body body = [](Rank& rank) {
    const int times = 16 + static_cast<int>(std::log2(rank.P));
    for (int i = 0; i < times; ++i) rank.call("MPI_Allreduce@solve.c:9 bytes 8");
  };
  const auto three = scaled(body, {2, 4, 8}, 32), four = scaled(body, {2, 4, 8, 16}, 32);
  ASSERT_TRUE(three) << three.error().text();
  ASSERT_TRUE(four) << four.error().text();
  EXPECT_TRUE(has_remark(**three, "1 exact laws of two terms rest on three numbers of ranks"));
  EXPECT_FALSE(has_remark(**four, "exact laws of two terms"));
}

TEST(Scaling, WhatIsWrongWithTheRunsIsSaid) {
  std::vector<std::unique_ptr<trace::Source>> sources;
  std::vector<GivenRun> runs;
  for (const int ranks : {2, 4, 8}) {
    std::string text = "mora-trace 1\n";
    for (int r = 0; r < ranks; ++r) text += fmt::format("P{0} 0-10 MPI_Init; 20-30 MPI_Barrier@a.c:1\n", r);
    if (ranks == 4) text += "P2.1 12-15 MPI_Send@t.c:1 to 0 bytes 8; 16-18 MPI_Send@t.c:1 to 0 bytes 8\n";
    sources.push_back(std::move(*trace::read_trace_text(text, "threads.trace")));
    if (ranks == 8) sources.back()->quality().add("cut-file", Severity::loss, "rank 3", 1, "the file is cut", "");
    runs.push_back({fmt::format("run {}", ranks), sources.back().get()});
  }
  const auto program = scale_runs(runs, {16, 0.25, {}});
  ASSERT_TRUE(program) << program.error().text();
  const std::vector<QualityRow> rows = scaled_source(*program, FitEnd::value)->quality().rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].kind, "cut-file");
  EXPECT_EQ(rows[0].where, "run 8, rank 3");
  EXPECT_EQ(rows[1].kind, "scaled-other-threads");
  EXPECT_EQ(rows[1].count, 2U);
  EXPECT_EQ(rows[1].where.substr(0, 5), "run 4");
}

/// Sizes near the largest number: what would not fit is no law (undefined behaviour without the checks; the sanitizers'
/// builds see that, this one that nothing is explained).
TEST(Scaling, LargeValuesDoNotOverflow) {
  std::vector<ObservedValue> iterations, sizes;
  for (const std::uint32_t ranks : {2U, 4U, 8U}) {
    for (const std::uint32_t k : {0U, 3U, 62U})
      iterations.push_back(
          {{0, ranks, k, 0, 63}, (std::int64_t{1} << 62) + std::int64_t{ranks} * 1000 + std::int64_t{k} * k});
    sizes.push_back({{0, ranks}, (std::int64_t{1} << 62) + std::int64_t{ranks} * ranks * 7919 % 1000});
  }
  EXPECT_FALSE(fit_number(iterations, {32, 0.25, {}}, false));
  EXPECT_FALSE(fit_number(sizes, {32, 0.25, {}}, false));
}

}  // namespace
}  // namespace mora::predict
