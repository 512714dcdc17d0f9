// Thousands of random questions in random order to random traces with random -hist and -mark: the answers are the naive
// model's.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "support/trace/naive_model.h"
#include "support/trace/random_trace.h"
#include "trace/earl/random_adapter.h"
#include "trace/earl/spooled_decoder.h"

namespace mora::trace::earl {
namespace {

/// The view's order, bare: whether that is right is view_property_test.cpp's question.
std::vector<ViewEvent> bare(Source& source, RmaModel model) {
  std::vector<ViewEvent> events;
  const auto view = std::move(*View::make(source, model));
  for (Position p = 1; p <= view->size(); ++p) {
    events.push_back(view->event(p));
    ViewEvent& e = events.back();
    e.enter = 0;
    const bool early = e.type == EarlType::recv || (e.type == EarlType::send && e.forward < p);
    if (!early) e.forward = 0;  // the model finds it
  }
  return events;
}

using naive::NaiveModel;
using naive::Random;
using Numbers = std::vector<Position>;

class Session {
 public:
  Session(RandomAdapter& trace, const NaiveModel& model, Random& random)
      : trace_(trace), model_(model), random_(random) {}

  void step() {
    switch (random_.below(10)) {
      case 0:
        return absolute(number());
      case 1:
        return only(number());
      case 2:
      case 3:
        return relative(true);
      case 4:
      case 5:
        return relative(false);
      case 6:
        return run();
      case 7:
        if (random_.one_in(6)) {
          trace_.reset();
          pointer_ = 0;
        }
        return;
      case 8:
        return state(pointer_);
      default:
        return state(random_.below(model_.size() + 1));
    }
  }

 private:
  Position number() { return random_.below(model_.size() + 3); }

  void expect(Position wanted, const Result<std::optional<ViewEvent>>& found) {
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(trace_.pointer(), pointer_);
    ASSERT_EQ(found->has_value(), wanted >= 1 && wanted <= model_.size()) << "event " << wanted;
    if (!*found) return;
    const ViewEvent& e = model_.event(wanted);
    ASSERT_EQ((*found)->type, e.type) << "event " << wanted;
    ASSERT_EQ((*found)->time, e.time) << "event " << wanted;
    ASSERT_EQ((*found)->location, e.location) << "event " << wanted;
    ASSERT_EQ((*found)->region, e.region) << "event " << wanted;
    ASSERT_EQ((*found)->enter, e.enter) << "event " << wanted;
    ASSERT_EQ((*found)->link, e.link) << "event " << wanted << ' ' << to_string(e.type);
    ASSERT_EQ((*found)->forward, e.forward) << "event " << wanted;
    if (e.type == EarlType::send || e.type == EarlType::recv) {
      ASSERT_EQ((*found)->peer, e.peer);
      ASSERT_EQ((*found)->tag, e.tag);
      ASSERT_EQ((*found)->bytes, e.bytes);
    }
    // Where the pointers lead is in memory.
    const AdapterCounters before = trace_.counters();
    for (const Position p : {e.enter, e.link}) {
      if (p == 0 || (p == e.link && is_chain(e.type))) continue;
      const auto there = trace_.fetch(p);
      ASSERT_TRUE(there && *there);
      ASSERT_EQ((*there)->type, model_.event(p).type);
      ASSERT_EQ((*there)->enter, model_.event(p).enter);
    }
    ASSERT_EQ(trace_.counters().decoded, before.decoded) << "closure of event " << wanted;
  }
  static bool is_chain(EarlType type) {
    return type == EarlType::wlock || type == EarlType::wunlock || type == EarlType::alock || type == EarlType::rlock ||
           type == EarlType::mpicexit || type == EarlType::mpiwcexit;
  }
  void absolute(Position wanted) {
    const auto found = trace_.get(wanted);
    if (wanted >= 1 && wanted <= model_.size()) pointer_ = wanted;
    expect(wanted, found);
  }
  void only(Position wanted) { expect(wanted, trace_.fetch(wanted)); }
  void relative(bool forward) {
    const Position wanted = forward ? pointer_ + 1 : pointer_ == 0 ? 0 : pointer_ - 1;
    const auto found = forward ? trace_.next() : trace_.prev();
    if (wanted >= 1 && wanted <= model_.size()) pointer_ = wanted;
    expect(wanted, found);
  }
  void run() {
    const bool forward = !random_.one_in(3);
    for (std::uint32_t n = random_.below(20); n > 0 && !::testing::Test::HasFatalFailure(); --n) relative(forward);
  }
  void state(Position at) {
    const AdapterCounters before = trace_.counters();
    const bool here = at + 1 >= trace_.history().first && at <= trace_.history().second;
    for (LocationId l = 0; l < trace_.definitions().locations.size(); ++l)
      ASSERT_EQ(*trace_.stack(at, l), model_.stack(l, at)) << "state " << at;
    ASSERT_EQ(*trace_.queue(at), model_.queue(at)) << "state " << at;
    const std::uint32_t ranks = trace_.definitions().world_size;
    const std::uint32_t to = random_.below(ranks), from = random_.below(ranks);
    ASSERT_EQ(*trace_.queue(at, to), model_.queue(at, to)) << "state " << at;
    ASSERT_EQ(*trace_.queue(at, to, from), model_.queue(at, to, from)) << "state " << at;
    ASSERT_EQ(*trace_.transfers(at), model_.transfers(at)) << "state " << at;
    ASSERT_EQ(*trace_.origins(at), model_.origins(at)) << "state " << at;
    ASSERT_EQ(trace_.pointer(), pointer_);
    if (!here) return;
    ASSERT_EQ(trace_.counters().decoded, before.decoded) << "state in the history " << at;
  }

  RandomAdapter& trace_;
  const NaiveModel& model_;
  Random& random_;
  Position pointer_ = 0;
};

void sessions(std::uint64_t first, std::uint64_t count, std::uint32_t steps, bool damage) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    naive::RandomTraceOptions options;
    options.seed = seed;
    options.steps = steps;
    options.damage = damage;
    const RmaModel rma = random.one_in(2) ? RmaModel::basic : RmaModel::extended;
    const auto source = naive::random_trace(options);
    const NaiveModel model(source->defs, bare(*source, rma));
    auto decoder = spool(*source, rma);
    ASSERT_TRUE(decoder) << decoder.error().text();
    AdapterOptions limits;
    limits.hist = 1 + random.below(random.one_in(2) ? 5 : 80);
    limits.mark = random.below(random.one_in(2) ? 12 : 150);
    limits.forward = random.one_in(2) ? ForwardJump::read_on : ForwardJump::nearest;
    auto trace = RandomAdapter::make(std::move(*decoder), limits);
    ASSERT_TRUE(trace);
    Session session(**trace, model, random);
    for (int i = 0; i < 150; ++i) {
      session.step();
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << " step " << i << " hist " << limits.hist
                                                  << " mark " << limits.mark << " m " << model.size();
    }
  }
}

TEST(AdapterProperty, SmallTraces) { sessions(1, 300, 6, true); }
TEST(AdapterProperty, SoundTraces) { sessions(1000, 150, 40, false); }
TEST(AdapterProperty, DamagedTraces) { sessions(2000, 150, 40, true); }
TEST(AdapterProperty, LongerTraces) { sessions(3000, 10, 250, true); }

// Records that are no events, the end of the trace, and opaque positions.
TEST(SpooledDecoder, ReadsSkipsAndSeeks) {
  naive::RandomTraceOptions options;
  options.steps = 500;  // several blocks
  const auto source = naive::random_trace(options);
  const auto events = bare(*source, RmaModel::extended);
  ASSERT_GT(events.size(), 1100u);
  const auto decoder = std::move(*spool(*source, RmaModel::extended));
  std::vector<EventDecoder::Mark> marks{decoder->position()};
  for (const ViewEvent& e : events) {
    const auto found = *decoder->read();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->time, e.time);
    ASSERT_EQ(found->type, e.type);
    ASSERT_EQ(found->link, e.link);
    ASSERT_EQ(found->enter, 0u);
    marks.push_back(decoder->position());
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(*decoder->read());
    EXPECT_FALSE(*decoder->skip());
    EXPECT_EQ(decoder->position(), marks.back());
  }
  EXPECT_FALSE(decoder->seek(UINT64_MAX));
  EXPECT_EQ(decoder->position(), marks.back());
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    std::size_t at = random.below(events.size());
    ASSERT_TRUE(decoder->seek(marks[at]));
    for (std::uint32_t n = random.below(3); n > 0 && at + 1 < events.size(); --n, ++at) ASSERT_TRUE(*decoder->skip());
    const auto found = *decoder->read();
    ASSERT_EQ(found->time, events[at].time);
    ASSERT_EQ(found->ordinal, events[at].ordinal);
    ASSERT_EQ(found->location, events[at].location);
    ASSERT_EQ(decoder->position(), marks[at + 1]);
  }
}

TEST(SpooledDecoder, FullDiskIsAnError) {
  naive::RandomTraceOptions options;
  options.steps = 2000;
  const auto source = naive::random_trace(options);
  const auto view = std::move(*View::make(*source, RmaModel::extended));
  // Room for the view's index, not for the spool behind it.
  const rlim_t room = (view->index_bytes() + view->size() * sizeof(ViewEvent)) / 2;
  ASSERT_LT(view->index_bytes(), room);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{room, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto decoder = spool(*source, RmaModel::extended);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().kind, ErrorKind::system);
  EXPECT_EQ(decoder.error().what, "cannot spool the trace");
}

}  // namespace
}  // namespace mora::trace::earl
