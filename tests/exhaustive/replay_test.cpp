// The replay against a naive solution of the same equations, on random correct programs (replay_programs.h).
#include <gtest/gtest.h>

#include "replay/simulation.h"
#include "replay_programs.h"
#include "trace/readers/text/text_source.h"

namespace mora::replay_reference {
namespace {

replay::Replayed replay(const std::string& text, std::uint64_t shuffle) {
  auto source = trace::read_trace_text(text, "program");
  EXPECT_TRUE(source) << (source ? "" : source.error().text() + text);
  if (!source) return {};
  auto result = replay::replay_in_order(**source, {}, {shuffle});
  EXPECT_TRUE(result);
  return result ? std::move(*result) : replay::Replayed{};
}

std::vector<Nanoseconds> ends(const replay::Replayed& r) {
  std::vector<Nanoseconds> all;
  for (const auto& l : r.locations) all.push_back(l.end);
  return all;
}

void check(const Program& program, std::uint64_t seed) {
  const Solution expected = solve(program);
  const std::string text = trace_text(program);
  for (const std::uint64_t shuffle : {std::uint64_t{0}, seed}) {
    const replay::Replayed r = replay(text, shuffle);
    ASSERT_TRUE(r.quality.empty()) << "seed " << seed << " " << r.quality.rows()[0].kind << "\n" << text;
    ASSERT_EQ(ends(r), expected.rank_ends) << "seed " << seed << "\n" << text;
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      Nanoseconds computed = program.last_work[rank], waiting = 0;
      for (const Call& call : program.ranks[rank]) computed += call.work + call.kept;
      for (const auto& node : r.locations[rank].nodes) waiting += node.waiting;
      ASSERT_EQ(computed + waiting, r.locations[rank].end) << "seed " << seed << "\n" << text;
      const Nanoseconds recorded = program.ranks[rank].empty() ? 0 : program.ranks[rank].back().leave;
      ASSERT_LE(r.locations[rank].end, recorded + program.last_work[rank]) << "seed " << seed << "\n" << text;
    }
  }
}

TEST(ReplayReference, RandomProgramsEndWhenTheirEquationsSay) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    check(random_program({.seed = seed, .steps = 4 + static_cast<std::uint32_t>(seed % 25)}), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(ReplayReference, AReplayedScheduleReplaysToItself) {
  std::uint64_t waited = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Program program = random_program({.seed = seed, .steps = 20, .locks = false});
    const Solution solution = solve(program);
    const replay::Replayed r = replay(trace_text(program, &solution), 0);
    ASSERT_EQ(ends(r), solution.rank_ends) << "seed " << seed << "\n" << trace_text(program, &solution);
    for (const auto& l : r.locations) waited += l.nodes.size() > 1 ? static_cast<std::uint64_t>(l.nodes[1].waiting) : 0;
  }
  EXPECT_GT(waited, 0U);
}

}  // namespace
}  // namespace mora::replay_reference
