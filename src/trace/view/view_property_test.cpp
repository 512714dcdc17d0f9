// Every view of thousands of random small traces equals the naive model's: events, pointers, states, columns, counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>

#include "support/fault_stride.h"
#include "support/scratch_directory.h"
#include "support/trace/naive_merge.h"
#include "support/trace/naive_model.h"
#include "support/trace/random_trace.h"
#include "trace/view/view.h"

namespace mora::trace::naive {
namespace {

/// All that the type has, as text: differences can be read in the message.
std::string describe(const ViewEvent& e) {
  std::ostringstream out;
  out << to_string(e.type) << " t=" << e.time << " at=" << e.location << " recorded=" << e.recorded_on << '/'
      << e.ordinal << " enter=" << e.enter << " link=" << e.link << " forward=" << e.forward;
  switch (e.type) {
    case EarlType::enter:
    case EarlType::exit:
      out << " region=" << e.region;
      break;
    case EarlType::mpicexit:
      out << " region=" << e.region << " comm=" << e.comm << " root=" << e.root << " bytes=" << e.bytes
          << " received=" << e.received << " kind=" << to_string(e.collective);
      break;
    case EarlType::mpiwcexit:
      out << " region=" << e.region << " window=" << e.window << " comm=" << e.comm << " assert=" << e.assertion;
      break;
    case EarlType::mpiwexit:
      out << " region=" << e.region << " window=" << e.window << " group=" << e.group << " synex=" << e.synex
          << " assert=" << e.assertion;
      break;
    case EarlType::send:
    case EarlType::recv:
      out << " peer=" << e.peer << " tag=" << e.tag << " comm=" << e.comm << " bytes=" << e.bytes;
      break;
    case EarlType::wlock:
    case EarlType::wunlock:
      out << " peer=" << e.peer << " window=" << e.window << " exclusive=" << e.exclusive << " assert=" << e.assertion;
      break;
    case EarlType::nbc_start:
    case EarlType::nbc_end:
      out << " comm=" << e.comm << " root=" << e.root << " bytes=" << e.bytes << " received=" << e.received
          << " id=" << e.id << " kind=" << to_string(e.collective);
      break;
    case EarlType::wflush:
      out << " peer=" << e.peer << " window=" << e.window << " local=" << e.local;
      break;
    case EarlType::fork:
      out << " peer=" << e.peer;
      break;
    case EarlType::ompcexit:
      out << " region=" << e.region;
      break;
    case EarlType::join:
      break;
    case EarlType::alock:
    case EarlType::rlock:
      out << " id=" << e.id;
      break;
    case EarlType::io_start:
    case EarlType::io_end:
      out << " id=" << e.id << " index=" << e.index << " bytes=" << e.bytes;
      break;
    case EarlType::metric:
    case EarlType::sample:
    case EarlType::user:
      out << " id=" << e.id << " index=" << e.index;
      break;
    default:
      out << " peer=" << e.peer << " window=" << e.window << " id=" << e.id << " bytes=" << e.bytes
          << " received=" << e.received;
  }
  return out.str();
}

std::string list(const std::vector<Position>& positions) {
  std::string text;
  for (const Position p : positions) text += std::to_string(p) + ' ';
  return text;
}

class Comparison {
 public:
  Comparison(const View& view, const NaiveModel& model) : view_(view), model_(model) {}

  void run() {
    ASSERT_EQ(view_.size(), model_.size());
    for (Position p = 1; p <= view_.size(); ++p) event(p);
    if (::testing::Test::HasFailure()) return;
    for (Position p = 0; p <= view_.size(); ++p) state(p);
    locations();
    times();
    columns();
  }

 private:
  void event(Position p) {
    const ViewEvent e = view_.event(p);
    ASSERT_EQ(describe(e), describe(model_.event(p))) << "event " << p;
    EXPECT_EQ(view_.time(p), e.time);
    EXPECT_EQ(view_.type(p), e.type);
    EXPECT_EQ(view_.location(p), e.location);
    EXPECT_EQ(view_.enter(p), e.enter);
    EXPECT_EQ(view_.link(p), e.link);
    EXPECT_EQ(view_.forward(p), e.forward);
    EXPECT_EQ(view_.region(p), e.region);
    EXPECT_EQ(!view_.detail(p), e.type == EarlType::enter || e.type == EarlType::exit);
    std::vector<RegionId> path;
    for (Position q = e.type == EarlType::enter ? p : e.enter; q != 0; q = model_.event(q).enter)
      path.insert(path.begin(), model_.event(q).region);
    EXPECT_EQ(view_.call_path(p), path) << "event " << p;
  }

  void state(Position at) {
    for (LocationId l = 0; l < view_.definitions().locations.size(); ++l)
      ASSERT_EQ(list(view_.stack(l, at)), list(model_.stack(l, at))) << "stack of location " << l << " in state " << at;
    ASSERT_EQ(list(view_.queue(at)), list(model_.queue(at))) << "queue in state " << at;
    for (std::uint32_t d = 0; d < view_.definitions().world_size; ++d) {
      ASSERT_EQ(list(view_.queue(at, d)), list(model_.queue(at, d))) << "queue to " << d << " in state " << at;
      for (std::uint32_t s = 0; s < view_.definitions().world_size; ++s)
        ASSERT_EQ(list(view_.queue(at, d, s)), list(model_.queue(at, d, s)))
            << "queue from " << s << " to " << d << " in state " << at;
    }
    ASSERT_EQ(list(view_.transfers(at)), list(model_.transfers(at))) << "transfers in state " << at;
    ASSERT_EQ(list(view_.origins(at)), list(model_.origins(at))) << "origins in state " << at;

    std::map<std::pair<WindowId, std::uint32_t>, std::vector<Position>> locks;
    for (const Position p : model_.state(at).locks) {
      const ViewEvent& e = model_.event(p);
      if (e.type == EarlType::wlock) locks[{e.window, e.peer}].push_back(p);
    }
    const auto found = view_.locks(at);
    EXPECT_EQ(std::count_if(found.begin(), found.end(), [](const LockState& s) { return !s.requested.empty(); }),
              static_cast<std::ptrdiff_t>(locks.size()));
    for (const LockState& lock : found) {
      if (lock.requested.empty()) continue;
      EXPECT_EQ(list(lock.requested), list(locks[std::make_pair(lock.window, lock.target)])) << "locks in state " << at;
    }

    // Everybody inside a collective operation is listed once; whoever is listed together is in the same operation.
    std::vector<Position> inside, listed;
    for (const Position p : model_.state(at).activations) {
      if (collective(p)) inside.push_back(p);
    }
    for (const OpenCollective& c : view_.collectives(at)) {
      EXPECT_TRUE(std::is_sorted(c.inside.begin(), c.inside.end()));
      for (const Position p : c.inside) {
        listed.push_back(p);
        EXPECT_EQ(model_.event(model_.event(p).forward).comm, c.comm) << "collectives in state " << at;
      }
    }
    std::sort(listed.begin(), listed.end());
    EXPECT_EQ(list(listed), list(inside)) << "collectives in state " << at;
  }
  bool collective(Position enter) const {
    const Position out = model_.event(enter).forward;
    return out != 0 && (model_.event(out).type == EarlType::mpicexit || model_.event(out).type == EarlType::mpiwcexit);
  }

  void locations() {
    for (LocationId l = 0; l < view_.definitions().locations.size(); ++l) {
      std::vector<Position> on;
      for (Position p = 1; p <= model_.size(); ++p) {
        if (model_.event(p).location == l) on.push_back(p);
        EXPECT_EQ(view_.last_on(l, p), on.empty() ? 0 : on.back());
      }
      EXPECT_EQ(view_.last_on(l, 0), 0u);
      ASSERT_EQ(view_.count_on(l), on.size());
      for (std::uint64_t n = 0; n < on.size(); ++n) EXPECT_EQ(view_.nth_on(l, n), on[n]);
    }
  }

  /// First and last time that any record has, events of the view or not; (0, 0) without records.
  std::pair<Nanoseconds, Nanoseconds> records() const {
    struct Times : EventSink {
      std::vector<Nanoseconds> all;
      void on_event(const Event& e) override {
        all.push_back(e.time);
        if (e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic)
          all.push_back(e.end_time == at_leave ? e.time : e.end_time);
      }
    } times;
    for (LocationId l = 0; l < view_.definitions().locations.size(); ++l)
      EXPECT_TRUE(view_.source().read_location(l, times).has_value());
    if (times.all.empty()) return {0, 0};
    const auto [first, last] = std::minmax_element(times.all.begin(), times.all.end());
    return {*first, *last};
  }

  void times() {
    Nanoseconds last = 0;
    for (Position p = 1; p <= model_.size(); ++p) last = std::max(last, model_.event(p).time);
    const MeasuredTime& measured = view_.measured();
    EXPECT_EQ(std::pair(measured.begin(), measured.end()), records());
    if (model_.size() != 0) {
      EXPECT_LE(measured.begin(), model_.event(1).time);
      EXPECT_GE(measured.end(), last);
    }
    for (Nanoseconds t = -1; t <= last + 1; ++t) {
      Position expected = 0;
      for (Position p = 1; p <= model_.size(); ++p) {
        if (model_.event(p).time <= t) expected = p;
      }
      ASSERT_EQ(view_.at_time(t), expected) << "time " << t;
    }
  }

  void columns() {
    const EventColumns& c = view_.columns();
    ASSERT_EQ(c.size, model_.size());
    for (Position p = 1; p <= model_.size(); ++p) {
      const ViewEvent& e = model_.event(p);
      const bool plain = e.type == EarlType::enter || e.type == EarlType::exit;
      ASSERT_EQ(c.time[p - 1], e.time);
      ASSERT_EQ(c.type[p - 1], e.type);
      ASSERT_EQ(c.location[p - 1], e.location);
      ASSERT_EQ(c.enter[p - 1], e.enter);
      ASSERT_EQ(c.forward[p - 1], e.forward);
      ASSERT_EQ(c.ordinal[p - 1], e.ordinal);
      if (plain) {
        ASSERT_EQ(c.region(p - 1), e.region);
      } else {
        ASSERT_LT(c.row(p - 1), c.details);
        const EventDetail of_columns = c.detail_of(p - 1), of_view = *view_.detail(p);
        ASSERT_EQ(std::memcmp(&of_columns, &of_view, sizeof of_view), 0);
        ASSERT_EQ(view_.detail(p)->link, e.link);
      }
    }
  }

  const View& view_;
  const NaiveModel& model_;
};

std::map<std::string, std::uint64_t> damage(const View& view, const Merged& merged) {
  std::map<std::string, std::uint64_t> counts;
  for (const QualityRow& row : view.quality().rows()) {
    if (merged.damage.contains(row.kind)) counts[row.kind] += row.count;
  }
  return counts;
}

/// A view of the beginning holds the wanted events as the whole view does, but for links to what comes later.
void compare_beginning(Source& trace, const View& whole, std::uint64_t seed) {
  Beginning beginning;
  beginning.events = seed % 23;
  if (seed % 3 == 0) beginning.until = static_cast<Nanoseconds>(seed % 41);
  const bool only_one_type = seed % 2 == 0;
  const auto wanted = static_cast<EarlType>(seed / 2 % 12);
  beginning.accepts = [&](LocationId location, EarlType type, Nanoseconds) {
    return only_one_type ? type == wanted : location % 2 == seed / 2 % 2;
  };
  ViewOptions options;
  options.model = whole.model();
  options.beginning = &beginning;
  const auto cut = View::make(trace, options);
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_EQ(beginning.all, whole.size());
  std::uint64_t left = beginning.events;
  for (Position p = 1; p <= whole.size() && left > 0 && whole.time(p) <= beginning.until; ++p) {
    if (!beginning.accepts(whole.location(p), whole.type(p), whole.time(p))) continue;
    --left;
    ASSERT_LE(p, (*cut)->size()) << "seed " << seed;
    ViewEvent expected = whole.event(p), got = (*cut)->event(p);
    expected.forward = got.forward = 0;
    ASSERT_EQ(describe(got), describe(expected)) << "event " << p << " of the beginning, seed " << seed;
  }
}

void compare(const RandomTraceOptions& options, RmaModel model) {
  const auto trace = random_trace(options);
  const Merged merged = merge(*trace, model);
  const NaiveModel naive(trace->defs, merged.events);
  auto view = View::make(*trace, model);
  ASSERT_TRUE(view) << view.error().text();
  Comparison(**view, naive).run();
  EXPECT_EQ(damage(**view, merged), merged.damage);
  compare_beginning(*trace, **view, options.seed);
}

void compare_many(RandomTraceOptions options, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; seed += fault_stride()) {
    options.seed = seed;
    for (const RmaModel model : {RmaModel::basic, RmaModel::extended}) {
      compare(options, model);
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "seed " << seed << " steps " << options.steps << (model == RmaModel::basic ? " basic" : " extended");
    }
  }
}

RandomTraceOptions only(bool rma, bool collectives, bool damage, std::uint32_t steps) {
  RandomTraceOptions options;
  options.others = options.samples = collectives;
  options.rma = rma;
  options.collectives = collectives;
  options.damage = damage;
  options.steps = steps;
  return options;
}

// A generator that has stopped making something would let errors pass.
TEST(ViewProperty, ProgramsHoldEverything) {
  std::map<EarlType, std::uint64_t> types;
  std::map<std::string, std::uint64_t> kinds;
  std::uint64_t equal = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomTraceOptions options = only(true, true, true, 60);
    options.seed = seed;
    const auto trace = random_trace(options);
    const Merged merged = merge(*trace, RmaModel::extended);
    for (const auto& [kind, count] : merged.damage) kinds[kind] += count;
    for (std::size_t i = 0; i < merged.events.size(); ++i) {
      ++types[merged.events[i].type];
      if (i > 0 && merged.events[i].time == merged.events[i - 1].time) ++equal;
      if (merged.events[i].recorded_on != merged.events[i].location) ++moved;
    }
  }
  for (const EarlType type :
       {EarlType::enter,   EarlType::exit,       EarlType::mpicexit,   EarlType::mpiwcexit, EarlType::mpiwexit,
        EarlType::send,    EarlType::recv,       EarlType::put_1ts,    EarlType::put_1te,   EarlType::get_1to,
        EarlType::get_1ts, EarlType::get_1te,    EarlType::wlock,      EarlType::wunlock,   EarlType::ompcexit,
        EarlType::fork,    EarlType::join,       EarlType::alock,      EarlType::rlock,     EarlType::nbc_start,
        EarlType::nbc_end, EarlType::atomic_1ts, EarlType::atomic_1te, EarlType::wflush,    EarlType::io_start,
        EarlType::io_end,  EarlType::metric,     EarlType::sample,     EarlType::user})
    EXPECT_GT(types[type], 30u) << to_string(type);
  for (const char* kind : {"unmatched-send", "unmatched-receive", "message-across-gap", "receive-before-send",
                           "unreleased-transfer", "release-before-transfer", "transfer-to-unknown-rank"})
    EXPECT_GT(kinds[kind], 10u) << kind;
  EXPECT_GT(equal, 10000u);
  EXPECT_GT(moved, 500u);
}

// The same view out of memory, out of a file just written, by one worker or several, and out of a file reopened.
TEST(ViewProperty, FilesAndWorkersChangeNothing) {
  const ScratchDirectory scratch;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomTraceOptions program = only(true, true, true, 60);
    program.seed = seed;
    const auto trace = random_trace(program);
    ViewOptions options;
    options.model = seed % 2 == 0 ? RmaModel::basic : RmaModel::extended;
    const Merged merged = merge(*trace, options.model);
    const NaiveModel naive(trace->defs, merged.events);
    options.index_file = scratch.path("view.index");
    options.fingerprint = seed;
    options.keep_from = 0;
    for (int round = 0; round < 3; ++round) {
      options.workers = round == 0 ? 1 : 3;
      if (round == 1) std::remove(options.index_file.c_str());
      auto view = View::make(*trace, options);
      ASSERT_TRUE(view) << view.error().text();
      EXPECT_EQ((*view)->reopened(), round == 2);
      Comparison(**view, naive).run();
      EXPECT_EQ(damage(**view, merged), merged.damage);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << " round " << round;
    }
  }
}

// Tiny traces first: what fails there is easily read.
TEST(ViewProperty, MessagesOfTinyPrograms) { compare_many(only(false, false, false, 8), 1, 400); }
TEST(ViewProperty, TransfersOfTinyPrograms) { compare_many(only(true, false, false, 8), 1000, 400); }
TEST(ViewProperty, SoundPrograms) { compare_many(only(true, true, false, 40), 2000, 150); }
TEST(ViewProperty, DamagedMessages) { compare_many(only(false, true, true, 40), 3000, 150); }
TEST(ViewProperty, DamagedPrograms) { compare_many(only(true, true, true, 40), 4000, 200); }
TEST(ViewProperty, LongerPrograms) { compare_many(only(true, true, true, 250), 5000, 10); }

}  // namespace
}  // namespace mora::trace::naive
