// A replayed run as a trace: times by hand, and against what the replay itself says.
#include "replay/times/replayed_source.h"

#include <gtest/gtest.h>

#include <map>

#include "replay/replay.h"
#include "support/trace/random_trace.h"
#include "trace/readers/text/text_source.h"

namespace mora::replay {
namespace {

/// 5 ns for each processor, 100 + b ns between; rendezvous above 1000 bytes.
class ScaledNetwork : public Network {
 public:
  explicit ScaledNetwork(Nanoseconds scale = 1) : scale_(scale) {}
  MessageCost message(std::uint32_t, std::uint32_t, std::uint64_t bytes) const override {
    return {5 * scale_, 0, 100 * scale_, static_cast<Nanoseconds>(bytes) * scale_, 5 * scale_, bytes > 1000};
  }
  mpi::schedule::Algorithm collective(const mpi::schedule::CollectiveCase& c) const override {
    return choose_algorithm(mpi::schedule::CollectiveModel::algorithms, c);
  }

 private:
  Nanoseconds scale_;
};

std::unique_ptr<trace::Source> read_lines(const std::string& lines) {
  auto source = trace::read_trace_text("mora-trace 1\n" + lines, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  return source ? std::move(*source) : nullptr;
}

struct ToldTimes : trace::EventSink {
  explicit ToldTimes(const trace::Definitions& definitions) : definitions_(definitions) {}
  void on_event(const trace::Event& e) override {
    EXPECT_GE(e.time, last);
    last = e.time;
    words += (words.empty() ? "" : " ") + std::to_string(e.time);
    if (e.kind == trace::EventKind::enter) open_.push_back({e.region, e.time});
    if (e.kind != trace::EventKind::leave || open_.empty()) return;
    spent[definitions_.regions[open_.back().first].name] += e.time - open_.back().second;
    open_.pop_back();
  }
  std::string words;
  Nanoseconds last = 0;
  std::map<std::string, Nanoseconds> spent;  ///< by region, with what is called from it

 private:
  const trace::Definitions& definitions_;
  std::vector<std::pair<trace::RegionId, Nanoseconds>> open_;
};

struct TimedRun {
  Replayed replayed;
  std::vector<ToldTimes> locations;
};

TimedRun timed(trace::Source& source, const Network& network, std::uint64_t compute_factor = 1'000'000,
               std::size_t memory = std::size_t{1} << 20) {
  ReplayOptions options;
  options.memory = memory;
  ReplayedProgram program;
  program.compute_factor = compute_factor;
  std::unique_ptr<ReplayedTimes> times;
  auto replayed = replay_on(source, network, options, program, times);
  EXPECT_TRUE(replayed) << (replayed ? "" : replayed.error().text());
  if (!replayed) return {};
  TimedRun made;
  made.replayed = std::move(*replayed);
  ReplayedSource moved(source, std::move(times));
  for (trace::LocationId l = 0; l < source.definitions().locations.size(); ++l) {
    made.locations.emplace_back(source.definitions());
    EXPECT_TRUE(moved.read_location(l, made.locations.back()));
  }
  return made;
}

TEST(ReplayedSource, AMessageArrivesWhenItsCostsHavePassed) {
  const auto source = read_lines(R"(
P0 0-10 w; 10-20 MPI_Send to 1 bytes 100; 20-30 w
P1 0-2 w; 2-40 MPI_Recv from 0 bytes 100; 40-41 w
)");
  const TimedRun r = timed(*source, ScaledNetwork());
  // Enter and leave of w, enter of the call, message, leave, w. P0 hands over at 15; it is there at 15 + 100 + 100.
  EXPECT_EQ(r.locations[0].words, "0 10 10 15 15 15 25");
  EXPECT_EQ(r.locations[1].words, "0 2 2 220 220 220 221");
}

TEST(ReplayedSource, ComputationIsScaled) {
  const auto source = read_lines(R"(
P0 0-10 w; 10-20 MPI_Send to 1 bytes 100; 20-30 w
P1 0-2 w; 2-40 MPI_Recv from 0 bytes 100; 40-41 w
)");
  const TimedRun r = timed(*source, ScaledNetwork(), 2'000'000);
  EXPECT_EQ(r.locations[0].words, "0 20 20 25 25 25 45");
  EXPECT_EQ(r.locations[1].words, "0 4 4 230 230 230 232");
}

TEST(ReplayedSource, RendezvousWaitsAtTheEndOfTheCall) {
  const auto source = read_lines(R"(
P0 0-10 w; 10-20 MPI_Send to 1 bytes 2000; 20-30 w
P1 0-50 w; 50-60 MPI_Recv from 0 bytes 2000; 60-61 w
)");
  const TimedRun r = timed(*source, ScaledNetwork());
  // It begins at 50: 50 + 100 + 2000.
  EXPECT_EQ(r.locations[0].words, "0 10 10 15 2150 2150 2160");
  EXPECT_EQ(r.locations[1].words, "0 50 50 2155 2155 2155 2156");
}

constexpr const char* all_kinds = R"(
P0 0-10 MPI_Init; 10-20 a; 20-21 MPI_Irecv from 1 bytes 30 req x; 21-22 MPI_Isend to 1 bytes 2000 req y; 22-30 b; 30-40 MPI_Waitall req x,y; 40-50 MPI_Allreduce bytes 8; 50-60 MPI_Barrier; 60-70 MPI_Finalize
P1 0-11 MPI_Init; 11-15 a; 15-16 MPI_Isend to 0 bytes 30 req x; 16-30 MPI_Recv from 0 bytes 2000; 30-34 b; 34-36 MPI_Wait req x; 36-50 MPI_Allreduce bytes 8; 50-60 MPI_Barrier; 60-70 MPI_Finalize
)";

// What a call lasts in the trace is what the replay gave its node.
TEST(ReplayedSource, CallsLastWhatTheReplaySaysOfThem) {
  const auto source = read_lines(all_kinds);
  for (const Nanoseconds scale : {0, 1, 50}) {
    const TimedRun r = timed(*source, ScaledNetwork(scale), 1'000'000, 1);
    for (std::size_t l = 0; l < r.locations.size(); ++l) {
      EXPECT_EQ(r.locations[l].last, r.replayed.locations[l].end);
      std::map<std::string, Nanoseconds> own;
      for (const ReplayedNode& n : r.replayed.locations[l].nodes) {
        if (n.region != trace::no_id) own[source->definitions().regions[n.region].name] += n.own;
      }
      for (const auto& [region, time] : own) EXPECT_EQ(r.locations[l].spent.at(region), time) << region << " " << scale;
    }
  }
}

// The other way round: replayed once more on the same network, the run is the same.
TEST(ReplayedSource, AReplayOfTheReplayedRunIsTheSame) {
  const auto source = read_lines(all_kinds);
  const ScaledNetwork network(3);
  std::unique_ptr<ReplayedTimes> times;
  const auto first = replay_on(*source, network, {}, {}, times);
  ASSERT_TRUE(first) << first.error().text();
  ReplayedSource moved(*source, std::move(times));
  const auto second = replay_on(moved, {&network}, {}, {});
  ASSERT_TRUE(second) << second.error().text();
  for (std::size_t l = 0; l < 2; ++l) EXPECT_EQ(second->front().locations[l].end, first->locations[l].end);
}

// Threads, files, windows, polls, damage: times never go back (ToldTimes), and the last is the replay's end.
TEST(ReplayedSource, AnyTraceEndsWhenTheReplayDoes) {
  std::uint64_t through = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    auto source = trace::naive::random_trace({.seed = seed, .steps = 60, .damage = seed % 4 == 0});
    const TimedRun r = timed(*source, ScaledNetwork(seed % 3));
    if (!r.replayed.blocked.empty()) continue;
    ++through;
    for (std::size_t l = 0; l < r.locations.size(); ++l) {
      if (r.locations[l].words.empty()) continue;
      EXPECT_EQ(r.locations[l].last, r.replayed.locations[l].end) << seed << " " << l;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(through, 20U);
}

}  // namespace
}  // namespace mora::replay
