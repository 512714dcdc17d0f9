/// What must not change a result, or only in a known way: on random programs of everything (README.md).
#include "metamorphic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/metric_info.h"
#include "analysis/metrics/classification.h"

namespace mora::exhaustive {
namespace {

constexpr std::uint64_t programs = 150;  ///< of each kind of times, half of them damaged

struct Case {
  std::uint64_t seed;
  Ticks ticks;
  const GoldenProgram* golden;  ///< nullptr: random
  trace::MemorySource program() const {
    return golden != nullptr ? varied(golden->source, seed, ticks) : random_program(seed, ticks, seed % 2 == 0);
  }
  std::string text() const {
    return (golden != nullptr ? golden->name : "random") + " seed " + std::to_string(seed) + " ticks " +
           std::to_string(static_cast<int>(ticks));
  }
};

/// Stops at the third failure: the rest would say the same.
template <class Check>
void for_all(const std::vector<Ticks>& kinds, const Check& check) {
  static const std::vector<GoldenProgram> golden = golden_programs();
  EXPECT_GT(golden.size(), 100U);
  int failures = 0;
  const auto broken = [&](const Case& each) {
    const std::string what = check(each);
    if (!what.empty()) ADD_FAILURE() << each.text() << "\n" << what;
    return !what.empty() && ++failures == 3;
  };
  for (const Ticks ticks : kinds) {
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
      if (broken({seed, ticks, nullptr})) return;
    }
    for (const GoldenProgram& each : golden) {
      if (broken({golden.size() + static_cast<std::uint64_t>(&each - golden.data()), ticks, &each})) return;
    }
  }
}

const std::vector<Ticks> all_ticks = {Ticks::few, Ticks::together, Ticks::apart};

analysis::AnalysisResult analysed(trace::MemorySource source, analysis::AnalyzeOptions options = {}) {
  if (options.workers == 0) options.workers = 1;
  auto result = analysis::analyze(source, "random", options);
  EXPECT_TRUE(result.has_value());
  return result ? std::move(*result) : analysis::AnalysisResult{};
}

NamedCells without(const NamedCells& cells, bool (*is_out)(const std::string&)) {
  NamedCells rest;
  for (const auto& cell : cells) {
    if (!is_out(std::get<0>(cell.first))) rest.insert(cell);
  }
  return rest;
}

TEST(Metamorphic, AccountsBalance) {
  std::map<std::string, int> seen;
  for_all(all_ticks, [&](const Case& each) {
    const auto source = each.program();
    const auto result = analysed(source);
    for (const auto& wait : result.wait_metrics) ++seen[result.cube.metrics[wait.metric].id];
    return broken_account(result, source);
  });
  for (const analysis::MetricInfo& info : analysis::all_metrics()) {
    if (info.delay == analysis::DelayClass::none) continue;
    EXPECT_GT(seen[std::string(info.id)], 0) << "nobody waits in " << info.id;
  }
}

TEST(Metamorphic, ShiftedClocksChangeNothing) {
  for_all(all_ticks, [](const Case& each) {
    const std::string before = everything(analysed(each.program()));
    for (const Nanoseconds shift : {Nanoseconds{1}, Nanoseconds{1'000'000'007}, Nanoseconds{1} << 60}) {
      auto source = each.program();
      change_times(source, 1, shift);
      if (everything(analysed(source), shift) != before) return "shifted by " + std::to_string(shift);
    }
    return std::string();
  });
}

TEST(Metamorphic, PermutedRanksPermuteTheResult) {
  for_all({Ticks::together, Ticks::apart}, [](const Case& each) {
    const auto source = each.program();
    const auto before = analysed(source);
    std::vector<std::uint32_t> to(source.defs.world_size);
    for (std::uint32_t r = 0; r < to.size(); ++r) to[r] = r;
    std::rotate(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(each.seed / 2 % to.size()), to.end());
    if (each.seed % 3 == 0) std::reverse(to.begin(), to.end());
    auto moved = source;
    const auto place = permute_ranks(moved, to);
    const auto after = analysed(moved);
    NamedCells wanted;
    for (const auto& [where, amount] : named_cells(before.cube)) {
      wanted[{std::get<0>(where), std::get<1>(where), place[std::get<2>(where)]}] = amount;
    }
    // Equal shares are rounded by the numbers of call paths.
    const std::string different =
        difference(without(wanted, is_of_causes), without(named_cells(after.cube), is_of_causes));
    if (!different.empty()) return different;
    for (const char* metric : {"waits-by-origin", "critical-path", "delay-costs"}) {
      const auto m = before.cube.find_metric(metric);
      if (before.cube.total(m) != after.cube.total(m)) return std::string(metric);
    }
    return damage_counts(before) == damage_counts(after) ? std::string() : "damage is counted otherwise";
  });
}

TEST(Metamorphic, PartitionsWorkersAndWindowsNeverShow) {
  for_all(all_ticks, [](const Case& each) {
    const std::string one = everything(analysed(each.program()));
    for (const unsigned n : {2U, 3U, 5U}) {
      for (const std::uint64_t window : {each.seed % 2 * 7, std::uint64_t{1}}) {
        analysis::AnalyzeOptions options;
        options.workers = each.seed % 16 == 0 ? n : 1;
        options.partitions = n;
        options.window = window;
        if (each.seed % 8 == 0) options.memory = std::uint64_t{1} << 30;
        const std::string other = everything(analysed(each.program(), options));
        if (other == one) continue;
        const auto at = static_cast<std::size_t>(
            std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
        const auto from = at < 200 ? 0 : at - 200;
        return std::to_string(n) + " partitions, window " + std::to_string(window) + "\n" + one.substr(from, 400) +
               "\n---\n" + other.substr(from, 400);
      }
    }
    return std::string();
  });
}

TEST(Metamorphic, AnIdleRankMakesNobodyWait) {
  for_all(all_ticks, [](const Case& each) {
    auto source = each.program();
    if (is_of_the_world(source)) return std::string();
    const auto before = analysed(source);
    const auto idle = static_cast<std::uint32_t>(source.defs.locations.size());
    add_idle_rank(source);
    const auto after = analysed(source);
    NamedCells others;
    for (const auto& cell : named_cells(after.cube)) {
      if (std::get<2>(cell.first) != idle) others.insert(cell);
    }
    const std::string different =
        difference(without(named_cells(before.cube), is_of_means), without(others, is_of_means));
    if (!different.empty()) return different;
    return damage_counts(before) == damage_counts(after) ? std::string() : "damage is counted otherwise";
  });
}

TEST(Metamorphic, LongerSecondsScaleTheWaits) {
  for_all(all_ticks, [](const Case& each) {
    const auto before = analysed(each.program());
    for (const Nanoseconds factor : {2, 3, 1000}) {
      auto source = each.program();
      change_times(source, factor, 0);
      const auto after = analysed(source);
      NamedCells wanted;
      for (const auto& [where, amount] : named_cells(before.cube)) {
        const bool time = before.cube.metrics[before.cube.find_metric(std::get<0>(where))].unit == cube::Unit::seconds;
        wanted[where] = time ? amount * factor : amount;
      }
      const auto rounded = [](const std::string& metric) {  // the last two: shares of what a counter gained
        return is_of_causes(metric) || is_of_means(metric) || metric == "not-running" ||
               metric == "computation-without-core";
      };
      const std::string different = difference(without(wanted, rounded), without(named_cells(after.cube), rounded));
      if (!different.empty()) return "times " + std::to_string(factor) + "\n" + different;
      if (damage_counts(before) != damage_counts(after)) return std::string("damage is counted otherwise");
      for (const char* metric : {"waits-by-origin", "critical-path"}) {
        const auto m = before.cube.find_metric(metric);
        if (before.cube.total(m) * factor != after.cube.total(m)) return std::string(metric);
      }
    }
    return std::string();
  });
}

TEST(Metamorphic, WithoutCausesTheRestStays) {
  for_all(all_ticks, [](const Case& each) {
    analysis::AnalyzeOptions options;
    options.causes = false;
    const auto whole = analysed(each.program()), part = analysed(each.program(), options);
    const std::string different = difference(without(named_cells(whole.cube), is_of_causes), named_cells(part.cube));
    if (!different.empty()) return different;
    const auto needs_causes = std::count_if(whole.waits.begin(), whole.waits.end(), [&](const auto& wait) {
      return is_of_causes(whole.cube.metrics[wait.metric].id);
    });
    return damage_counts(whole) == damage_counts(part) && whole.checks.size() == part.checks.size() &&
                   whole.waits.size() == part.waits.size() + static_cast<std::size_t>(needs_causes)
               ? std::string()
               : "damage, checks or waits differ";
  });
}

/// Marks of intervals at places that the seed chooses, on the first thread of every rank; nested, never inside the call
/// of a library.
void add_intervals(trace::MemorySource& source, std::uint64_t seed) {
  trace::Region region;
  region.name = "marked";
  region.role = trace::RegionRole::interval;
  const auto marked = static_cast<trace::RegionId>(source.defs.regions.size());
  source.defs.regions.push_back(region);
  const auto traits = analysis::classify_regions(source.defs);
  for (trace::LocationId l = 0; l < source.defs.locations.size(); ++l) {
    if (source.defs.locations[l].thread != 0 || l >= source.events.size()) continue;
    std::vector<trace::Event> events;
    struct Frame {
      bool is_call, has_interval;
    };
    std::vector<Frame> stack{{false, false}};
    const auto mark = [&](trace::EventKind kind, Nanoseconds time, std::int32_t id) {
      trace::Event event;
      event.kind = kind;
      event.region = marked;
      event.time = time;
      event.tag = id;
      events.push_back(event);
    };
    std::uint64_t choice = seed * 0x9E3779B97F4A7C15ULL + l;
    const auto chance = [&](unsigned of) {
      return (choice = choice * 6364136223846793005ULL + 1442695040888963407ULL) >> 33 & (of - 1);
    };
    const trace::Event* before = nullptr;
    for (const trace::Event& event : source.events[l]) {
      // Nothing may lie between the polls of a loop (Mora's rule poll-loops).
      const bool polls = before != nullptr && before->kind == trace::EventKind::leave &&
                         event.kind == trace::EventKind::enter && before->region == event.region &&
                         event.region < marked && traits[event.region].is_poll;
      before = &event;
      if (polls) {
        events.push_back(event);
        stack.push_back({true, false});
        continue;
      }
      const bool leaves = event.kind == trace::EventKind::leave && stack.size() > 1;
      if (stack.back().has_interval && (leaves || chance(4) == 0)) {
        mark(trace::EventKind::leave, event.time, 0);
        stack.back().has_interval = false;
      }
      if (!stack.back().is_call && !leaves && !stack.back().has_interval && chance(4) == 0) {
        mark(trace::EventKind::enter, event.time, static_cast<std::int32_t>(chance(2)));
        stack.back().has_interval = true;
      }
      events.push_back(event);
      if (leaves) stack.pop_back();
      if (event.kind == trace::EventKind::enter) {
        const bool in_call = stack.back().is_call;
        const bool is_call = event.region < marked && traits[event.region].keeps_own();
        stack.push_back({in_call || is_call, false});
      }
    }
    if (stack.back().has_interval && !events.empty()) mark(trace::EventKind::leave, events.back().time, 0);
    source.events[l] = std::move(events);
  }
}

/// Sums over call paths: an interval only gives its events another place.
NamedCells over_call_paths(const NamedCells& cells) {
  NamedCells sums;
  for (const auto& [where, amount] : cells) {
    const std::string& metric = std::get<0>(where);
    if (metric == "visits" || metric == "first-execution" || metric == "ideal-network-time") continue;
    sums[{metric, "", std::get<2>(where)}] += amount;
  }
  return sums;
}

TEST(Metamorphic, IntervalsChangeNoSum) {
  for_all(all_ticks, [](const Case& each) {
    auto source = each.program();
    add_intervals(source, each.seed);
    const auto before = analysed(each.program()), after = analysed(source);
    const auto places = [](const std::string& metric) { return is_of_causes(metric) || is_of_means(metric); };
    const std::string different = difference(over_call_paths(without(named_cells(before.cube), places)),
                                             over_call_paths(without(named_cells(after.cube), places)));
    if (!different.empty()) return different;
    // Delays are differences per call path (causes.h): they do depend on where the call paths part.
    for (const char* metric : {"waits-by-origin", "critical-path"}) {
      const auto m = before.cube.find_metric(metric);
      if (before.cube.total(m) != after.cube.total(m)) return std::string(metric);
    }
    return damage_counts(before) == damage_counts(after) ? std::string() : "damage is counted otherwise";
  });
}

}  // namespace
}  // namespace mora::exhaustive
