// Phases that are not the same on all processes: reported, and every record in the phase of its
// own process.
#include <fmt/format.h>

#include "support/pattern/lines_source.h"

namespace mora::predict {
namespace {

using Ranks = std::vector<std::string>;
using Set = std::vector<std::string>;

std::string send(int from, int bytes) {
  return fmt::format("{} send {} {} (of 1 bytes) 6 on comm MPI_COMM_WORLD\n", from, from ^ 1, bytes);
}
std::string start(const std::string& name) { return "Phase " + name + " start.\n"; }
std::string end(const std::string& name) { return "Phase " + name + " end.\n"; }
std::string finalize(int rank) { return fmt::format("{} finalize\n", rank); }
std::string record(int from, int bytes) {
  return fmt::format("({} {} {} contig MPI_COMM_WORLD)", from, from ^ 1, bytes);
}

TEST(ParsePhases, OneProcessOpensAPhaseOfItsOwn) {
  Ranks ranks;
  for (int p = 0; p < 4; ++p)
    ranks.push_back((p == 2 ? start("own") + send(2, 1) + end("own") : send(p, 2)) + start("all") + send(p, 3) +
                    end("all") + send(p, 4) + finalize(p));
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.result.violations, (Set{"phase \"own\" is begun by rank 2 but not by ranks 0-1, 3"}));
  EXPECT_EQ(quality_count(parsed.result.quality, "pattern-phases-differ"), 1U);
  EXPECT_EQ(sorted_lines(parsed.files.at("own.txt")),
            (Set{record(2, 1), "Coming from global.txt", "Returning to global.txt"}));
  EXPECT_EQ(sorted_lines(parsed.files.at("all.txt")), (Set{record(0, 3), record(1, 3), record(2, 3), record(3, 3),
                                                           "Coming from global.txt", "Returning to global.txt"}));
  EXPECT_EQ(sorted_lines(parsed.files.at("global.txt")),
            (Set{record(0, 2), record(0, 4), record(1, 2), record(1, 4), record(2, 4), record(3, 2), record(3, 4),
                 "Going to all.txt", "Going to own.txt", "Returned from all.txt", "Returned from own.txt"}));
}

TEST(ParsePhases, OneProcessMissesAPhase) {
  Ranks ranks;
  for (int p = 0; p < 4; ++p)
    ranks.push_back((p == 1 ? "" : start("a") + send(p, 1) + end("a")) + start("b") + send(p, 2) + end("b") +
                    finalize(p));
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.result.violations, (Set{"phase \"a\" is begun by ranks 0, 2-3 but not by rank 1"}));
  EXPECT_EQ(sorted_lines(parsed.files.at("b.txt")).size(), 6U);
  EXPECT_EQ(sorted_lines(parsed.files.at("a.txt")).size(), 5U);
}

TEST(ParsePhases, OneProcessNeverEndsAPhase) {
  Ranks ranks;
  for (int p = 0; p < 2; ++p)
    ranks.push_back(start("a") + send(p, 1) + (p == 1 ? "" : end("a")) + start("b") + send(p, 2) + end("b") +
                    finalize(p));
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.result.violations,
            (Set{"phase \"a\" is ended by rank 0 but not by rank 1",
                 "phase \"b\" is begun by rank 1 inside phase \"a\", which others are not in"}));
  EXPECT_EQ(sorted_lines(parsed.files.at("b.txt")),
            (Set{record(0, 2), record(1, 2), "Coming from global.txt", "Returning to global.txt"}));
}

TEST(ParsePhases, PhasesMayNotCross) {
  Ranks ranks;
  for (int p = 0; p < 2; ++p) ranks.push_back(start("a") + start("b") + end("a") + end("b") + send(p, 1) + finalize(p));
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.result.violations, (Set{"phase \"a\" is ended by ranks 0-1 inside phase \"b\", which was begun "
                                           "later and is still open: phases may not cross",
                                           "phase \"b\" is ended by ranks 0-1 without having been begun"}));
  EXPECT_EQ(parsed.files.at("global.txt"),
            "Going to a.txt\nReturned from a.txt\n" + record(0, 1) + "\n" + record(1, 1) + "\n");
}

TEST(ParsePhases, OpenAtTheEnd) {
  const auto parsed = parse_lines(Ranks{start("a") + send(0, 1) + finalize(0), start("a") + finalize(1)});
  EXPECT_EQ(parsed.result.violations, (Set{"phase \"a\" is never ended by ranks 0-1"}));
  EXPECT_EQ(parsed.files.at("a.txt"), "Coming from global.txt\n" + record(0, 1) + "\nReturning to global.txt\n");
}

TEST(ParsePhases, AProcessThatEndedIsToldOnce) {
  std::string phases;
  for (int i = 0; i < 5; ++i) phases += start("a") + end("a");
  const auto parsed = parse_lines(Ranks{phases + finalize(0), ""});
  EXPECT_EQ(parsed.result.violations, (Set{"phase \"a\" is begun by rank 0 but not by rank 1"}));
}

TEST(ParsePhases, APhaseInsideItself) {
  Ranks ranks;
  for (int p = 0; p < 2; ++p) ranks.push_back(start("a") + start("a") + send(p, 1) + end("a") + end("a") + finalize(p));
  const auto parsed = parse_lines(ranks);
  EXPECT_EQ(parsed.result.violation_count, 0U);
  EXPECT_EQ(parsed.files.at("a.txt"), "Coming from global.txt\nGoing to a.txt\nComing from a.txt\n" + record(0, 1) +
                                          "\n" + record(1, 1) +
                                          "\nReturning to a.txt\nReturned from a.txt\nReturning to global.txt\n");
}

}  // namespace
}  // namespace mora::predict
