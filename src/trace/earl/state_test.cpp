// States move forward and back exactly, and the links are those of the view.
#include "trace/earl/state.h"

#include <gtest/gtest.h>

#include "support/trace/random_trace.h"
#include "trace/earl/random_adapter.h"
#include "trace/earl/spooled_decoder.h"
#include "trace/readers/text/text_source.h"

namespace mora::trace::earl {
namespace {

TEST(State, UndoRestoresEveryStoredState) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    naive::RandomTraceOptions options;
    options.seed = seed;
    options.steps = 50;
    const auto source = naive::random_trace(options);
    const auto decoder = std::move(*spool(*source, seed % 2 == 0 ? RmaModel::basic : RmaModel::extended));
    EventBuffer buffer;
    std::vector<State> states{State(source->defs)};
    std::vector<EventRef> events{EventRef()};
    State now(source->defs);
    for (auto e = *decoder->read(); e; e = *decoder->read()) {
      auto [enter, link] = now.resolve(*e);
      events.push_back(buffer.add(events.size(), *e, enter, link));
      now.apply(events.back());
      ASSERT_EQ(now.index(), events.size() - 1);
      states.push_back(now);
    }
    ASSERT_GT(states.size(), 50u);
    // All the way back, then here and there.
    naive::Random random(seed);
    for (Position target = 0, hop = 0; hop < 60; target = random.below(states.size()), ++hop) {
      while (now.index() > target) {
        now.undo(events[now.index()]);
        ASSERT_TRUE(now == states[now.index()]) << "seed " << seed << " state " << now.index();
      }
      while (now.index() < target) {
        now.apply(events[now.index() + 1]);
        ASSERT_TRUE(now == states[now.index()]) << "seed " << seed << " state " << now.index();
      }
    }
  }
}

// Two receives posted as a, b and completed as b, a. MPI gives the first message to a, with and without an index.
TEST(State, ReceivesCompletedOutOfPostingOrder) {
  auto source = read_trace_text(R"(mora-trace 1
P0 1-2 MPI_Send to 1 tag 7 bytes 10
P0 3-4 MPI_Send to 1 tag 7 bytes 20
P1 0-1 MPI_Irecv from 0 tag 7 bytes 10 req a
P1 2-3 MPI_Irecv from 0 tag 7 bytes 20 req b
P1 5-6 MPI_Wait req b
P1 7-8 MPI_Wait req a
)");
  ASSERT_TRUE(source) << source.error().text();
  const auto view = std::move(*View::make(**source, RmaModel::extended));
  auto trace = std::move(*RandomAdapter::make(std::move(*spool(**source, RmaModel::extended)), {}));
  std::vector<Position> sends, by_posting, without_index;
  for (Position p = 1; p <= view->size(); ++p) {
    const auto e = *trace->next();
    ASSERT_TRUE(e);
    EXPECT_EQ(e->type, view->type(p));
    if (e->type == EarlType::send) sends.push_back(p);
    if (e->type != EarlType::recv) continue;
    by_posting.push_back(view->link(p));
    without_index.push_back(e->link);
  }
  ASSERT_EQ(sends.size(), 2u);
  EXPECT_EQ(by_posting, (std::vector<Position>{sends[1], sends[0]}));
  EXPECT_EQ(without_index, by_posting);
}

// Four keys and oldest first; the listing is merged by number again.
TEST(State, QueueIsListedYoungestFirstAcrossKeys) {
  auto source = read_trace_text(R"(mora-trace 1
P0 1 SEND to 1 bytes 1 tag 5
P0 2 SEND to 1 bytes 1 tag 4
P0 3 SEND to 2 bytes 1 tag 5
P2 4 SEND to 1 bytes 1 tag 5
P0 5 SEND to 1 bytes 1 tag 5
P1 6 RECV from 0 bytes 1 tag 5
)");
  ASSERT_TRUE(source) << source.error().text();
  auto trace = std::move(*RandomAdapter::make(std::move(*spool(**source, RmaModel::extended)), {}));
  using Numbers = std::vector<Position>;
  EXPECT_EQ(*trace->queue(5), (Numbers{5, 4, 3, 2, 1}));
  EXPECT_EQ(*trace->queue(5, 1), (Numbers{5, 4, 2, 1}));
  EXPECT_EQ(*trace->queue(5, 1, 0), (Numbers{5, 2, 1}));
  EXPECT_EQ(*trace->queue(6, 1, 0), (Numbers{5, 2}));
  EXPECT_EQ((*trace->get(6))->link, 1u);
}

}  // namespace
}  // namespace mora::trace::earl
