// Every location is read once and says which regions could be the head of its outer loop (loops.h). Which one it is,
// all decide together: one region for as many locations as possible, if it covers nearly as much of each one's time as
// the best of its own; among several the one with the longest period (the outer loop rather than an inner one), then
// the earliest in the loop's body.
#include "trace/intervals/phases.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>

#include "base/worker_pool.h"
#include "trace/intervals/loops.h"
#include "trace/intervals/visits.h"

namespace mora::trace {
namespace {

/// A region as the head of several locations' loops.
struct Choice {
  RegionId head = no_id;
  std::uint64_t iterations = 0;
  std::size_t whole =
      0;  ///< loops whose last iteration ends like the others: their head is where the loop's body begins
  Nanoseconds covered = 0, begin = 0;
  std::vector<std::pair<LocationId, const LoopCandidate*>> loops;
};

using Candidates = std::vector<std::vector<LoopCandidate>>;  ///< by location

/// Heads of loops that cover at least `tenths` of what each location's best one covers.
std::vector<Choice> choices(const Candidates& candidates, Nanoseconds tenths) {
  std::map<RegionId, Choice> by_head;
  for (LocationId l = 0; l < candidates.size(); ++l) {
    Nanoseconds best = 0;
    for (const LoopCandidate& one : candidates[l]) best = std::max(best, one.covered);
    for (const LoopCandidate& one : candidates[l]) {
      if (one.covered < best / 10 * tenths) continue;
      Choice& choice = by_head[one.loop.head];
      if (!choice.loops.empty() && choice.loops.back().first == l) continue;  // found further out already
      choice.head = one.loop.head;
      choice.iterations += one.loop.iterations;
      choice.whole += one.loop.tail != no_id ? 1 : 0;
      choice.covered += one.covered;
      choice.begin += one.begin;
      choice.loops.emplace_back(l, &one);
    }
  }
  std::vector<Choice> all;
  for (auto& [head, choice] : by_head) all.push_back(std::move(choice));
  return all;
}

/// Of those on most locations the one with the longest period; one iteration more or less per location is the same
/// period.
Choice best_of(std::vector<Choice> all, std::size_t least_locations) {
  std::size_t most = 0;
  for (const Choice& one : all) most = std::max(most, one.loops.size());
  if (most == 0 || most < least_locations) return {};
  std::erase_if(all, [most](const Choice& one) { return one.loops.size() < most; });
  std::uint64_t fewest = UINT64_MAX;
  for (const Choice& one : all) fewest = std::min(fewest, one.iterations);
  std::erase_if(all, [&](const Choice& one) { return one.iterations > fewest + most; });
  return *std::min_element(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
    if (a.whole != b.whole) return a.whole > b.whole;
    if (a.covered != b.covered) return a.covered > b.covered;
    return a.begin != b.begin ? a.begin < b.begin : a.head < b.head;
  });
}

/// What a run of the same calls before the loop adds to it on some locations.
std::uint64_t few_more(std::uint64_t iterations) { return std::max<std::uint64_t>(2, iterations / 20); }

/// The loop without what it has more than `iterations`: its first ones if it begins before the others' loops do, else
/// its last ones.
LoopCandidate cut_to(LoopCandidate one, std::uint64_t iterations, Nanoseconds others_begin) {
  const std::uint64_t more = one.loop.iterations - iterations;
  const Nanoseconds each = one.covered / static_cast<Nanoseconds>(one.loop.iterations);
  one.loop.iterations = iterations;
  one.covered -= each * static_cast<Nanoseconds>(more);
  if (2 * (others_begin - one.begin) > each) {
    one.loop.first += more * one.loop.calls_apart;
    one.begin = others_begin;
  } else if (more != 0) {
    one.loop.tail = no_id;
  }
  return one;
}

/// Only the candidates with so many iterations as every location has one of, or few more: ranks at the borders of a
/// grid call at other places than those inside it, but step equally often. Of such numbers the least, since the outer
/// loop is meant; but of those that differ from it by few the one that most locations have (of equal ones the larger,
/// unless all have it). Those with more are cut to it. Empty if there is no such number.
Candidates equally_often(const Candidates& candidates, Nanoseconds tenths) {
  Candidates good(candidates.size());
  std::map<std::uint64_t, std::size_t> locations;  // by number of iterations
  std::size_t all = 0;
  for (LocationId l = 0; l < candidates.size(); ++l) {
    all += candidates[l].empty() ? 0 : 1;
    Nanoseconds least = 0;
    for (const LoopCandidate& one : candidates[l]) least = std::max(least, one.covered / 10 * tenths);
    std::set<std::uint64_t> here;
    for (const LoopCandidate& one : candidates[l]) {
      if (one.covered < least) continue;
      good[l].push_back(one);
      here.insert(one.loop.iterations);
    }
    for (const std::uint64_t n : here) ++locations[n];
  }
  const auto all_have = [&](std::uint64_t n) {
    return std::all_of(good.begin(), good.end(), [n](const std::vector<LoopCandidate>& here) {
      return here.empty() || std::any_of(here.begin(), here.end(), [n](const LoopCandidate& one) {
               return one.loop.iterations >= n && one.loop.iterations <= n + few_more(n);
             });
    });
  };
  const auto least =
      std::find_if(locations.begin(), locations.end(), [&](const auto& one) { return all_have(one.first); });
  if (least == locations.end()) return {};
  auto found = least;
  for (auto one = least; one != locations.end() && one->first <= least->first + few_more(least->first); ++one) {
    const bool is_better = one->second > found->second || (one->second == found->second && found->second < all);
    if (is_better && all_have(one->first)) found = one;
  }
  const std::uint64_t iterations = found->first;
  const std::uint64_t most = iterations + few_more(iterations);
  Nanoseconds begin = INT64_MIN;  // of the latest that has just so many
  for (const auto& here : good) {
    for (const LoopCandidate& one : here)
      if (one.loop.iterations == iterations) begin = std::max(begin, one.begin);
  }
  for (std::vector<LoopCandidate>& here : good) {
    // Who has just so many has no need of others.
    const bool is_equal = std::any_of(here.begin(), here.end(),
                                      [&](const LoopCandidate& one) { return one.loop.iterations == iterations; });
    std::erase_if(here, [&](const LoopCandidate& one) {
      return one.loop.iterations < iterations || one.loop.iterations > (is_equal ? iterations : most);
    });
    for (LoopCandidate& one : here) one = cut_to(one, iterations, begin);
  }
  return good;
}

/// Chooses a head for every location that has candidates: one for all of them if it covers nine tenths of what each
/// location's best loop covers, else six tenths; else heads that are visited equally often, else the head of most
/// locations; then the rest in the same way.
void choose(Candidates candidates, std::vector<LocationPhases>& phases) {
  while (true) {
    const auto left = static_cast<std::size_t>(
        std::count_if(candidates.begin(), candidates.end(), [](const auto& one) { return !one.empty(); }));
    if (left == 0) return;
    Choice choice = best_of(choices(candidates, 9), left);
    if (choice.head == no_id) choice = best_of(choices(candidates, 6), left);
    if (choice.head == no_id) {
      Candidates alike = equally_often(candidates, 9);
      if (alike.empty()) alike = equally_often(candidates, 6);
      if (!alike.empty()) candidates = std::move(alike);
      choice = best_of(choices(candidates, 9), 1);
    }
    for (const auto& [location, loop] : choice.loops) phases[location] = loop->loop;
    for (const auto& [location, loop] : choice.loops) candidates[location].clear();
  }
}

/// What one process found, as bytes: has it given up, then location and candidate again and again.
std::string packed(bool stopped, const Candidates& candidates) {
  static_assert(std::is_trivially_copyable_v<LoopCandidate>);
  std::string bytes(1, stopped ? 1 : 0);
  const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (LocationId l = 0; l < candidates.size(); ++l) {
    for (const LoopCandidate& one : candidates[l]) {
      put(l);
      put(one);
    }
  }
  return bytes;
}

/// Adds another process's; true if that one has given up.
bool unpack(const std::string& bytes, Candidates& candidates) {
  LocationId location = 0;
  LoopCandidate one;
  for (std::size_t at = 1; at + sizeof location + sizeof one <= bytes.size(); at += sizeof location + sizeof one) {
    std::memcpy(&location, bytes.data() + at, sizeof location);
    std::memcpy(&one, bytes.data() + at + sizeof location, sizeof one);
    if (location < candidates.size()) candidates[location].push_back(one);
  }
  return !bytes.empty() && bytes[0] != 0;
}

/// As many locations at a time as have room. A visit and what the search makes of it take about 80 bytes.
unsigned workers_in(std::uint64_t memory, unsigned workers, Source& source) {
  if (memory == 0) return workers;
  std::uint64_t visits = 1;
  for (LocationId l = 0; l < source.definitions().locations.size(); ++l)
    visits = std::max(visits, std::min<std::uint64_t>(source.event_count_hint(l) / 2, VisitCollector::most_kept));
  const std::uint64_t room = std::max<std::uint64_t>(1, memory / (visits * 80));
  return static_cast<unsigned>(std::min<std::uint64_t>(workers != 0 ? workers : usable_cores(), room));
}

}  // namespace

Result<std::vector<LocationPhases>> find_phases(Source& source, const PhaseSearch& search) {
  const Definitions& definitions = source.definitions();
  const std::size_t count = definitions.locations.size();
  std::vector<LocationPhases> phases(count);
  Candidates candidates(count);
  std::atomic<bool> stopped = false;
  std::atomic<std::size_t> read = 0, tried = 0;
  std::mutex mutex;
  std::optional<Error> error;
  run_tasks(count, workers_in(search.memory, search.workers, source), [&](std::size_t i) {
    const auto location = static_cast<LocationId>(i);
    const Location& who = definitions.locations[location];
    if (stopped || who.kind != LocationKind::cpu || who.thread != 0) return;
    if (!search.is_mine.empty() && !search.is_mine[location]) return;
    ++tried;
    VisitCollector collector(definitions.regions, source.event_count_hint(location),
                             search.most_visits != 0 ? search.most_visits : VisitCollector::most_kept);
    if (auto done = source.read_location(location, collector); !done) {
      const std::scoped_lock lock(mutex);
      if (!error) error = done.error();
      return;
    }
    ++read;
    if (search.stop && search.stop()) {
      stopped = true;
      return;
    }
    candidates[location] = find_loops(collector, definitions.regions.size());
  });
  if (search.gather) {
    MORA_TRY(const std::vector<std::string> all, search.gather(packed(stopped, candidates)));
    candidates.assign(count, {});
    for (const std::string& bytes : all) {
      if (unpack(bytes, candidates)) stopped = true;
    }
  } else if (tried != 0 && read == 0 && error) {
    return tl::unexpected(*error);
  }
  if (!stopped) choose(std::move(candidates), phases);
  return phases;
}

}  // namespace mora::trace
