// Random traces with random marks at random places: what comes out nests, goes forward in time, and without what was
// put in is what went in without the marks.
#include <algorithm>
#include <utility>

#include "support/trace/interval_text.h"
#include "support/trace/random_trace.h"
#include "trace/mpi_function.h"

namespace mora::trace {
namespace {

using naive::Random;
using naive::random_trace;

struct Planted {
  std::unique_ptr<MemorySource> trace;
  std::vector<std::vector<Event>> without;  ///< by location: the events that are no part of whole marks
};

RegionId add_region(MemorySource& trace, const std::string& name, RegionRole role = RegionRole::unknown) {
  Region region;
  region.name = name;
  region.role = role;
  const mpi::FunctionId function = mpi::find(name);
  region.kind = function == mpi::FunctionId::none ? RegionKind::user : RegionKind::mpi;
  region.function = function;
  region.call_site_line = 7;
  trace.defs.regions.push_back(region);
  return static_cast<RegionId>(trace.defs.regions.size() - 1);
}

Event make(EventKind kind, Nanoseconds time, RegionId region = no_id) {
  Event e;
  e.kind = kind;
  e.time = time;
  e.region = region;
  return e;
}

/// Marks between any two events outside of MPI calls; some halves, some unknown; regions around stay as they are.
Planted plant(std::uint64_t seed) {
  Planted planted;
  planted.trace = random_trace({.seed = seed, .steps = 60});
  MemorySource& trace = *planted.trace;
  for (Region& region : trace.defs.regions) {
    region.function = mpi::find(region.name);
    if (region.name == "work1") region.role = RegionRole::interval;
  }
  const RegionId send = add_region(trace, "MPI_Send"), receive = add_region(trace, "MPI_Recv"),
                 both = add_region(trace, "MPI_Sendrecv"), control = add_region(trace, "MPI_Pcontrol");
  Random random(seed * 77);
  planted.without.resize(trace.events.size());
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    const std::uint32_t self = trace.defs.locations[l].rank;
    std::vector<Event> with;
    std::vector<Event>& without = planted.without[l];
    std::uint32_t in_call = 0;
    for (Event event : trace.events[l]) {
      const auto is_mpi = [&] { return trace.defs.regions[event.region].kind == RegionKind::mpi; };
      if (event.kind == EventKind::enter && (in_call != 0 || is_mpi())) ++in_call;
      if (event.kind == EventKind::leave && in_call != 0) --in_call;
      if (event.kind == EventKind::enter && !is_mpi() && random.one_in(3))
        event.tag = static_cast<std::int32_t>(random.next());
      with.push_back(event);
      without.push_back(event);
      if (in_call != 0 || !random.one_in(3)) continue;
      const Nanoseconds t = event.time;
      const auto tag = static_cast<std::int32_t>((random.one_in(2) ? 0xAAu : 0x0Au) << 24 | random.below(3) << 8 |
                                                 (random.one_in(20)  ? 0xCCu
                                                  : random.one_in(2) ? 0xAAu
                                                                     : 0xBBu));
      const bool is_mark = (tag & 0xFF) != 0xCC;
      const auto message = [&](EventKind kind) {
        Event e = make(kind, t);
        e.peer = self;
        e.tag = tag;
        e.comm = 0;
        return e;
      };
      std::vector<Event> put;
      bool whole = is_mark;
      switch (random.below(4)) {
        case 0:
          put = {make(EventKind::enter, t, send),    message(EventKind::send),    make(EventKind::leave, t, send),
                 make(EventKind::enter, t, receive), message(EventKind::receive), make(EventKind::leave, t, receive)};
          if (random.one_in(8)) {  // half
            put.resize(3);
            whole = false;
          }
          break;
        case 1:
          put = {make(EventKind::enter, t, both), message(EventKind::send), message(EventKind::receive),
                 make(EventKind::leave, t, both)};
          break;
        case 2:
          put = {make(EventKind::enter, t, control), make(EventKind::leave, t, control)};
          put[0].tag = tag;
          break;
        default:  // a counter in it
          put = {make(EventKind::enter, t, send),   message(EventKind::send),           make(EventKind::leave, t, send),
                 make(EventKind::metric, t),        make(EventKind::enter, t, receive), message(EventKind::receive),
                 make(EventKind::leave, t, receive)};
          put[3].vector = 0;
          if (whole) without.push_back(put[3]);
      }
      with.insert(with.end(), put.begin(), put.end());
      if (!whole) without.insert(without.end(), put.begin(), put.end());
    }
    trace.events[l] = std::move(with);
  }
  return planted;
}

void check_promises(const std::vector<Event>& events) {
  std::vector<std::pair<RegionId, std::uint32_t>> open;
  Nanoseconds last = 0;
  for (const Event& e : events) {
    ASSERT_GE(e.time, last);
    last = e.time;
    if (e.kind == EventKind::enter) open.emplace_back(e.region, e.interval);
    if (e.kind != EventKind::leave) continue;
    ASSERT_FALSE(open.empty());
    ASSERT_EQ(open.back(), std::make_pair(e.region, e.interval));
    open.pop_back();
  }
  ASSERT_TRUE(open.empty());
}

/// Regions that are intervals become ordinary again; inserted intervals and overhead go.
std::vector<Event> without_intervals(const MemorySource& trace, std::vector<Event> events) {
  std::erase_if(events, [&](const Event& e) {
    if (e.kind == EventKind::overhead_begin || e.kind == EventKind::overhead_end) return true;
    return e.interval != 0 && trace.defs.regions[e.region].role != RegionRole::interval;
  });
  return events;
}

bool same_call(const Event& a, const Event& b) {
  return a.kind == b.kind && a.time == b.time && a.region == b.region && a.peer == b.peer && a.tag == b.tag &&
         a.request == b.request && a.bytes == b.bytes && a.vector == b.vector;
}

TEST(RandomMarks, nest_and_leave_everything_else_as_it_was) {
  std::uint64_t intervals = 0, damaged = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Planted planted = plant(seed);
    IntervalOptions options;
    options.split_iterations = seed % 3 == 0;
    auto source = with_intervals(*planted.trace, options);
    ASSERT_TRUE(source);
    for (LocationId l = 0; l < planted.trace->events.size(); ++l) {
      EventCollector collect;
      ASSERT_TRUE((*source)->read_location(l, collect));
      check_promises(collect.events);
      for (const Event& e : collect.events) intervals += e.kind == EventKind::enter && e.interval != 0 ? 1 : 0;
      const std::vector<Event> rest = without_intervals(*planted.trace, collect.events);
      ASSERT_EQ(rest.size(), planted.without[l].size());
      for (std::size_t i = 0; i < rest.size(); ++i)
        ASSERT_TRUE(same_call(rest[i], planted.without[l][i])) << l << ' ' << i << ' ' << to_string(rest[i].kind);
      EventCollector again;
      ASSERT_TRUE((*source)->read_location(l, again));
      ASSERT_EQ(testing::text(**source, again.events), testing::text(**source, collect.events));
    }
    damaged += testing::damage(**source).empty() ? 0 : 1;
  }
  EXPECT_GT(intervals, 1000U);
  EXPECT_GT(damaged, 100U);
}

TEST(RandomMarks, phases_nest_too) {
  std::uint64_t phases = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Planted planted = plant(seed);
    IntervalOptions options;
    options.phases = Phases::always;
    auto source = with_intervals(*planted.trace, options);
    auto plain = with_intervals(*planted.trace, {});
    ASSERT_TRUE(source && plain);
    for (LocationId l = 0; l < planted.trace->events.size(); ++l) {
      EventCollector collect, expected;
      ASSERT_TRUE((*source)->read_location(l, collect));
      ASSERT_TRUE((*plain)->read_location(l, expected));
      check_promises(collect.events);
      phases += collect.events.size() - expected.events.size();
      const auto rest = without_intervals(*planted.trace, collect.events);
      ASSERT_EQ(rest.size(), without_intervals(*planted.trace, expected.events).size());
    }
  }
  EXPECT_GT(phases, 0U);
}

}  // namespace
}  // namespace mora::trace
