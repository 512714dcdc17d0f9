#include "predict/scaling/laws/rank_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

namespace mora::predict {
namespace {

using Case = RankCase;
using Extents = std::vector<std::uint32_t>;

std::int64_t modulo(std::int64_t value, std::int64_t ranks) { return ((value % ranks) + ranks) % ranks; }
std::int64_t inside(std::int64_t value, std::int64_t ranks) { return value >= 0 && value < ranks ? value : -1; }
std::int64_t power(std::uint32_t exponent) { return exponent < 31 ? std::int64_t{1} << exponent : INT64_C(1) << 31; }

/// The most balanced extents, the largest first.
void divide(std::uint32_t ranks, std::uint32_t largest, std::size_t left, Extents& so_far, Extents& best) {
  if (left == 1) {
    if (ranks > largest) return;
    so_far.push_back(ranks);
    if (best.empty() || so_far.front() - so_far.back() < best.front() - best.back()) best = so_far;
    so_far.pop_back();
    return;
  }
  for (std::uint32_t extent = std::min(ranks, largest); extent >= 1; --extent) {
    if (ranks % extent != 0) continue;
    so_far.push_back(extent);
    divide(ranks / extent, extent, left - 1, so_far, best);
    so_far.pop_back();
  }
}

struct Place {
  std::vector<std::int64_t> at;
  Extents extents;
};

Place place_of(GridKind kind, std::uint32_t rank, std::uint32_t ranks) {
  Place place;
  place.extents = extents_of(kind, ranks);
  place.at.resize(place.extents.size());
  for (std::size_t d = place.extents.size(); d-- > 0;) {
    place.at[d] = rank % place.extents[d];
    rank /= place.extents[d];
  }
  return place;
}

std::int64_t rank_at(const Place& place) {
  std::int64_t rank = 0;
  for (std::size_t d = 0; d < place.extents.size(); ++d) rank = rank * place.extents[d] + place.at[d];
  return rank;
}

/// The rank so many steps away in each dimension; -1 beyond an end unless `around`.
std::int64_t neighbour(GridKind kind, const Case& c, const std::vector<int>& steps, bool around) {
  Place place = place_of(kind, c.rank, c.ranks);
  for (std::size_t d = 0; d < steps.size(); ++d) {
    place.at[d] += steps[d];
    if (around) place.at[d] = modulo(place.at[d], place.extents[d]);
    if (inside(place.at[d], place.extents[d]) < 0) return -1;
  }
  return rank_at(place);
}

void add_grid_partners(std::vector<RankRule>& rules, const Vocabulary& vocabulary) {
  for (const GridKind kind : grid_kinds) {
    if (!vocabulary.has(kind)) continue;
    const std::size_t dimensions = extents_of(kind, 1).size();
    std::vector<std::vector<int>> all;
    for (int code = 0; code < (dimensions == 2 ? 9 : 27); ++code) {
      std::vector<int> steps;
      for (int rest = code; steps.size() < dimensions; rest /= 3) steps.push_back(rest % 3 - 1);
      if (std::any_of(steps.begin(), steps.end(), [](int s) { return s != 0; })) all.push_back(steps);
    }
    for (const auto& steps : all) {
      for (const bool around : {false, true}) {
        rules.push_back({fmt::format("neighbour {:+d} in the {}{}", fmt::join(steps, ", "), words_of(kind),
                                     around ? ", around the ends" : ""),
                         [=](const Case& c) { return neighbour(kind, c, steps, around); }, dimensions, 1});
      }
    }
  }
  if (!vocabulary.two) return;
  rules.push_back({"transposed in the grid of rows and columns",
                   [](const Case& c) -> std::int64_t {
                     const Place place = place_of(GridKind::two, c.rank, c.ranks);
                     if (place.extents[0] != place.extents[1]) return -1;
                     return place.at[1] * place.extents[1] + place.at[0];
                   },
                   2, 1});
}

template <class Of>
void add(std::vector<RankRule>& rules, std::string words, Of of, std::size_t dimensions = 0, unsigned tier = 0) {
  rules.push_back({std::move(words), std::move(of), dimensions, dimensions != 0 ? 1 : tier});
}

}  // namespace

Extents extents_of(GridKind kind, std::uint32_t ranks) {
  static thread_local std::map<std::pair<GridKind, std::uint32_t>, Extents> known;
  Extents& best = known[{kind, ranks}];
  if (!best.empty()) return best;
  Extents so_far;
  const bool is_two = kind == GridKind::two || kind == GridKind::two_ascending;
  divide(std::max(1U, ranks), ranks, is_two ? 2 : 3, so_far, best);
  if (best.empty()) best.assign(is_two ? 2 : 3, 1);
  if (kind == GridKind::two_ascending || kind == GridKind::three_ascending) std::reverse(best.begin(), best.end());
  return best;
}

const char* words_of(GridKind kind) {
  switch (kind) {
    case GridKind::two:
      return "balanced grid of two dimensions";
    case GridKind::two_ascending:
      return "balanced grid of two dimensions, the smaller extent first";
    case GridKind::three:
      return "balanced grid of three dimensions";
    default:
      return "balanced grid of three dimensions, the smallest extent first";
  }
}

std::vector<RankRule> partner_rules(const std::vector<ObservedValue>& observed, const Vocabulary& vocabulary) {
  std::vector<RankRule> rules;
  std::set<std::int64_t> constants, distances, bits;
  for (const auto& [at, value] : observed) {
    if (value < 0) continue;
    if (constants.size() < 4) constants.insert(value);
    std::int64_t distance = modulo(value - at.rank, at.ranks);
    if (distance > at.ranks / 2) distance -= at.ranks;
    if (distances.size() < 16) distances.insert(distance);
    if (bits.size() < 16) bits.insert(value ^ static_cast<std::int64_t>(at.rank));
  }
  for (const std::int64_t rank : constants) {
    add(rules, fmt::format("rank {}", rank), [=](const Case& c) { return inside(rank, c.ranks); });
  }
  add(rules, "the last rank", [](const Case& c) { return std::int64_t{c.ranks} - 1; });
  for (const std::int64_t distance : distances) {
    add(rules, fmt::format("rank {:+d}, around the end", distance),
        [=](const Case& c) { return modulo(c.rank + distance, c.ranks); });
    add(rules, fmt::format("rank {:+d}, none beyond the ends", distance),
        [=](const Case& c) { return inside(c.rank + distance, c.ranks); });
  }
  for (const std::int64_t bit : bits) {
    if (bit > 0)
      add(rules, fmt::format("rank xor {}", bit), [=](const Case& c) { return inside(c.rank ^ bit, c.ranks); });
  }
  add(rules, "rank xor 2^k in iteration k", [](const Case& c) { return inside(c.rank ^ power(c.number), c.ranks); });
  add(rules, "rank xor P / 2^(k + 1) in iteration k", [](const Case& c) -> std::int64_t {
    const std::int64_t distance = c.ranks / (2 * power(c.number));
    return distance == 0 ? -1 : inside(c.rank ^ distance, c.ranks);
  });
  for (const int sign : {1, -1}) {
    const char* const plus = sign > 0 ? "+" : "-";
    add(rules, fmt::format("rank {} 2^k, around the end, in iteration k", plus),
        [=](const Case& c) { return modulo(c.rank + sign * power(c.number), c.ranks); });
    add(rules, fmt::format("rank {} 2^k, none beyond the ends, in iteration k", plus),
        [=](const Case& c) { return inside(c.rank + sign * power(c.number), c.ranks); });
    add(rules, fmt::format("rank {} (k + 1), around the end, in iteration k", plus),
        [=](const Case& c) { return modulo(c.rank + sign * (std::int64_t{c.number} + 1), c.ranks); });
    add(rules, fmt::format("rank {} k, around the end, in iteration k", plus),
        [=](const Case& c) { return modulo(c.rank + sign * std::int64_t{c.number}, c.ranks); });
  }
  add(rules, "rank xor (k + 1) in iteration k",
      [](const Case& c) { return inside(std::int64_t{c.rank} ^ (std::int64_t{c.number} + 1), c.ranks); });
  add(rules, "rank k in iteration k", [](const Case& c) { return inside(c.number, c.ranks); });
  add(rules, "rank k + 1 in iteration k", [](const Case& c) { return inside(std::int64_t{c.number} + 1, c.ranks); });
  add(rules, "each other rank in its order",
      [](const Case& c) { return inside(std::int64_t{c.number} + (c.number >= c.rank ? 1 : 0), c.ranks); });
  add(rules, "rank P - 1 - rank", [](const Case& c) { return std::int64_t{c.ranks} - 1 - c.rank; });
  add(rules, "rank P / 2 away, around the end", [](const Case& c) { return modulo(c.rank + c.ranks / 2, c.ranks); });
  add(rules, "parent in a binary tree",
      [](const Case& c) { return c.rank == 0 ? -1 : (std::int64_t{c.rank} - 1) / 2; });
  add(rules, "child k of two in a binary tree",
      [](const Case& c) { return inside(2 * std::int64_t{c.rank} + 1 + c.number, c.ranks); });
  for (const int child : {1, 2}) {
    add(rules, fmt::format("{} child in a binary tree", child == 1 ? "first" : "second"),
        [=](const Case& c) { return inside(2 * std::int64_t{c.rank} + child, c.ranks); });
  }
  add(rules, "rank without its lowest bit",
      [](const Case& c) { return c.rank == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(c.rank & (c.rank - 1)); });
  add(rules, "rank without its highest bit", [](const Case& c) {
    return c.rank == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(c.rank - std::bit_floor(c.rank));
  });
  add_grid_partners(rules, vocabulary);
  return rules;
}

std::vector<RankRule> conditions(const Vocabulary& vocabulary) {
  std::vector<RankRule> rules;
  const auto both = [&rules](const std::string& yes, const std::string& no, auto of, std::size_t dimensions = 0) {
    add(
        rules, yes, [=](const Case& c) -> std::int64_t { return of(c) ? 1 : 0; }, dimensions);
    add(
        rules, no, [=](const Case& c) -> std::int64_t { return of(c) ? 0 : 1; }, dimensions);
  };
  both("on rank 0", "on all ranks but 0", [](const Case& c) { return c.rank == 0; });
  for (const std::uint32_t some : {2U, 3U, 4U}) {
    both(fmt::format("on the first {} ranks", some), fmt::format("on all ranks but the first {}", some),
         [=](const Case& c) { return c.rank < some; });
    both(fmt::format("on the last {} ranks", some), fmt::format("on all ranks but the last {}", some),
         [=](const Case& c) { return c.rank + some >= c.ranks; });
  }
  both("on the last rank", "on all ranks but the last", [](const Case& c) { return c.rank + 1 == c.ranks; });
  both("on the first and the last rank", "on ranks between the first and the last",
       [](const Case& c) { return c.rank == 0 || c.rank + 1 == c.ranks; });
  both("on even ranks", "on odd ranks", [](const Case& c) { return c.rank % 2 == 0; });
  both("on the lower half of the ranks", "on the upper half of the ranks",
       [](const Case& c) { return 2 * std::uint64_t{c.rank} < c.ranks; });
  both("on even ranks that are not the last", "on odd ranks, and on the last",
       [](const Case& c) { return c.rank % 2 == 0 && c.rank + 1 < c.ranks; });
  both("on odd ranks that are not the last", "on even ranks, and on the last",
       [](const Case& c) { return c.rank % 2 == 1 && c.rank + 1 < c.ranks; });
  both("on even ranks but 0", "on odd ranks and rank 0", [](const Case& c) { return c.rank % 2 == 0 && c.rank != 0; });
  both("where bit k of the rank is 1, in iteration k", "where bit k of the rank is 0, in iteration k",
       [](const Case& c) { return (c.rank >> std::min(31U, c.number) & 1) != 0; });
  both("where the rank is below 2^k, in iteration k", "where the rank is not below 2^k, in iteration k",
       [](const Case& c) { return c.rank < power(c.number); });
  both("where 2^k divides the rank, in iteration k", "where 2^k does not divide the rank, in iteration k",
       [](const Case& c) { return c.rank % power(c.number) == 0; });
  both("where 2^(k + 1) divides the rank, in iteration k", "where 2^(k + 1) does not divide the rank, in iteration k",
       [](const Case& c) { return c.rank % power(c.number + 1) == 0; });
  both("in the first iteration", "in all iterations but the first", [](const Case& c) { return c.number == 0; });
  both("in the last iteration", "in all iterations but the last",
       [](const Case& c) { return c.number + 1 == c.count; });
  for (const GridKind kind : grid_kinds) {
    if (!vocabulary.has(kind)) continue;
    const std::size_t dimensions = extents_of(kind, 1).size();
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto where = fmt::format("of dimension {} of the {}", d, words_of(kind));
      both(
          "at the begin " + where, "not at the begin " + where,
          [=](const Case& c) { return place_of(kind, c.rank, c.ranks).at[d] == 0; }, dimensions);
      both(
          "at the end " + where, "not at the end " + where,
          [=](const Case& c) {
            const Place place = place_of(kind, c.rank, c.ranks);
            return place.at[d] + 1 == place.extents[d];
          },
          dimensions);
    }
    for (int corner = 0; dimensions == 2 && corner < 4; ++corner) {
      const std::vector<int> steps = {corner / 2 * 2 - 1, corner % 2 * 2 - 1};
      both(
          fmt::format("with a neighbour {:+d} in the {}", fmt::join(steps, ", "), words_of(kind)),
          fmt::format("without a neighbour {:+d} in the {}", fmt::join(steps, ", "), words_of(kind)),
          [=](const Case& c) { return neighbour(kind, c, steps, false) >= 0; }, dimensions);
    }
  }
  return rules;
}

std::vector<RankRule> part_rules(const Vocabulary& vocabulary) {
  std::vector<RankRule> rules;
  add(rules, "all ranks", [](const Case&) { return std::int64_t{0}; });
  add(rules, "all ranks but 0", [](const Case& c) { return c.rank == 0 ? std::int64_t{-1} : 0; });
  add(rules, "each rank by itself", [](const Case& c) { return std::int64_t{c.rank}; });
  add(rules, "even and odd ranks", [](const Case& c) { return std::int64_t{c.rank % 2}; });
  add(rules, "even ranks", [](const Case& c) { return c.rank % 2 == 0 ? 0 : std::int64_t{-1}; });
  add(rules, "lower and upper half of the ranks",
      [](const Case& c) { return 2 * std::uint64_t{c.rank} < c.ranks ? std::int64_t{0} : 1; });
  for (const std::uint32_t size : {2U, 3U, 4U, 8U, 16U}) {
    add(
        rules, fmt::format("groups of {} neighbouring ranks", size),
        [=](const Case& c) { return std::int64_t{c.rank / size}; }, 0, 1);
    if (size > 2)
      add(
          rules, fmt::format("every {}th rank", size), [=](const Case& c) { return std::int64_t{c.rank % size}; }, 0,
          1);
  }
  for (const GridKind kind : grid_kinds) {
    if (!vocabulary.has(kind)) continue;
    const std::size_t dimensions = extents_of(kind, 1).size();
    // Members differ in the dimensions of `free`.
    for (unsigned free = 1; free + 1 < 1U << dimensions; ++free) {
      std::vector<std::size_t> along;
      for (std::size_t d = 0; d < dimensions; ++d)
        if ((free >> d & 1U) != 0) along.push_back(d);
      add(
          rules, fmt::format("along dimension {} of the {}", fmt::join(along, ", "), words_of(kind)),
          [=](const Case& c) {
            Place place = place_of(kind, c.rank, c.ranks);
            for (const std::size_t d : along) place.at[d] = 0;
            return rank_at(place);
          },
          dimensions);
    }
  }
  return rules;
}

std::vector<RankRule> number_rules(const std::vector<ObservedValue>& observed) {
  std::vector<RankRule> rules;
  if (observed.empty()) return rules;
  const auto& [at, first] = observed.front();
  const auto offset = [&, value = first](std::int64_t base, const std::string& words, auto of) {
    const std::int64_t more = value - base;
    add(rules, more == 0 ? words : fmt::format("{} {:+d}", words, more), [=](const Case& c) { return of(c) + more; });
  };
  offset(at.rank, "rank", [](const Case& c) { return std::int64_t{c.rank}; });
  offset(-std::int64_t{at.rank}, "- rank", [](const Case& c) { return -std::int64_t{c.rank}; });
  offset(at.number, "k in iteration k", [](const Case& c) { return std::int64_t{c.number}; });
  offset(at.outer, "k in iteration k of the outer loop", [](const Case& c) { return std::int64_t{c.outer}; });
  offset(std::int64_t{at.ranks} - at.rank, "P - rank", [](const Case& c) { return std::int64_t{c.ranks} - c.rank; });
  add(rules, "number of bits 0 below the lowest 1 of the rank, of rank 0 log2(P)",
      [](const Case& c) { return std::int64_t{c.rank == 0 ? std::bit_width(c.ranks - 1) : std::countr_zero(c.rank)}; });
  add(rules, "number of bits 1 of the rank", [](const Case& c) { return std::int64_t{std::popcount(c.rank)}; });
  return rules;
}

std::vector<RankRule> explaining(const std::vector<RankRule>& rules, const std::vector<ObservedValue>& observed,
                                 const Vocabulary& vocabulary) {
  std::vector<RankRule> found;
  for (unsigned tier = 0; tier < 2; ++tier) {
    const bool is_explained = !found.empty();
    for (const RankRule& rule : rules) {
      if (rule.tier != tier) continue;
      if (is_explained && (rule.dimensions == 0 || !vocabulary.may_be(rule.dimensions))) continue;
      if (std::all_of(observed.begin(), observed.end(),
                      [&](const ObservedValue& one) { return rule.of(one.at) == one.value; }))
        found.push_back(rule);
    }
  }
  return found;
}

std::vector<std::string> equal_extents(const std::vector<std::uint32_t>& runs, std::uint32_t ranks,
                                       const Vocabulary& vocabulary) {
  std::vector<std::string> found;
  for (const GridKind kind : {GridKind::two, GridKind::three}) {
    const Extents asked = extents_of(kind, ranks), first = extents_of(kind, runs.front());
    for (std::size_t d = 0; d < asked.size() && vocabulary.may_be(asked.size()); ++d) {
      const bool is_same = std::all_of(runs.begin(), runs.end(),
                                       [&](std::uint32_t run) { return extents_of(kind, run)[d] == first[d]; });
      if (is_same && asked[d] != first[d])
        found.push_back(fmt::format("extent {} of the {}: {} in all runs, {} with {} ranks", d, words_of(kind),
                                    first[d], asked[d], ranks));
    }
  }
  return found;
}

}  // namespace mora::predict
