// Bookmarks, history, closure and the read pointer of EARL (Wolf 1998, 5.3.1 and 6.1.2), counted in decoded records.

#include "trace/earl/random_adapter.h"

#include <gtest/gtest.h>

#include "support/fault_stride.h"
#include "support/trace/vector_decoder.h"
#include "trace/earl/spooled_decoder.h"
#include "trace/readers/text/text_source.h"

namespace mora::trace::earl {
namespace {

using Numbers = std::vector<Position>;

Definitions two_ranks() {
  Definitions d;
  d.world_size = 2;
  d.nodes.push_back({"node0"});
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Location l;
    l.rank = rank;
    d.locations.push_back(l);
  }
  d.index_ranks();
  return d;
}

/// Four events again and again: rank 0 enters, sends; rank 1 receives what was sent `late` rounds ago; rank 0 leaves.
ViewEvent round_of_four(Position i, Position late) {
  ViewEvent e;
  e.time = static_cast<Nanoseconds>(i);
  e.region = 0;
  switch (i % 4) {
    case 1:
      e.type = EarlType::enter;
      break;
    case 2:
      e.type = EarlType::send;
      e.peer = 1;
      e.comm = 0;
      break;
    case 3:
      e.type = i / 4 >= late ? EarlType::recv : EarlType::metric;
      if (e.type == EarlType::recv) e.link = i - 1 - 4 * late;
      e.location = 1;
      e.peer = 0;
      e.comm = 0;
      break;
    default:
      e.type = EarlType::exit;
  }
  return e;
}

std::unique_ptr<RandomAdapter> adapter(const Definitions& definitions, Position count, AdapterOptions options,
                                       Position late = 1) {
  auto decoder =
      std::make_unique<VectorDecoder>(definitions, count, [=](Position i) { return round_of_four(i, late); });
  auto made = RandomAdapter::make(std::move(decoder), options);
  EXPECT_TRUE(made) << made.error().text();
  return made ? std::move(*made) : nullptr;
}

/// An early receive and its send, as trace text.
constexpr const char* v6 = R"(mora-trace 1
unit us
P0 0 ENTER main
P1 1 ENTER main
P1 1000 ENTER MPI_Recv
P0 3500 ENTER MPI_Send; 3600 SEND to 1 bytes 8 tag 1; 3700 EXIT
P1 4000 RECV from 0 bytes 8 tag 1; 4100 EXIT
P0 5000 ENTER MPI_Send; 5100 SEND to 1 bytes 8 tag 1; 5200 EXIT
P1 6000 ENTER MPI_Recv; 6200 RECV from 0 bytes 8 tag 1; 6300 EXIT
P1 7000 ENTER MPI_Recv
P0 8000 ENTER MPI_Bcast; 8100 SEND to 1 bytes 8 tag 2; 8200 EXIT
P1 8300 RECV from 0 bytes 8 tag 2; 8400 EXIT
P0 8500 ENTER MPI_Recv
P1 9750 ENTER MPI_Send; 9800 SEND to 0 bytes 8 tag 3; 9900 EXIT
P0 10000 RECV from 1 bytes 8 tag 3; 10100 EXIT
P0 11000 EXIT
P1 11001 EXIT
)";

struct Opened {
  std::unique_ptr<MemorySource> source;
  std::unique_ptr<RandomAdapter> trace;
};

Opened open_text(const char* text, AdapterOptions options) {
  Opened opened;
  auto source = read_trace_text(text);
  EXPECT_TRUE(source) << source.error().text();
  if (!source) return opened;
  opened.source = std::move(*source);
  auto decoder = spool(*opened.source, RmaModel::extended);
  EXPECT_TRUE(decoder) << decoder.error().text();
  if (!decoder) return opened;
  auto made = RandomAdapter::make(std::move(*decoder), options);
  EXPECT_TRUE(made) << made.error().text();
  if (made) opened.trace = std::move(*made);
  return opened;
}

struct Row {
  Position number;
  bool found;
  std::uint64_t decoded, seeks;
  std::pair<Position, Position> history;
  Numbers states;
};

void follow(RandomAdapter& trace, const std::vector<Row>& table) {
  for (const Row& row : table) {
    const AdapterCounters before = trace.counters();
    const Position pointer = trace.pointer();
    const auto event = trace.get(row.number);
    ASSERT_TRUE(event) << event.error().text();
    EXPECT_EQ(event->has_value(), row.found) << "get " << row.number;
    EXPECT_EQ(trace.pointer(), row.found ? row.number : pointer) << "get " << row.number;
    EXPECT_EQ(trace.counters().decoded - before.decoded, row.decoded) << "get " << row.number;
    EXPECT_EQ(trace.counters().seeks - before.seeks, row.seeks) << "get " << row.number;
    EXPECT_EQ(trace.history(), row.history) << "get " << row.number;
    EXPECT_EQ(trace.bookmarks(), row.states) << "get " << row.number;
    if (!row.found) continue;
    // The state of the event read is in memory.
    const AdapterCounters read = trace.counters();
    ASSERT_TRUE(trace.stack(row.number, 0) && trace.queue(row.number));
    EXPECT_EQ(trace.counters().decoded, read.decoded);
    EXPECT_EQ(trace.counters().seeks, read.seeks);
  }
}

const Numbers to_30 = {0, 10, 20, 30}, to_100 = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};

TEST(RandomAdapter, V13BookmarksAndHistory) {
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 100, {5, 10});
  follow(*trace, {{37, true, 37, 0, {33, 37}, to_30},
                  {35, true, 0, 0, {33, 37}, to_30},
                  {25, true, 5, 1, {21, 25}, to_30},
                  {21, true, 0, 0, {21, 25}, to_30},
                  {20, true, 10, 1, {16, 20}, to_30},
                  {39, true, 19, 0, {35, 39}, to_30},
                  {1, true, 1, 1, {1, 1}, to_30},
                  {101, false, 99, 0, {96, 100}, to_100},
                  {95, true, 5, 1, {91, 95}, to_100}});
}

TEST(RandomAdapter, V13NearestBookmark) {
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 100, {5, 10, ForwardJump::nearest});
  follow(*trace,
         {{37, true, 37, 0, {33, 37}, to_30}, {20, true, 10, 1, {16, 20}, to_30}, {39, true, 9, 1, {35, 39}, to_30}});
}

TEST(RandomAdapter, V13OneBookmark) {
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 100, {5, 0});
  follow(*trace,
         {{37, true, 37, 0, {33, 37}, {0}}, {25, true, 25, 1, {21, 25}, {0}}, {20, true, 20, 1, {16, 20}, {0}}});
}

TEST(RandomAdapter, V14ClosureAcrossABookmark) {
  const Opened opened = open_text(v6, {1, 6});
  RandomAdapter& trace = *opened.trace;
  ASSERT_TRUE(trace.get(28)->has_value());
  const AdapterCounters before = trace.counters();
  EXPECT_EQ(before.decoded, 28u);
  const auto e7 = *trace.get(7);
  EXPECT_EQ(trace.counters().decoded - before.decoded, 1u);
  EXPECT_EQ(e7->type, EarlType::recv);
  EXPECT_EQ(e7->enter, 3u);
  EXPECT_EQ(e7->link, 5u);
  const auto e5 = *trace.fetch(5);
  ASSERT_TRUE(e5);
  EXPECT_EQ(e5->type, EarlType::send);
  EXPECT_EQ(e5->enter, 4u);
  const auto e4 = *trace.fetch(4);
  ASSERT_TRUE(e4);
  EXPECT_EQ(trace.definitions().regions[e4->region].name, "MPI_Send");
  EXPECT_EQ(e4->enter, 1u);
  EXPECT_EQ(*trace.stack(7, 1), (Numbers{3, 2}));
  EXPECT_EQ(*trace.stack(7, 0), (Numbers{1}));
  EXPECT_EQ(*trace.queue(7), (Numbers{}));
  EXPECT_EQ(trace.counters().decoded - before.decoded, 1u);
  EXPECT_EQ(trace.counters().seeks - before.seeks, 1u);
  EXPECT_EQ(*trace.queue(6, 1, 0), (Numbers{5}));
}

// Three of EARL's tools (Wolf 1998, 7.1 to 7.3: times of regions, early receives, order of messages) in one pass over
// the pointers.
TEST(RandomAdapter, V15SinglePass) {
  for (const std::int64_t hist : {1, 2, 3, 10, 1000}) {
    for (const std::int64_t mark : {0, 1, 6, 10000}) {
      const Opened opened = open_text(v6, {hist, mark});
      RandomAdapter& trace = *opened.trace;
      Nanoseconds inside = 0, waiting = 0;
      std::uint64_t overtaken = 0;
      for (auto e = *trace.next(); e; e = *trace.next()) {
        if (is_exit(e->type)) inside += e->time - (*trace.fetch(e->enter))->time;
        if (e->type != EarlType::recv) continue;
        const auto receive = **trace.fetch(e->enter);
        const auto send = **trace.fetch(e->link);
        const auto sending = **trace.fetch(send.enter);
        if (trace.definitions().regions[sending.region].name == "MPI_Send" && sending.time > receive.time)
          waiting += sending.time - receive.time;
        const Numbers queue = *trace.queue(trace.pointer(), 1, 0);
        for (const Position waits : queue) overtaken += (*trace.fetch(waits))->time < send.time;
      }
      EXPECT_EQ(trace.counters().decoded, 28u) << "hist " << hist << " mark " << mark;
      EXPECT_EQ(trace.counters().seeks, 0u) << "hist " << hist << " mark " << mark;
      EXPECT_EQ(waiting, 3'750'000);
      EXPECT_EQ(inside, 2 * 11'000'000 + 400'000 + 1'600'000 + 200'000 + 150'000 + 4'800'000);
      EXPECT_EQ(overtaken, 0u);
      EXPECT_EQ(trace.size(), 28u);
      EXPECT_EQ(trace.pointer(), 28u);
    }
  }
}

TEST(RandomAdapter, FetchLeavesPointerStateAndNextReadAlone) {
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 1000, {5, 10}, 3);
  ASSERT_TRUE(trace->get(500)->has_value());
  const Numbers stack = *trace->stack(500, 0), queue = *trace->queue(500);
  for (const Position far : {3, 900, 77, 501, 506}) {
    ASSERT_TRUE(trace->fetch(far)->has_value());
    EXPECT_EQ(trace->pointer(), 500u);
    const AdapterCounters before = trace->counters();
    EXPECT_EQ(*trace->stack(500, 0), stack);
    EXPECT_EQ(*trace->queue(500), queue);
    EXPECT_EQ(trace->counters().decoded, before.decoded) << "after fetch " << far;
  }
  const AdapterCounters before = trace->counters();
  EXPECT_EQ((*trace->next())->time, 501);
  EXPECT_EQ(trace->pointer(), 501u);
  EXPECT_EQ(trace->counters().decoded - before.decoded, 1u);
  EXPECT_EQ(trace->counters().seeks - before.seeks, 1u);
  EXPECT_EQ(trace->history(), std::pair(Position{497}, Position{501}));
}

TEST(RandomAdapter, EndIsNotDestructive) {
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 20, {5, 10});
  EXPECT_FALSE(trace->size());
  ASSERT_TRUE(trace->get(20)->has_value());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(trace->next()->has_value());
    EXPECT_EQ(trace->pointer(), 20u);
  }
  EXPECT_EQ(trace->size(), 20u);
  EXPECT_EQ((*trace->prev())->time, 19);
  EXPECT_EQ(trace->pointer(), 19u);
  EXPECT_FALSE(trace->get(0)->has_value());
  EXPECT_FALSE(trace->get(UINT64_MAX)->has_value());
  EXPECT_FALSE(trace->fetch(0)->has_value());
  EXPECT_FALSE(trace->fetch(21)->has_value());
  EXPECT_EQ(trace->pointer(), 19u);
  EXPECT_EQ(trace->counters().decoded, 20u);
  ASSERT_TRUE(trace->get(1)->has_value());
  EXPECT_FALSE(trace->prev()->has_value());
  EXPECT_EQ(trace->pointer(), 1u);
  trace->reset();
  EXPECT_EQ(trace->pointer(), 0u);
  EXPECT_FALSE(trace->prev()->has_value());
  EXPECT_EQ(*trace->stack(0, 0), Numbers{});
  EXPECT_EQ((*trace->next())->time, 1);
}

TEST(RandomAdapter, EmptyTrace) {
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 0, {});
  EXPECT_FALSE(trace->next()->has_value());
  EXPECT_FALSE(trace->get(1)->has_value());
  EXPECT_EQ(trace->size(), 0u);
  EXPECT_EQ(*trace->queue(0), Numbers{});
  EXPECT_FALSE(trace->queue(1));
}

TEST(RandomAdapter, Errors) {
  const Definitions definitions = two_ranks();
  const auto refused = [&](std::int64_t hist, std::int64_t mark) {
    const auto made = RandomAdapter::make(
        std::make_unique<VectorDecoder>(definitions, 4, [](Position i) { return round_of_four(i, 1); }), {hist, mark});
    return !made && made.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(refused(0, 10));
  EXPECT_TRUE(refused(-5, 10));
  EXPECT_TRUE(refused(5, -1));
  EXPECT_TRUE(refused(INT64_MIN, INT64_MIN));
  EXPECT_FALSE(refused(1, 0));
  EXPECT_FALSE(refused(INT64_MAX, INT64_MAX));
  const auto trace = adapter(definitions, 4, {});
  EXPECT_EQ(trace->stack(0, 2).error().what, "undefined nodenumber");
  EXPECT_EQ(trace->queue(0, 2).error().what, "undefined nodenumber");
  EXPECT_EQ(trace->queue(0, 1, 7).error().what, "undefined nodenumber");
  EXPECT_EQ(trace->stack(5, 0).error().what, "no such state");
  EXPECT_EQ(trace->transfers(UINT64_MAX).error().kind, ErrorKind::usage);
}

TEST(RandomAdapter, ReadErrorsPassAndHeal) {
  const Definitions definitions = two_ranks();
  auto decoder = std::make_unique<VectorDecoder>(definitions, 40, [](Position i) { return round_of_four(i, 2); });
  VectorDecoder& file = *decoder;
  const auto trace = std::move(*RandomAdapter::make(std::move(decoder), {5, 10}));
  ASSERT_TRUE(trace->get(12)->has_value());
  file.fails_at = 15;
  EXPECT_EQ(trace->get(20).error().kind, ErrorKind::system);
  EXPECT_EQ(trace->pointer(), 12u);
  EXPECT_EQ((*trace->get(20))->time, 20);
  EXPECT_EQ(trace->history(), std::pair(Position{16}, Position{20}));
  EXPECT_EQ(*trace->queue(20), (Numbers{18, 14}));
}

TEST(RandomAdapter, BackwardPassCostsWhatTheFormulaSays) {  // (mark/hist + 1)/2 records per event
  const Definitions definitions = two_ranks();
  const auto trace = adapter(definitions, 10000, {10, 100});
  ASSERT_TRUE(trace->get(10000)->has_value());
  const std::uint64_t forward = trace->counters().decoded;
  EXPECT_EQ(forward, 10000u);
  std::uint64_t seen = 1;
  for (auto e = *trace->prev(); e; e = *trace->prev()) ++seen;
  EXPECT_EQ(seen, 10000u);
  EXPECT_NEAR(static_cast<double>(trace->counters().decoded - forward) / 10000.0, (100.0 / 10 + 1) / 2, 0.1);

  const auto wide = adapter(definitions, 10000, {100, 100});
  ASSERT_TRUE(wide->get(10000)->has_value());
  for (auto e = *wide->prev(); e; e = *wide->prev()) continue;
  EXPECT_LE(wide->counters().decoded, 2u * 10000u);
}

TEST(RandomAdapter, MemoryDoesNotGrowWithTheTrace) {
  const Definitions definitions = two_ranks();
  const std::uint64_t late = 50;  // |S|: 50 messages and one activation; a message drags its ENTER
  const std::uint64_t state = 2 * (late + 1) + 1;
  std::uint64_t peaks[2];
  for (int i = 0; i < 2; ++i) {
    const auto stride = static_cast<std::int64_t>(fault_stride());
    const Position m = (i == 0 ? 1'000'000 : 2'000'000) / static_cast<Position>(stride);
    const std::int64_t mark = (i == 0 ? 10'000 : 20'000) / stride;
    const auto trace = adapter(definitions, m, {1000, mark}, late);
    Position count = 0;
    for (auto e = *trace->next(); e; e = *trace->next()) ++count;
    ASSERT_EQ(count, m);
    EXPECT_EQ(trace->counters().decoded, m);
    EXPECT_EQ(trace->counters().seeks, 0u);
    EXPECT_EQ(trace->counters().bookmarks, 101u);
    peaks[i] = trace->counters().peak;
    EXPECT_LE(peaks[i], 1000 + 102 * state) << "history, bookmarks, the present state";
    for (const Position q : {m / 2, Position{17}, m - 3, m / 3}) {
      ASSERT_TRUE(trace->fetch(q)->has_value());
      ASSERT_TRUE(trace->get(m - q)->has_value());
    }
    EXPECT_LE(trace->counters().peak, 2000 + 103 * state);
  }
  EXPECT_LE(peaks[1], peaks[0] + 10);
}

TEST(RandomAdapter, DeepStacksAreGivenBack) {  // release() follows a chain of a million ENTERs
  const Definitions definitions = two_ranks();
  const Position depth = 1'000'000;
  auto decoder = std::make_unique<VectorDecoder>(definitions, depth, [](Position i) {
    ViewEvent e = round_of_four(1, 1);
    e.time = static_cast<Nanoseconds>(i);
    return e;
  });
  auto trace = std::move(*RandomAdapter::make(std::move(decoder), {1, 0}));
  EXPECT_EQ((*trace->get(depth))->enter, depth - 1);
  EXPECT_EQ(trace->counters().live, depth);
  ASSERT_TRUE(trace->get(1)->has_value());
  EXPECT_EQ(trace->counters().live, 1u);
}

}  // namespace
}  // namespace mora::trace::earl
