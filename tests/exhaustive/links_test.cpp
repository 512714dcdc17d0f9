// Everybody who pairs events makes the same pairs, on sound and damaged traces: views, EARL without an index, exports,
// clock correction, replay, analysis, patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "links_consumers.h"
#include "passive.h"
#include "support/trace/naive_links.h"
#include "support/trace/random_trace.h"
#include "trace/links/completions.h"
#include "trace/links/location_ends.h"
#include "trace/readers/text/text_source.h"

namespace mora::links_test {
namespace {

using trace::EventKind;
using trace::MemorySource;

/// Numbers the requests of each location and family as MPI libraries do: the smallest that is free, so that numbers are
/// used again, and the same number stands for a message, a collective operation and a file at one time.
void number_requests(MemorySource& source) {
  for (auto& stream : source.events) {
    std::map<std::pair<bool, std::uint64_t>, std::uint64_t> numbers;  // (file, original)
    std::array<std::set<std::uint64_t>, 3> open;                      // messages, collectives, files
    for (trace::Event& e : stream) {
      const bool is_file = e.kind == EventKind::io_begin || e.kind == EventKind::io_end;
      const bool is_collective = e.kind == EventKind::collective_request || e.kind == EventKind::collective_complete;
      const bool starts = trace::is_request_start(e.kind) || e.kind == EventKind::io_begin;
      const bool ends = e.kind == EventKind::send_complete || e.kind == EventKind::receive_complete ||
                        e.kind == EventKind::cancelled || e.kind == EventKind::collective_complete ||
                        e.kind == EventKind::io_end;
      auto& taken = open[is_file ? 2 : is_collective ? 1 : 0];
      if (starts) {
        std::uint64_t free = 1;
        while (taken.contains(free)) ++free;
        taken.insert(free);
        e.request = numbers[{is_file, e.request}] = free;
      } else if (ends) {
        const auto number = numbers.extract({is_file, e.request});
        if (!number.empty()) taken.erase(number.mapped());
        e.request = number.empty() ? 1 : number.mapped();  // a stray one: it may complete another's
      }
    }
  }
}

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
  number_requests(*source);
  return source;
}

/// Loses some records and lets members of collective operations disagree.
void damage(MemorySource& source, std::uint64_t seed) {
  trace::naive::Random random(seed);
  for (auto& stream : source.events) {
    std::erase_if(stream, [&](const trace::Event& e) {
      const bool is_kept = e.kind == EventKind::enter || e.kind == EventKind::leave ||
                           e.kind == EventKind::recording_off || e.kind == EventKind::recording_on;
      return !is_kept && random.one_in(60);
    });
    for (trace::Event& e : stream) {
      using trace::Collective;
      const bool changes =
          e.kind == EventKind::collective_end && e.collective != Collective::barrier && random.one_in(20);
      if (changes && random.one_in(2)) e.collective = Collective::allreduce;
      if (changes && random.one_in(2)) e.root = 0;
    }
  }
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
  std::uint64_t pairs = 0, against_time = 0, torn = 0, cancelled = 0, sizes = 0, threads = 0, outside = 0,
                instances = 0, epochs = 0, locks = 0, requests = 0, transfers = 0;
};

void compare_messages(MemorySource& source, Seen& seen) {
  const MemorySource& s = source;
  Pairs all, certain;
  for (const auto& m : trace::naive::messages(source).pairs) {
    const Pair pair{End{m.send.location, m.send.ordinal}, End{m.receive.location, m.receive.ordinal}};
    all.insert(pair);
    if (!m.several_threads) certain.insert(pair);
    seen.threads += m.several_threads ? 1 : 0;
  }
  EXPECT_EQ(text(messages_of_replay(source)), text(all)) << "replay";
  const auto against_time = [&](const Pair& p) { return is_against_time(s, p); };
  const Pairs of_view = without(all, against_time);
  EXPECT_EQ(text(messages_of_view(source)), text(of_view)) << "view";
  EXPECT_EQ(text(messages_of_earl(source)), text(of_view)) << "EARL without an index";
  EXPECT_EQ(text(messages_of_arrows(source)), text(of_view)) << "exports";
  EXPECT_EQ(text(messages_of_clocks(source)), text(certain)) << "clocks";
  const auto outside = [&](const Pair& p) { return is_outside_calls(s, p); };
  EXPECT_EQ(text(messages_of_engine(source)), text(without(all, outside))) << "analysis";
  for (const Pair& pair : all) {
    ++seen.pairs;
    seen.against_time += is_against_time(s, pair) ? 1 : 0;
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

void compare_instances(MemorySource& source, Seen& seen) {
  Instances all, blocking, ordering;
  for (const auto& instance : trace::naive::instances(source)) {
    std::set<End> members, left;
    bool orders_all = true;
    for (const auto& r : instance.members) {
      const trace::Event& e = source.events[r.location][r.ordinal];
      const std::uint64_t leave = trace::naive::leave_around(source.events[r.location], r.ordinal);
      members.insert({r.location, r.ordinal});
      if (leave != trace::naive::no_leave && !source.events[r.location][leave].mended)
        left.insert({r.location, r.ordinal});
      orders_all = orders_all && e.kind != EventKind::collective_request && e.collective == trace::Collective::barrier;
    }
    const bool is_blocking =
        source.events[instance.members[0].location][instance.members[0].ordinal].kind != EventKind::collective_request;
    all.insert(members);
    if (is_blocking && left.size() > 1) blocking.insert(left);
    if (orders_all) ordering.insert(members);
    ++seen.instances;
  }
  EXPECT_EQ(text(instances_of_replay(source)), text(all)) << "replay";
  EXPECT_EQ(text(instances_of_view(source)), text(blocking)) << "view";
  EXPECT_EQ(text(instances_of_engine(source)), text(all)) << "analysis";
  const Instances of_clocks = instances_of_clocks(source);
  for (const auto& barrier : ordering) EXPECT_TRUE(of_clocks.contains(barrier)) << "clocks";
  for (const auto& members : of_clocks) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::set<End>& instance) {
      return std::includes(instance.begin(), instance.end(), members.begin(), members.end());
    })) << "clocks";
  }
}

void compare_epochs(MemorySource& source, Seen& seen) {
  Pairs by_edge, by_call, ends, checked;
  const auto is_left = [&](const trace::naive::Record& r) {
    const std::uint64_t leave = trace::naive::leave_around(source.events[r.location], r.ordinal);
    return leave != trace::naive::no_leave && !source.events[r.location][leave].mended;
  };
  for (const auto& epochs : trace::naive::epochs(source)) {
    const auto end = [](const trace::naive::Record& r) { return End{r.location, r.ordinal}; };
    ++seen.epochs;
    const auto is_before_gaps = [&](const trace::naive::Record& r) {
      return trace::naive::stretch(source.events[r.location], r.ordinal) == 0;
    };
    if (is_before_gaps(epochs.post) && is_before_gaps(epochs.start) &&
        !trace::has_other_threads(source.defs, epochs.post.location) &&
        !trace::has_other_threads(source.defs, epochs.start.location))
      checked.insert({end(epochs.post), end(epochs.start)});
    const bool opens = is_left(epochs.start) && is_left(epochs.post);
    if (opens) by_call.insert({end(epochs.post), end(epochs.start)});
    if (epochs.complete) by_edge.insert({end(epochs.post), end(*epochs.complete)});
    if (!epochs.complete || !epochs.close) continue;
    const Pair both{end(*epochs.complete), end(*epochs.close)};
    by_edge.insert(both);
    if (opens && is_left(*epochs.complete) && is_left(*epochs.close)) by_call.insert(both);
    const auto rank = [&](const End& e) { return source.defs.locations[e.location].rank; };
    if (rank(both.first) != rank(both.second)) ends.insert(both);
  }
  EXPECT_EQ(text(epochs_of_replay(source)), text(by_edge)) << "replay, epochs";
  EXPECT_EQ(text(epochs_of_clocks(source)), text(by_edge)) << "clocks, epochs";
  EXPECT_EQ(text(epochs_of_view(source)), text(by_call)) << "view, epochs";
  EXPECT_EQ(text(epochs_of_engine(source)), text(ends)) << "analysis, epochs";
  EXPECT_EQ(text(epochs_of_checks(source)), text(checked)) << "checks, epochs";
}

void compare_requests(MemorySource& source, Seen& seen) {
  const MemorySource& s = source;
  const Pairs all = requests_naively(source);
  seen.requests += all.size();
  EXPECT_EQ(text(requests_of_view(source)), text(without(all, [&](const Pair& p) { return is_of_message(s, p); })))
      << "view, requests";
  EXPECT_EQ(text(requests_of_pattern(source)),
            text(without(all, [&](const Pair& p) { return is_of_file(s, p) || is_outside_calls(s, p); })))
      << "pattern, requests";
}

void compare_locks(MemorySource& source, Seen& seen) {
  const Pairs locks = locks_naively(source);
  seen.locks += locks.size();
  EXPECT_EQ(text(locks_of_replay(source)), text(locks)) << "replay, locks";
  for (const auto& stream : source.events) {
    for (const trace::Event& e : stream) {
      if (e.kind == EventKind::recording_off) return;  // a view does not show gaps
    }
  }
  EXPECT_EQ(text(grants_of_view(source)), text(grants_naively(source))) << "view, locks";
}

void compare_transfers(MemorySource& source, Seen& seen) {
  if (!has_transfers(source)) return;
  const Pairs all = transfers_naively(source);
  seen.transfers += all.size();
  EXPECT_EQ(text(transfers_of_view(source)), text(all)) << "view, transfers";
  EXPECT_EQ(text(transfers_of_earl(source)), text(all)) << "EARL without an index, transfers";
  EXPECT_EQ(text(transfers_of_arrows(source)), text(without(all, [&](const Pair& p) { return is_atomic(source, p); })))
      << "exports, transfers";
}

void compare(const trace::naive::RandomTraceOptions& options, Seen& seen) {
  const auto source = drawn(options);
  if (options.damage) damage(*source, options.seed);
  compare_messages(*source, seen);
  compare_instances(*source, seen);
  compare_epochs(*source, seen);
  compare_requests(*source, seen);
  compare_transfers(*source, seen);
  compare_locks(*source, seen);
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

TEST(Links, OfTinyTraces) { compare_many(1, 2000, 8, true); }

TEST(Links, OfSoundTraces) {
  const Seen seen = compare_many(10000, 500, 60, false);
  EXPECT_GT(seen.pairs, 1500U);
}

// A generator that has stopped making something would let errors pass.
TEST(Links, OfDamagedTraces) {
  const Seen seen = compare_many(20000, 1500, 80, true);
  EXPECT_GT(seen.pairs, 4000U);
  EXPECT_GT(seen.against_time, 100U);
  EXPECT_GT(seen.torn, 1000U);
  EXPECT_GT(seen.cancelled, 500U);
  EXPECT_GT(seen.sizes, 100U);
  EXPECT_GT(seen.threads, 20U);
  EXPECT_GT(seen.outside, 300U);
  EXPECT_GT(seen.instances, 1500U);
  EXPECT_GT(seen.epochs, 1500U);
  EXPECT_GT(seen.locks, 100U);
  EXPECT_GT(seen.requests, 4000U);
  EXPECT_GT(seen.transfers, 500U);
}

/// Locks on two targets by three ranks, their accesses and flushes, in any order and with any times; unlocks that
/// return late.
std::string lock_program(trace::naive::Random& random) {
  std::string text = "mora-trace 1\n";
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    text += "P" + std::to_string(rank) + " " + std::to_string(rank) + "-9000 main";
    std::uint32_t time = 0;
    const auto call = [&](const std::string& what, std::uint32_t longest) {
      const std::uint32_t begin = time + random.below(4), end = begin + 1 + random.below(longest);
      text += "; " + std::to_string(4 * begin + rank) + "-" + std::to_string(4 * end + rank) + " MPI_" + what;
      time = end + 1;
    };
    std::array<bool, 3> holds = {};
    for (int n = 0; n < 16; ++n) {
      const std::uint32_t target = random.below(5) % 3;  // 2: all
      const std::string to = " w0 to " + std::to_string(target), all = target == 2 ? "_all w0" : to;
      const std::string how = target == 2 ? "" : random.one_in(2) ? " shared" : " exclusive";
      switch (random.below(4)) {
        case 0:
        case 1:
          if (holds[target]) call("Win_unlock" + all, 20);
          if (!holds[target]) call("Win_lock" + all + how + (random.one_in(8) ? " assert nocheck" : ""), 10);
          holds[target] = !holds[target];
          break;
        case 2:
          call((random.one_in(2) ? "Put" : "Get") + (" w0 to " + std::to_string(target % 2)), 3);
          break;
        default:
          call((random.one_in(4) ? "Win_flush_local" : "Win_flush") + all, 3);
      }
    }
    text += "\n";
  }
  return text;
}

TEST(Links, OfRandomLocks) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
    trace::naive::Random random(seed);
    const std::string program = lock_program(random);
    auto source = trace::read_trace_text(program);
    ASSERT_TRUE(source) << source.error().text() << program;
    compare_locks(**source, seen);
    EXPECT_FALSE(HasFailure()) << program;
  }
  EXPECT_GT(seen.locks, 4000U);
}

// Every 20th of the programs that exhaustive.passive holds the engine to.
TEST(Links, OfTinyLockPrograms) {
  Seen seen;
  std::uint64_t number = 0;
  exhaustive::for_all_lock_programs([&](MemorySource& source, const std::string& program) {
    if (++number % 20 == 0) compare_locks(source, seen);
    EXPECT_FALSE(::testing::Test::HasFailure()) << program;
    return !::testing::Test::HasFailure();
  });
  EXPECT_GT(seen.locks, 1000U);
}

}  // namespace
}  // namespace mora::links_test
