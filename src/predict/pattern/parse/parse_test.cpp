// Examples of Kotomatas 2018 (T-RING: 4.4.1; T-COLL: 4.4.2; T-STAT: 3.6), and cases that its parser treats wrongly.
#include "predict/pattern/parse/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/pattern/lines_source.h"

namespace mora::predict {
namespace {

using Ranks = std::vector<std::string>;
using Set = std::vector<std::string>;

/// The same lines in every rank: R at the begin of a line stands for it, D for the other of two.
Ranks both(const std::string& lines, std::uint32_t count = 2) {
  Ranks ranks;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    std::string text = lines + "R finalize\n";
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == 'R' && (i == 0 || text[i - 1] == '\n')) text[i] = static_cast<char>('0' + rank);
      if (text.compare(i, 3, " D ") == 0) text[i + 1] = static_cast<char>('0' + (1 - rank));
    }
    ranks.push_back(text);
  }
  return ranks;
}

constexpr const char* world2 = "MPI_COMM_WORLD {'members': [0, 1], 'size': 2}\n";

TEST(Parse, Ring) {
  Ranks ranks;
  for (int p = 0; p < 4; ++p) {
    std::string text = fmt::format("{} init 1\n", p);
    for (int k = 0; k < 4; ++k)
      text += fmt::format(
          "Phase round{0} start.\n{1} Irecv {2} 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n{1} send {3} 1 (of 4 bytes) 1 "
          "on comm MPI_COMM_WORLD\n{1} wait\nPhase round{0} end.\n",
          k, p, (p + 3) % 4, (p + 1) % 4);
    ranks.push_back(text + fmt::format("{} finalize\n", p));
  }
  const auto parsed = parse_lines(ranks);
  Set names;
  for (const auto& [name, text] : parsed.files) names.push_back(name);
  EXPECT_EQ(names, (Set{"communicators.txt", "global.txt", "round0.txt", "round1.txt", "round2.txt", "round3.txt"}));
  EXPECT_EQ(parsed.files.at("communicators.txt"), "MPI_COMM_WORLD {'members': [0, 1, 2, 3], 'size': 4}\n");
  EXPECT_EQ(parsed.files.at("global.txt"),
            "Going to round0.txt\nReturned from round0.txt\nGoing to round1.txt\nReturned from round1.txt\n"
            "Going to round2.txt\nReturned from round2.txt\nGoing to round3.txt\nReturned from round3.txt\n");
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(parsed.files.at(fmt::format("round{}.txt", k)),
              "Coming from global.txt\n(0 1 4 contig MPI_COMM_WORLD)\n(1 2 4 contig MPI_COMM_WORLD)\n(2 3 4 contig "
              "MPI_COMM_WORLD)\n"
              "(3 0 4 contig MPI_COMM_WORLD)\nReturning to global.txt\n");
  EXPECT_EQ(parsed.result.violation_count, 0U);
  EXPECT_TRUE(parsed.result.quality.empty());
  EXPECT_EQ(parsed.result.records_read, 4 * 22U);
  EXPECT_EQ(parsed.result.records_written, 16U);
}

Ranks split_of_eight() {
  Ranks ranks;
  for (int p = 0; p < 8; ++p)
    ranks.push_back(fmt::format(
        "{0} init 1\n{0} Comm split. color={1}, key={0}.New comm mini_comm_0_{1} of size 4\n"
        "{0} allReduce 1 (of 4 bytes) of type 1 on comm mini_comm_0_{1} 1\nComm mini_comm_0_{1} free.\n{0} finalize\n",
        p, p % 2));
  return ranks;
}

// T-COLL for every order of the files: both groups have an allReduce number 1.
TEST(Parse, CollectivesOfTwoGroupsInAllOrders) {
  LinesSource source(split_of_eight());
  std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5, 6, 7};
  const Set records{"(allReduce 4 contig mini_comm_0_0)", "(allReduce 4 contig mini_comm_0_1)"};
  const Set communicators{"MPI_COMM_WORLD {'members': [0, 1, 2, 3, 4, 5, 6, 7], 'size': 8}",
                          "mini_comm_0_0 {'members': ['0', '2', '4', '6'], 'size': 4}",
                          "mini_comm_0_1 {'members': ['1', '3', '5', '7'], 'size': 4}"};
  int orders = 0;
  do {
    source.reorder(order);
    const auto parsed = parse_lines(source);
    ASSERT_EQ(parsed.files.size(), 2U);
    ASSERT_EQ(sorted_lines(parsed.files.at("global.txt")), records);
    ASSERT_EQ(sorted_lines(parsed.files.at("communicators.txt")), communicators);
    ASSERT_TRUE(parsed.result.quality.empty());
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 40320);
}

// T-STAT: 256 processes, six neighbours, 101 repetitions.
TEST(Parse, SixNeighbours) {
  Ranks ranks;
  std::uint64_t lines = 0;
  for (int p = 0; p < 256; ++p) {
    const int x = p % 8, y = p / 8 % 8, z = p / 64;
    const auto at = [](int a, int b, int c) { return (a + 8) % 8 + 8 * ((b + 8) % 8) + 64 * ((c + 4) % 4); };
    const int next[] = {at(x + 1, y, z), at(x - 1, y, z), at(x, y + 1, z),
                        at(x, y - 1, z), at(x, y, z + 1), at(x, y, z - 1)};
    std::string once, all;
    for (int d = 0; d < 6; ++d)
      once += fmt::format(
          "{0} Sendrecv(s) {1} 100 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{0} Sendrecv(r) {2} 100 (of 8 bytes) 0 on "
          "comm MPI_COMM_WORLD\n",
          p, next[d], next[d ^ 1]);
    for (int i = 0; i < 101; ++i) all += once;
    lines += static_cast<std::uint64_t>(std::count(all.begin(), all.end(), '\n'));
    ranks.push_back(all + fmt::format("{} finalize\n", p));
  }
  EXPECT_EQ(lines, 310272U);
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.result.phases[0].messages, 155136U);
  EXPECT_EQ(parsed.result.phases[0].bytes, 155136U * 800);
  const auto& global = parsed.files.at("global.txt");
  EXPECT_EQ(std::count(global.begin(), global.end(), '\n'), 155136);
  EXPECT_TRUE(parsed.result.quality.empty());
}

// T-PARSE, the rows of one record each.
TEST(Parse, PayloadsRootsAndKinds) {
  const auto global = [](const std::string& lines) { return parse_lines(both(lines)).files.at("global.txt"); };
  EXPECT_EQ(global("R bcast 5 (of 8 bytes) 1 of type 0 on comm MPI_COMM_WORLD\n"),
            "(bcast 1 40 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R gatherv min=1 median=2.500000 max=4 (of 4 bytes) 0 of type 1 on comm MPI_COMM_WORLD\n"),
            "(gatherv 0 4/10.0/16 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R alltoAllv min=1 median=2.500000 max=4 (of 4 bytes) of types 1, 101 on comm MPI_COMM_WORLD 1\n"),
            "(alltoAllv 4/10.0/16 no_contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R gather 3 (of 4 bytes) 0 of types 1, 2 on comm MPI_COMM_WORLD\n"),
            "(gather 0 12 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R send D 1 (of 40 bytes) 100 on comm MPI_COMM_WORLD\n"),
            "(0 1 40 contig MPI_COMM_WORLD)\n(1 0 40 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R Sendrecv(s) D 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD\nR Sendrecv(r) D 3 (of 8 bytes) 0 on comm "
                   "MPI_COMM_WORLD\n"),
            "(0 1 24 contig MPI_COMM_WORLD)\n(1 0 24 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R reduceScatter min=1 median=1.500000 max=2 (of 1 bytes) of type 6 on comm MPI_COMM_WORLD 1\n"),
            "(reduceScatter 1/1.5/2 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R reduceScatter 3 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1\n"),
            "(reduceScatter 12 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R Allreduce 1 (of 4 bytes) of type 101 on comm MPI_COMM_WORLD 1\n"),
            "(allReduce 4 no_contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(global("R barrier on comm MPI_COMM_WORLD\nTested 1.\nR waitall\nR compute 12 0.5\n"), "");
}

TEST(Parse, RootByLocalRank) {
  // Local ranks against the order of world ranks: 5 is local 2, 1 is local 0, 3 is local 1.
  Ranks ranks(6);
  for (const auto& [world, local] : {std::pair{5, 2}, {1, 0}, {3, 1}})
    ranks[static_cast<std::size_t>(world)] = fmt::format(
        "{0} Comm split. color=1, key={1}.New comm mini_comm_0_1 of size 3\n{0} bcast 2 (of 8 bytes) 1 of type 0 on "
        "comm mini_comm_0_1 {1}\n"
        "{0} reduce 1 (of 4 bytes) 2 of type 1 on comm mini_comm_0_1 {1}\n",
        world, local);
  for (std::size_t i = 0; i < 6; ++i) ranks[i] += fmt::format("{} finalize\n", i);
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(sorted_lines(parsed.files.at("global.txt")),
            (Set{"(bcast 1 16 contig mini_comm_0_1)", "(reduce 2 4 contig mini_comm_0_1)"}));
  EXPECT_EQ(parsed.files.at("communicators.txt"),
            "MPI_COMM_WORLD {'members': [0, 1, 2, 3, 4, 5], 'size': 6}\nmini_comm_0_1 {'members': ['1', '3', '5'], "
            "'size': 3}\n");
  EXPECT_TRUE(parsed.result.quality.empty());
}

// By key, ties by world rank, whatever the order of discovery.
TEST(Parse, MembersInTheOrderOfKeys) {
  Ranks ranks;
  for (int p = 0; p < 4; ++p)
    ranks.push_back(
        fmt::format("{0} Comm split. color=0, key={1}.New comm down of size 4\n{0} Comm split. color=0, key=7.New comm "
                    "even of size 4\n{0} finalize\n",
                    p, -p));
  EXPECT_EQ(parse_lines(ranks).files.at("communicators.txt"),
            "MPI_COMM_WORLD {'members': [0, 1, 2, 3], 'size': 4}\ndown {'members': ['3', '2', '1', '0'], 'size': "
            "4}\neven {'members': ['0', '1', '2', '3'], 'size': 4}\n");
}

TEST(Parse, ReenteredPhasesAccumulate) {
  std::string lines;
  for (const int bytes : {8, 16, 24})
    lines +=
        fmt::format("Phase step start.\nR send D {} (of 1 bytes) 6 on comm MPI_COMM_WORLD\nPhase step end.\n", bytes);
  const auto parsed = parse_lines(both(lines));
  std::string expected;
  for (const int bytes : {8, 16, 24})
    expected += fmt::format(
        "Coming from global.txt\n(0 1 {0} contig MPI_COMM_WORLD)\n(1 0 {0} contig MPI_COMM_WORLD)\nReturning to "
        "global.txt\n",
        bytes);
  EXPECT_EQ(parsed.files.at("step.txt"), expected);
  ASSERT_EQ(parsed.result.phases.size(), 2U);
  EXPECT_EQ(parsed.result.phases[1].visits, 3U);
  EXPECT_EQ(parsed.result.phases[1].bytes, 2 * (8 + 16 + 24U));
}

TEST(Parse, NestedPhases) {
  const auto parsed = parse_lines(both("Phase a start.\nPhase b start.\nPhase b end.\nPhase a end.\n"));
  EXPECT_EQ(parsed.files.at("global.txt"), "Going to a.txt\nReturned from a.txt\n");
  EXPECT_EQ(parsed.files.at("a.txt"),
            "Coming from global.txt\nGoing to b.txt\nReturned from b.txt\nReturning to global.txt\n");
  EXPECT_EQ(parsed.files.at("b.txt"), "Coming from a.txt\nReturning to a.txt\n");
  EXPECT_EQ(parsed.result.phases[2].parent, 1U);
}

// One process is ahead at each border: what it sends afterwards is behind the border.
TEST(Parse, ProcessesWaitAtBorders) {
  const Ranks ranks{
      "0 send 1 1 (of 1 bytes) 6 on comm MPI_COMM_WORLD\n0 send 1 2 (of 1 bytes) 6 on comm MPI_COMM_WORLD\nPhase x "
      "start.\n0 send 1 3 (of 1 bytes) 6 on comm MPI_COMM_WORLD\nPhase x end.\n0 finalize\n",
      "Phase x start.\nPhase x end.\n1 send 0 4 (of 1 bytes) 6 on comm MPI_COMM_WORLD\n1 finalize\n"};
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.files.at("global.txt"),
            "(0 1 1 contig MPI_COMM_WORLD)\n(0 1 2 contig MPI_COMM_WORLD)\nGoing to x.txt\nReturned from x.txt\n(1 0 4 "
            "contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(parsed.files.at("x.txt"),
            "Coming from global.txt\n(0 1 3 contig MPI_COMM_WORLD)\nReturning to global.txt\n");
}

// 8.2.6: names.
TEST(Parse, SafeFileNames) {
  const auto parsed =
      parse_lines(both("Phase a b start.\nPhase a b end.\nPhase a/b start.\nPhase a/b end.\nPhase global start.\nPhase "
                       "global end.\nPhase .. start.\nPhase .. end.\n"));
  EXPECT_EQ(parsed.files.at("global.txt"),
            "Going to a_b.txt\nReturned from a_b.txt\nGoing to a_b_2.txt\nReturned from a_b_2.txt\nGoing to "
            "global_2.txt\nReturned from global_2.txt\nGoing to _...txt\nReturned from _...txt\n");
  EXPECT_EQ(parsed.result.phases[1].name, "a b");
  EXPECT_EQ(parsed.result.phases[2].name, "a/b");
  EXPECT_EQ(parsed.result.phases[2].file, "a_b_2.txt");
  EXPECT_EQ(parsed.files.count("_...txt"), 1U);
}

// 8.2.9.
TEST(Parse, NobodyGetsNothing) {
  const auto parsed =
      parse_lines(both("R send -2 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\nR Sendrecv(s) -1 1 (of 4 bytes) 1 on comm "
                       "MPI_COMM_WORLD\nR Sendrecv(r) -1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n"));
  EXPECT_EQ(parsed.files.at("global.txt"), "");
  EXPECT_EQ(parsed.result.to_nobody, 4U);
  EXPECT_TRUE(parsed.result.quality.empty());
}

TEST(Parse, IncompleteCollectivesAreTold) {
  Ranks ranks = both("R allReduce 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1\n");
  ranks[1] += "";
  ranks[0].insert(0, "0 allReduce 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 2\n");
  ranks[1].insert(
      0, "1 allGather 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 2\n");  // another operation of the same number
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.files.at("global.txt"), "(allReduce 4 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(quality_count(parsed.result.quality, "pattern-incomplete-collective"), 2U);
  const auto rooted =
      parse_lines(Ranks{"0 bcast 5 (of 8 bytes) 0 of type 0 on comm MPI_COMM_WORLD\n0 finalize\n", "1 finalize\n"});
  EXPECT_EQ(rooted.files.at("global.txt"), "(bcast 0 40 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(quality_count(rooted.result.quality, "pattern-incomplete-collective"), 1U);
  EXPECT_EQ(quality_count(parse_lines(both("R allReduce 1 (of 4 bytes) of type 1 on comm who 2\n")).result.quality,
                          "pattern-unknown-communicator"),
            1U);
}

TEST(Parse, UnmatchedMessagesAndEndsAreTold) {
  const auto parsed =
      parse_lines(Ranks{"0 send 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n0 send 1 1 (of 4 bytes) 1 on comm "
                        "MPI_COMM_WORLD\n0 finalize\n",
                        "1 recv 0 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n"});
  EXPECT_EQ(quality_count(parsed.result.quality, "pattern-unmatched-messages"), 1U);
  EXPECT_EQ(quality_count(parsed.result.quality, "pattern-no-finalize"), 1U);
}

// Ranks that give different statistics: least, middle and greatest of all, in whatever order they come.
TEST(Parse, UnevenVectorCollective) {
  Ranks ranks;
  for (const auto& [p, text] : std::vector<std::pair<int, const char*>>{
           {0, "min=3 median=4.000000 max=9"}, {1, "min=1 median=2.500000 max=7"}, {2, "min=2 median=8.000000 max=8"}})
    ranks.push_back(
        fmt::format("{} alltoAllv {} (of 2 bytes) of type 3 on comm MPI_COMM_WORLD 1\n{} finalize\n", p, text, p));
  std::vector<std::uint32_t> order{0, 1, 2};
  LinesSource source(ranks);
  do {
    source.reorder(order);
    EXPECT_EQ(parse_lines(source).files.at("global.txt"), "(alltoAllv 2/8.0/18 contig MPI_COMM_WORLD)\n");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Parse, OneSidedAndExtensions) {
  EXPECT_EQ(parse_lines(both("R Put D 2 (of 4 bytes) 1 on comm MPI_COMM_WORLD\nR Win_fence on comm MPI_COMM_WORLD\n"))
                .files.at("global.txt"),
            "(Put 0 1 8 contig MPI_COMM_WORLD)\n(Put 1 0 8 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(parse_lines(both("R Iallreduce 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1\nR Neighbor_alltoall 1 "
                             "(of 4 bytes) of type 1 on comm MPI_COMM_WORLD 2\n"))
                .files.at("global.txt"),
            "(Iallreduce 8 contig MPI_COMM_WORLD)\n(Neighbor_alltoall 4 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(parse_lines(both("R allReduce 2 (of 4 bytes) of type 1 on comm MPI_COMM_SELF 1\n")).files.at("global.txt"),
            "(allReduce 8 contig MPI_COMM_SELF)\n(allReduce 8 contig MPI_COMM_SELF)\n");
  EXPECT_EQ(parse_lines(both("")).files.at("communicators.txt"), world2);
}

TEST(Parse, FoldedOutputSaysTheSame) {
  std::string lines;
  for (int i = 0; i < 50; ++i)
    lines +=
        "R send D 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\nR allReduce 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD "
        "7\n";
  const auto folded = parse_lines(both(lines), {.form = ParseForm::loops}).files.at("global.txt");
  EXPECT_EQ(folded,
            "50 x {\n (0 1 4 contig MPI_COMM_WORLD)\n (1 0 4 contig MPI_COMM_WORLD)\n (allReduce 8 contig "
            "MPI_COMM_WORLD)\n}\n");
  EXPECT_EQ(parse_lines(both(lines), {.form = ParseForm::counts}).files.at("global.txt"),
            "50 x (0 1 4 contig MPI_COMM_WORLD)\n50 x (1 0 4 contig MPI_COMM_WORLD)\n50 x (allReduce 8 contig "
            "MPI_COMM_WORLD)\n");
}

TEST(Parse, RecordsForJson) {
  const auto parsed = parse_lines(
      both("R send D 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\nR send D 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n"),
      {.records = true});
  using Records = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(parsed.result.phases[0].records,
            (Records{{"(0 1 4 contig MPI_COMM_WORLD)", 2}, {"(1 0 4 contig MPI_COMM_WORLD)", 2}}));
}

// T-SIZE: column 4 of Kotomatas 2018, Table 6.1, from columns 2 and 3; the source truncates its last two values.
TEST(Parse, TableOfSizes) {
  const struct {
    double trace, output, reduction;
  } rows[] = {{21484, 5752, 73.227}, {11900, 3236, 72.807}, {8180, 1460, 82.152},
              {4796, 696, 85.488},   {23748, 4332, 81.758}, {70108, 15476, 77.926}};
  for (const auto& row : rows) EXPECT_NEAR(reduction_percent(row.trace, row.output), row.reduction, 0.01);
}

}  // namespace
}  // namespace mora::predict
