// The controlled logical clock: hand-made cases, and random traces against the rule as it is written down.
#include "trace/clock/correct_clocks.h"

#include <gtest/gtest.h>

#include <set>

#include "support/trace/naive_clock.h"
#include "support/trace/random_trace.h"
#include "trace/clock/amortisation.h"
#include "trace/readers/text/text_source.h"

namespace mora::trace {
namespace {

using naive::Times;

class TimesSink : public EventSink {
 public:
  explicit TimesSink(std::vector<Nanoseconds>& times) : times_(times) {}
  void on_event(const Event& event) override { times_.push_back(event.time); }

 private:
  std::vector<Nanoseconds>& times_;
};

Times times_of(Source& source) {
  Times times(source.definitions().locations.size());
  for (std::uint32_t l = 0; l < times.size(); ++l) {
    TimesSink sink(times[l]);
    EXPECT_TRUE(source.read_location(l, sink));
  }
  return times;
}

std::unique_ptr<MemorySource> text(const std::string& body) {
  auto source = read_trace_text("mora-trace 1\n" + body);
  if (!source) ADD_FAILURE() << source.error().text();
  return source ? std::move(*source) : std::make_unique<MemorySource>();
}

ClockOptions always() {
  ClockOptions options;
  options.mode = ClockMode::always;
  options.workers = 1;
  return options;
}

ClockCorrection corrected(std::unique_ptr<Source> source, const ClockOptions& options) {
  auto result = correct_clocks(std::move(source), options);
  if (!result) ADD_FAILURE() << result.error().text();
  return std::move(*result);
}

/// What OTF2 archives tell of a non-blocking collective at its begin: the request.
void tell_at_the_end(MemorySource& trace) {
  for (auto& events : trace.events) {
    for (Event& e : events) {
      if (e.kind != EventKind::collective_request) continue;
      e.comm = e.root = no_id;
      e.bytes = e.received = 0;
    }
  }
}

const std::string two_nodes = "node a 0\nnode b 1\n";

TEST(Clocks, OneNodeIsOneClockAndNotEvenRead) {
  const auto c = corrected(text("P0 1000-1010 MPI_Send to 1\nP1 0-20 MPI_Recv from 0\n"), {});
  EXPECT_FALSE(c.report->checked);
  EXPECT_FALSE(c.report->corrected);
  EXPECT_EQ(times_of(*c.source), (Times{{1000, 1000, 1010}, {0, 20, 20}}));
}

TEST(Clocks, NothingReversedBetweenNodesLeavesEveryTime) {
  // Faster than the minimum latency, but in order: by default no reason to touch anything.
  const auto c = corrected(text(two_nodes + "P0 1000-1010 MPI_Send to 1\nP1 0-1020 MPI_Recv from 0\n"), {});
  EXPECT_TRUE(c.report->checked);
  EXPECT_FALSE(c.report->corrected);
  EXPECT_EQ(c.report->before.total().too_short, 1U);
  EXPECT_EQ(times_of(*c.source), (Times{{1000, 1000, 1010}, {0, 1020, 1020}}));
}

TEST(Clocks, ReceiveIsLiftedAndItsCallStretched) {
  // Sent at 1000, received at 20: lifted to 1000 + 3000. The window of 100 * 3980 begins before the first event, which
  // stays; the enter is that first event. The leave follows 1 stamp later at the receive's shift.
  const auto c = corrected(text(two_nodes + "P0 1000-1010 MPI_Send to 1\nP1 0-20 MPI_Recv from 0; 30-40 f\n"), {});
  EXPECT_TRUE(c.report->corrected);
  EXPECT_EQ(times_of(*c.source), (Times{{1000, 1000, 1010}, {0, 4000, 4000, 4010, 4020}}));
  EXPECT_EQ(c.report->before.total().reversed, 1U);
  EXPECT_EQ(c.report->after.total().violated(), 0U);
  EXPECT_EQ(c.report->largest_shift, 3980);
  EXPECT_EQ(c.report->largest_final_shift, 3980);
  EXPECT_EQ(c.report->locations[1].moved, 4U);
  // 20 ns of receiving became 4000.
  EXPECT_EQ(c.report->largest_slope.corrected * 20, 4000 * c.report->largest_slope.recorded);
  ASSERT_EQ(c.source->quality().rows().size(), 1U);
  EXPECT_EQ(c.source->quality().rows()[0].kind, "clock-corrected");
}

TEST(Clocks, ShiftDecaysByGamma) {
  // Shift 3000 at 0 (received at the sending's time); 1/100000 of 1 ms is 10 ns.
  const auto c = corrected(text(two_nodes + "P0 10-20 MPI_Send to 1\nP1 0-9 MPI_Recv from 0; 1000009-1000010 f; "
                                            "300000009-300000010 g; 400000000-400000001 h\n"),
                           {});
  const Times t = times_of(*c.source);
  EXPECT_EQ(t[1][1], 3010);  // shift 3001
  EXPECT_EQ(t[1][3], 1000009 + 3001 - 10);
  EXPECT_EQ(t[1][5], 300000009 + 3001 - 3000);
  EXPECT_EQ(t[1][6], 300000010 + 1);
  EXPECT_EQ(t[1][7], 400000000);
}

TEST(Clocks, WindowBeforeTheReceiveIsRaisedOnALine) {
  // Received at 1000000 though sent at 1000097: lifted by 3097 (3 us latency); window 309700 long.
  const auto c =
      corrected(text(two_nodes + "P0 1000097-1000100 MPI_Send to 1\n"
                                 "P1 0-1 a; 600000-690300 b; 845150-845200 c; 900000-1000000 MPI_Recv from 0\n"),
                {});
  const Times t = times_of(*c.source);
  EXPECT_EQ(t[1][2], 600000);
  EXPECT_EQ(t[1][3], 690300);         // start of the window
  EXPECT_EQ(t[1][4], 845150 + 1548);  // half of it: 1548.5, rounded down
  EXPECT_EQ(t[1][6], 900000 + 2097);  // 3097 * 209700 / 309700 = 2097
  EXPECT_EQ(t[1][7], 1003097);
  EXPECT_EQ(t[1][8], 1003097);
  EXPECT_NEAR(c.report->largest_slope.ratio(), 1.01, 1e-4);
}

TEST(Clocks, WindowKeepsASendBeforeItsReceive) {
  // P1's send at 900000 is received at 904000 by P2: it may move by 1000 only, and so does what precedes it, on a line.
  const auto c =
      corrected(text("node a 0\nnode b 1\nnode c 2\nP0 1000097-1000100 MPI_Send to 1\n"
                     "P1 0-1 a; 795150-795160 b; 900000-900010 MPI_Send to 2; 950000-1000000 MPI_Recv from 0\n"
                     "P2 0-904000 MPI_Recv from 1\n"),
                {});
  const Times t = times_of(*c.source);
  EXPECT_EQ(t[1][2], 795150 + 500);
  EXPECT_EQ(t[1][4], 901000);
  EXPECT_EQ(t[1][5], 901000);
  EXPECT_EQ(t[1][7], 950000 + 1000 + 1048);  // 2097 * 50000 / 100000 = 1048.5
  EXPECT_EQ(t[1][8], 1003097);
  EXPECT_EQ(t[2][1], 904000);
  EXPECT_EQ(c.report->after.total().violated(), 0U);
}

TEST(Clocks, ASendThatCannotMoveHoldsWhatPrecedesIt) {
  const auto c =
      corrected(text("node a 0\nnode b 1\nnode c 2\nP0 1000097-1000100 MPI_Send to 1\n"
                     "P1 0-1 a; 795150-795160 b; 900000-900010 MPI_Send to 2; 950000-1000000 MPI_Recv from 0\n"
                     "P2 0-903000 MPI_Recv from 1\n"),
                {});
  const Times t = times_of(*c.source);
  EXPECT_EQ(t[1][2], 795150);
  EXPECT_EQ(t[1][5], 900000);
  EXPECT_EQ(t[1][7], 950000 + 1548);
}

TEST(Clocks, ChainOfMessagesIsLiftedInOrder) {
  const auto c = corrected(text("node a 0\nnode b 1\nnode c 2\nP0 9000-9100 MPI_Send to 1\n"
                                "P1 0-100 MPI_Recv from 0; 200-300 MPI_Send to 2\nP2 0-50 MPI_Recv from 1\n"),
                           {});
  const Times t = times_of(*c.source);
  EXPECT_EQ(t[1][1], 12000);
  EXPECT_EQ(t[1][4], 12100);
  EXPECT_EQ(t[2][1], 15100);
  EXPECT_EQ(c.report->before.total().reversed, 2U);
  EXPECT_EQ(c.report->jumps, 2U);
}

TEST(Clocks, BarrierEndsAfterTheLatestOther) {
  // P1 is the latest (10000) by its clock: others end at 13000 at least; its own end waits for 5000 + 3000 only.
  const auto c = corrected(text("node a 0\nnode b 1\nnode c 2\nP0 5000-6000 MPI_Barrier\nP1 10000-10001 MPI_Barrier\n"
                                "P2 0-20000 MPI_Barrier\n"),
                           {});
  const Times t = times_of(*c.source);
  EXPECT_EQ(t[0].back(), 13000);
  EXPECT_EQ(t[1].back(), 10001);
  EXPECT_EQ(t[2].back(), 20000);
}

TEST(Clocks, NonBlockingBarrierIsPassedAfterTheLatestBegin) {
  for (const bool late : {false, true}) {
    auto trace = text(
        "node a 0\nnode b 1\nP0 1000-1010 MPI_Ibarrier req b\nP0 2000-2010 MPI_Wait req b\n"
        "P1 10000-10010 MPI_Ibarrier req b\nP1 11000-11010 MPI_Wait req b\n");
    if (late) tell_at_the_end(*trace);
    const auto c = corrected(std::move(trace), {});
    EXPECT_EQ(times_of(*c.source)[0].back(), 12000);
  }
}

TEST(Clocks, RootedCollectivesAndScan) {
  auto c = corrected(text("node a 0\nnode b 1\nnode c 2\nP0 9000-9100 MPI_Bcast root 0 sent 8 recvd 0\n"
                          "P1 0-100 MPI_Bcast root 0 recvd 8 sent 0\nP2 50000-50001 MPI_Bcast root 0 recvd 8 sent 0\n"),
                     {});
  Times t = times_of(*c.source);
  EXPECT_EQ(t[0].back(), 9100);
  EXPECT_EQ(t[1].back(), 12000);
  EXPECT_EQ(t[2].back(), 50001);
  c = corrected(text("node a 0\nnode b 1\nnode c 2\nP0 0-100 MPI_Reduce root 0 sent 8 recvd 8\n"
                     "P1 9000-9100 MPI_Reduce root 0 sent 8 recvd 0\nP2 0-1 MPI_Reduce root 0 sent 8 recvd 0\n"),
                {});
  t = times_of(*c.source);
  EXPECT_EQ(t[0].back(), 12000);
  EXPECT_EQ(t[1].back(), 9100);
  EXPECT_EQ(t[2].back(), 1);
  c = corrected(text("node a 0\nnode b 1\nnode c 2\nP0 0-100 MPI_Scan sent 8 recvd 8\n"
                     "P1 9000-9100 MPI_Scan sent 8 recvd 8\nP2 0-1 MPI_Scan sent 8 recvd 8\n"),
                {});
  t = times_of(*c.source);
  EXPECT_EQ(t[0].back(), 100);
  EXPECT_EQ(t[1].back(), 9100);
  EXPECT_EQ(t[2].back(), 12000);
}

TEST(Clocks, AnEmptyBroadcastOrdersNothing) {
  const auto c = corrected(
      text(two_nodes + "P0 9000-9100 MPI_Bcast root 0 sent 0 recvd 0\nP1 0-100 MPI_Bcast root 0 recvd 0 sent 0\n"),
      always());
  EXPECT_EQ(c.report->before.total().edges, 0U);
  EXPECT_FALSE(c.report->corrected);
}

TEST(Clocks, CurveIsTheLowerHull) {
  naive::Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Knot> caps;
    const Nanoseconds start = random.below(50), end = start + 1 + random.below(200), height = 1 + random.below(100);
    for (Nanoseconds at = 0; at < end + 20; at += random.below(30)) {
      caps.push_back({at, random.below(120), 0});
      if (caps.size() > 20) break;
    }
    const auto curve = amortisation_curve(start, caps, end, height);
    std::vector<Knot> points{{start, 0, 0}, {end, height, 0}};
    for (const Knot& k : caps) {
      if (k.at > start && k.at <= end) points.push_back(k);
    }
    for (Nanoseconds at = start; at < end; ++at) {  // the hull is the least chord over the place
      double least = 1e9;
      for (const Knot& a : points) {
        for (const Knot& b : points) {
          if (a.at <= at && at < b.at)
            least =
                std::min(least, static_cast<double>(a.raise) + static_cast<double>((b.raise - a.raise) * (at - a.at)) /
                                                                   static_cast<double>(b.at - a.at));
        }
      }
      ASSERT_EQ(raise_at(curve, at), static_cast<Nanoseconds>(least + 1e-9)) << "round " << round << " at " << at;
    }
  }
}

// ---- random traces

struct Stretches {
  std::uint64_t moved = 0;
  int compared = 0;  ///< with the naive rule
};

ClockOptions random_options(naive::Random& random) {
  ClockOptions options = always();
  options.between_nodes = 1 + random.below(random.one_in(3) ? 3000 : 20);
  options.inside_node = random.below(10);
  options.between_threads = random.below(3);
  const std::uint32_t denominators[] = {2, 3, 10, 1000, 100000};
  options.loss_denominator = denominators[random.below(5)];
  options.window = random.below(3) == 0 ? 0 : 1 + random.below(100);
  return options;
}

void put_on_nodes(MemorySource& trace, std::uint32_t nodes) {
  trace.defs.nodes.assign(nodes, {"n"});
  for (Location& l : trace.defs.locations) l.node = l.rank % nodes;
}

void compare(const naive::RandomTraceOptions& what, bool exact, Stretches& all) {
  naive::Random random(what.seed * 77);
  const auto trace = naive::random_trace(what);
  put_on_nodes(*trace, 1 + random.below(3));
  ClockOptions options = random_options(random);
  auto copy = std::make_unique<MemorySource>(*trace);
  const Times before = times_of(*trace);
  const auto c = corrected(std::move(copy), options);
  const Times after = times_of(*c.source);
  const ClockReport& r = *c.report;
  if (r.circular == 0) {
    EXPECT_EQ(r.after.total().violated(), 0U);
  }
  EXPECT_EQ(r.before.total().edges, r.after.total().edges);
  if (!r.corrected) {
    EXPECT_EQ(after, before);
  }
  for (std::size_t l = 0; l < after.size(); ++l) {
    ASSERT_EQ(after[l].size(), before[l].size());
    for (std::size_t i = 0; i < after[l].size(); ++i) {
      ASSERT_GE(after[l][i], before[l][i]);
      all.moved += after[l][i] != before[l][i] ? 1 : 0;
      if (i == 0) continue;
      ASSERT_GE(after[l][i], after[l][i - 1]) << l << " " << i;
      if (before[l][i] > before[l][i - 1]) {
        ASSERT_GT(after[l][i], after[l][i - 1]) << l << " " << i;
      }
    }
  }
  // Corrected once is corrected: by the source alone, without the report's own look.
  auto first = corrected(std::make_unique<MemorySource>(*trace), options);
  const auto second = corrected(std::move(first.source), options);
  if (r.circular == 0) {
    EXPECT_EQ(second.report->before.total().violated(), 0U);
  }
  if (!exact || r.circular != 0) return;
  const auto edges = naive::naive_edges(*trace, options);
  ++all.compared;
  const Times forward = naive::naive_forward(*trace, edges, options);
  ASSERT_FALSE(forward.empty());
  options.window = 0;  // no room before: forward only
  const auto only_forward = corrected(std::make_unique<MemorySource>(*trace), options);
  EXPECT_EQ(times_of(*only_forward.source), forward);
  for (std::size_t l = 0; l < after.size(); ++l) {
    for (std::size_t i = 0; i < after[l].size(); ++i) ASSERT_GE(after[l][i], forward[l][i]);
  }
  for (const naive::NaiveEdge& e : edges)
    ASSERT_GE(after[e.to][e.sink], after[e.from][e.source] + e.latency) << "edge " << e.from << " -> " << e.to;
}

void compare_many(naive::RandomTraceOptions what, int count, bool exact) {
  Stretches all;
  for (int i = 0; i < count; ++i, ++what.seed) {
    compare(what, exact, all);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << what.seed;
  }
  EXPECT_GT(all.moved, 0U);
  EXPECT_GE(all.compared, exact ? count / 2 : 0);
}

naive::RandomTraceOptions only(bool rma, bool others, bool damage, std::uint32_t steps, std::uint64_t seed) {
  naive::RandomTraceOptions o;
  o.rma = rma;
  o.others = others;
  o.damage = damage;
  o.steps = steps;
  o.seed = seed;
  return o;
}

TEST(ClockProperty, NonBlockingCollectivesMayTellAtTheirEnd) {
  std::uint64_t collectives = 0;
  for (std::uint64_t seed = 30000; seed < 30300; ++seed) {
    naive::Random random(seed);
    const auto trace = naive::random_trace(only(false, true, false, 60, seed));
    put_on_nodes(*trace, 1 + random.below(3));
    // One that never ends tells nothing, and is known only where it tells itself at its begin.
    for (auto& events : trace->events) {
      std::set<std::uint64_t> ended;
      for (const Event& e : events) {
        if (e.kind == EventKind::collective_complete) ended.insert(e.request);
      }
      std::erase_if(events, [&](const Event& e) {
        return e.kind == EventKind::collective_request && ended.count(e.request) == 0;
      });
      for (Event& e : events) {
        if (e.kind == EventKind::collective_request || e.kind == EventKind::collective_complete)
          e.collective = Collective::barrier;  // that of the random traces orders nothing: nobody receives a byte
      }
      collectives += ended.size();
    }
    auto late = std::make_unique<MemorySource>(*trace);
    tell_at_the_end(*late);
    const ClockOptions options = random_options(random);
    const auto told = corrected(std::make_unique<MemorySource>(*trace), options);
    const auto told_late = corrected(std::move(late), options);
    ASSERT_EQ(times_of(*told_late.source), times_of(*told.source)) << "seed " << seed;
    ASSERT_EQ(told_late.report->before.total().edges, told.report->before.total().edges) << "seed " << seed;
  }
  EXPECT_GT(collectives, 300U);
}

TEST(ClockProperty, TinyMessages) { compare_many(only(false, false, true, 6, 1), 1500, true); }
TEST(ClockProperty, Messages) { compare_many(only(false, false, true, 60, 5000), 300, true); }
TEST(ClockProperty, SoundPrograms) { compare_many(only(true, true, false, 60, 10000), 300, false); }
TEST(ClockProperty, DamagedPrograms) { compare_many(only(true, true, true, 60, 20000), 300, false); }

}  // namespace
}  // namespace mora::trace
