// Everybody who pairs events makes the same pairs, on sound and damaged traces: views, EARL without an index, exports,
// clock correction, replay, analysis.
#include <gtest/gtest.h>

#include "links_consumers.h"
#include "trace/earl/random_trace.h"

namespace mora::links_test {
namespace {

using trace::EventKind;
using trace::MemorySource;

/// The trace with its order, but no two events at one time.
std::unique_ptr<MemorySource> drawn(const trace::naive::RandomTraceOptions& options) {
  auto source = trace::naive::random_trace(options);
  const auto locations = static_cast<Nanoseconds>(source->events.size());
  for (Nanoseconds l = 0; l < locations; ++l) {
    Nanoseconds index = 0;
    for (trace::Event& e : source->events[static_cast<std::size_t>(l)]) {
      const Nanoseconds unique = (e.time * 4096 + index++) * locations + l;
      if (e.end_time != trace::at_leave) e.end_time = unique + (e.end_time - e.time);
      e.time = unique;
    }
  }
  return source;
}

/// The pairs but those that `left_out` says.
template <class LeftOut>
Pairs without(const Pairs& pairs, const LeftOut& left_out) {
  Pairs rest;
  for (const Pair& pair : pairs) {
    if (!left_out(pair)) rest.insert(pair);
  }
  return rest;
}

struct Seen {
  std::uint64_t pairs = 0, against_time = 0, torn = 0, cancelled = 0, sizes = 0, threads = 0, outside = 0;
};

void compare(const trace::naive::RandomTraceOptions& options, Seen& seen) {
  const auto source = drawn(options);
  const MemorySource& s = *source;
  const Pairs all = messages_of_replay(*source);  // nothing of it depends on time
  const auto against_time = [&](const Pair& p) { return is_against_time(s, p); };
  const Pairs of_view = without(all, against_time);
  EXPECT_EQ(text(messages_of_view(*source)), text(of_view)) << "view";
  EXPECT_EQ(text(messages_of_earl(*source)), text(of_view)) << "EARL without an index";
  EXPECT_EQ(text(messages_of_arrows(*source)), text(of_view)) << "exports";
  const auto uncertain = [&](const Pair& p) { return is_of_several_threads(s, p); };
  EXPECT_EQ(text(without(messages_of_clocks(*source), uncertain)), text(without(all, uncertain))) << "clocks";
  const auto outside = [&](const Pair& p) { return is_outside_calls(s, p); };
  EXPECT_EQ(text(messages_of_engine(*source)), text(without(all, outside))) << "analysis";
  for (const Pair& pair : all) {
    ++seen.pairs;
    seen.against_time += is_against_time(s, pair) ? 1 : 0;
    seen.threads += is_of_several_threads(s, pair) ? 1 : 0;
    seen.outside += is_outside_calls(s, pair) ? 1 : 0;
    seen.sizes += s.events[pair.first.location][pair.first.ordinal].bytes !=
                          s.events[pair.second.location][pair.second.ordinal].bytes
                      ? 1
                      : 0;
  }
  for (const auto& stream : s.events) {
    for (const trace::Event& e : stream) {
      seen.torn += e.kind == EventKind::recording_off ? 1 : 0;
      seen.cancelled += e.kind == EventKind::cancelled ? 1 : 0;
    }
  }
}

Seen compare_many(std::uint64_t first, std::uint64_t count, std::uint32_t steps, bool damage) {
  Seen seen;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    trace::naive::RandomTraceOptions options;
    options.seed = seed;
    options.steps = steps;
    options.damage = damage;
    options.rma = seed % 2 == 0;
    options.collectives = options.others = seed % 3 == 0;
    compare(options, seen);
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << " steps " << steps;
    if (::testing::Test::HasFailure()) break;
  }
  return seen;
}

TEST(Links, MessagesOfTinyTraces) { compare_many(1, 2000, 8, true); }

TEST(Links, MessagesOfSoundTraces) {
  const Seen seen = compare_many(10000, 500, 60, false);
  EXPECT_GT(seen.pairs, 1500U);
}

// A generator that has stopped making something would let errors pass.
TEST(Links, MessagesOfDamagedTraces) {
  const Seen seen = compare_many(20000, 1500, 80, true);
  EXPECT_GT(seen.pairs, 4000U);
  EXPECT_GT(seen.against_time, 100U);
  EXPECT_GT(seen.torn, 1000U);
  EXPECT_GT(seen.cancelled, 500U);
  EXPECT_GT(seen.sizes, 100U);
  EXPECT_GT(seen.threads, 1000U);
  EXPECT_GT(seen.outside, 300U);
}

}  // namespace
}  // namespace mora::links_test
