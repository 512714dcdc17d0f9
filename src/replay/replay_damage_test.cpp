// Traces that nobody can have recorded: the replay ends, says what it did, and does not depend on the order of
// execution.
#include <cstdlib>

#include "support/analysis/replay_text.h"
#include "support/trace/random_trace.h"
#include "trace/mpi_function.h"

namespace mora::replay {
namespace {

using trace::EventKind;

/// Kept time of a location, by itself: what is not in an MPI call, nor the recorder's. An upper and a lower limit of
/// the end follow.
Nanoseconds computed(const trace::MemorySource& source, trace::LocationId l) {
  Nanoseconds sum = 0, last = 0;
  std::vector<bool> is_call;
  bool overhead = false, unrecorded = false, first = true;
  for (const trace::Event& e : source.events[l]) {
    const bool in_call = !is_call.empty() && is_call.back();
    if (!first && (unrecorded || (!overhead && !in_call))) sum += e.time - last;
    last = e.time;
    first = false;
    if (e.kind == EventKind::enter) {
      const auto& region = source.defs.regions[e.region];
      const auto c = mpi::function(mpi::find(region.name)).call;
      is_call.push_back(region.kind == trace::RegionKind::mpi && c != trace::CallClass::other &&
                        c != trace::CallClass::none);
    } else if (e.kind == EventKind::leave && !is_call.empty()) {
      is_call.pop_back();
    } else if (e.kind == EventKind::overhead_begin || e.kind == EventKind::overhead_end) {
      overhead = e.kind == EventKind::overhead_begin;
    } else if (e.kind == EventKind::recording_off || e.kind == EventKind::recording_on) {
      unrecorded = e.kind == EventKind::recording_off;
    }
  }
  return sum;
}

std::string everything(const Replayed& r) {
  std::string text =
      std::to_string(r.end) + " " + std::to_string(r.messages) + " " + std::to_string(r.collectives) + "\n";
  for (const ReplayedLocation& l : r.locations) {
    text += std::to_string(l.begin) + "-" + std::to_string(l.end);
    for (const ReplayedNode& n : l.nodes)
      text += " " + std::to_string(n.parent) + "/" + std::to_string(n.region) + ":" + std::to_string(n.own) + "(" +
              std::to_string(n.waiting) + ")";
    text += "\n";
  }
  for (const QualityRow& q : r.quality.rows()) text += q.kind + " " + q.where + " " + std::to_string(q.count) + "\n";
  return text;
}

void check(trace::MemorySource& source, std::uint64_t seed) {
  const auto result = replay_on_ideal_network(source, {});
  ASSERT_TRUE(result) << seed;
  const std::string text = everything(*result);
  for (std::uint64_t shuffle = 1; shuffle <= 4; ++shuffle) {
    const auto other = replay_in_order(source, {}, {shuffle});
    ASSERT_TRUE(other);
    ASSERT_EQ(everything(*other), text) << "seed " << seed << " shuffle " << shuffle;
  }
  for (trace::LocationId l = 0; l < result->locations.size(); ++l) {
    const ReplayedLocation& r = result->locations[l];
    Nanoseconds own = 0;
    for (const ReplayedNode& n : r.nodes) {
      EXPECT_GE(n.waiting, 0);
      EXPECT_LE(n.waiting, n.own);
      own += n.own;
    }
    ASSERT_EQ(own, r.end - r.begin) << "seed " << seed << " location " << l;
    const bool in_team = source.defs.locations[l].thread != 0;
    if (!in_team) {
      ASSERT_GE(own, computed(source, l)) << "seed " << seed << " location " << l;
    }
  }
}

TEST(ReplayDamage, RandomTracesEndTheSameInEveryOrder) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    auto source = trace::naive::random_trace({.seed = seed, .steps = 60, .damage = seed % 2 == 0});
    check(*source, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(ReplayDamage, TracesThatLostTheirEndsOrSomeEvents) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    auto source = trace::naive::random_trace({.seed = seed, .steps = 60});
    trace::naive::Random random(seed * 77);
    for (auto& events : source->events) {
      if (events.empty()) continue;
      if (random.one_in(2)) {
        const std::size_t from = random.below(events.size());
        events.erase(events.begin() + static_cast<std::ptrdiff_t>(from), events.end());
      }
      // Records that are no regions vanish here and there.
      std::erase_if(events, [&](const trace::Event& e) {
        return e.kind != EventKind::enter && e.kind != EventKind::leave && random.one_in(6);
      });
    }
    check(*source, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Replay, WhatIsOnDiskIsReadBack) {
  // Far more than a chunk of 4 KiB on each location.
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 3000; ++i) {
      const std::string from = std::to_string(i * 10 + rank), to = std::to_string(i * 10 + 8);
      text += "P" + std::to_string(rank) + " " + from + "-" + to + " MPI_Sendrecv to " + std::to_string(1 - rank) +
              " from " + std::to_string(1 - rank) + "; " + to + "-" + std::to_string(i * 10 + 9) +
              " MPI_Bcast root 1\n";
    }
  }
  auto source = trace::read_trace_text("mora-trace 1\n" + text, "test.trace");
  ASSERT_TRUE(source);
  ReplayOptions small;
  small.memory = 1;
  const auto on_disk = replay_on_ideal_network(**source, small);
  const auto in_memory = replay_on_ideal_network(**source, {});
  ASSERT_TRUE(on_disk);
  ASSERT_TRUE(in_memory);
  EXPECT_EQ(everything(*on_disk), everything(*in_memory));
  EXPECT_EQ(on_disk->messages, 6000U);
  EXPECT_GT(on_disk->end, 3000);
  // No room for it.
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nonexistent", 1);
  const auto nowhere = replay_on_ideal_network(**source, small);
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::system);
}

TEST(ReplayDamage, ALocationThatCannotBeReadIsMissingAndCounted) {
  class Unreadable : public trace::MemorySource {
   public:
    Result<void> read_location(trace::LocationId l, trace::EventSink& sink) override {
      if (l == broken) return fail(ErrorKind::unreadable, "cannot read", "", "a hole");
      return trace::MemorySource::read_location(l, sink);
    }
    trace::LocationId broken = 1;
  };
  auto read = trace::read_trace_text("mora-trace 1\nP0 0-10 MPI_Recv from 1; 10-15 w\nP1 0-5 w; 5-6 MPI_Send to 0\n");
  ASSERT_TRUE(read);
  Unreadable source;
  static_cast<trace::MemorySource&>(source) = **read;
  const auto result = replay_on_ideal_network(source, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, 15);
  std::string kinds;
  for (const QualityRow& row : result->quality.rows()) kinds += row.kind + " ";
  EXPECT_EQ(kinds, "replay-unread-location replay-without-partner ");
  source.events.pop_back();
  source.defs.locations.pop_back();
  source.broken = 0;
  EXPECT_FALSE(replay_on_ideal_network(source, {}));
}

}  // namespace
}  // namespace mora::replay
