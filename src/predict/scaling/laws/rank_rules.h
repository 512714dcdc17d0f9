/// Rules that say for a rank of a job of any size whom it communicates with, and whether it does: the vocabulary of the
/// fits.
///
/// Idea: a rule is a formula of the rank, the number of ranks and the number of the iteration, tried on all that was
/// recorded; only one that explains each execution on each rank of each run may be used (fitted_value.h). Ranks in
/// rules are those of the communicator. Grids of processes are balanced as MPI_Dims_create makes them (MPI-3.1, 7.5.2),
/// the last coordinate running fastest as in MPI_Cart_create, or the other way round. Pure functions, thread-safe.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mora::predict {

/// Where a value was observed, or is asked for.
struct RankCase {
  std::uint32_t rank = 0, ranks = 1;
  std::uint32_t number = 0;  ///< of the iteration of the innermost loop, from 0
  std::uint32_t outer = 0;   ///< of the one around it
  std::uint32_t count = 1;   ///< iterations of this execution of the innermost loop
  auto operator<=>(const RankCase&) const = default;
};

struct ObservedValue {
  RankCase at;
  std::int64_t value = 0;
  auto operator<=>(const ObservedValue&) const = default;
};

/// Each once: a loop gives the same again and again.
inline std::vector<ObservedValue> different(std::vector<ObservedValue> observed) {
  std::sort(observed.begin(), observed.end());
  observed.erase(std::unique(observed.begin(), observed.end()), observed.end());
  return observed;
}

struct RankRule {
  std::string words;  ///< "rank + 1, around the end"
  std::function<std::int64_t(const RankCase&)> of;
  std::size_t dimensions = 0;  ///< of the grid that it rests on; 0: none
  unsigned tier = 0;           ///< lower ones are preferred: 1 rests on a grid of processes, or on a number of ranks
  bool is_untested = false;    ///< holds a law that has as many terms as three runs allow (ExactLaw)
};

/// Grids that rules know; extents of each for a number of ranks.
enum class GridKind : std::uint8_t { two, two_ascending, three, three_ascending };
inline constexpr GridKind grid_kinds[] = {GridKind::two, GridKind::two_ascending, GridKind::three,
                                          GridKind::three_ascending};
std::vector<std::uint32_t> extents_of(GridKind kind, std::uint32_t ranks);
const char* words_of(GridKind kind);

/// Which grids are believed in: those of a program whose partners are neighbours in one of them.
struct Vocabulary {
  bool two = true, three = true;  ///< dimensions
  bool is_found = false;          ///< there is such a partner; else all grids are tried, where nothing simpler holds
  bool has(std::size_t dimensions) const { return dimensions == 2 ? two : three; }
  bool has(GridKind kind) const { return kind == GridKind::two || kind == GridKind::two_ascending ? two : three; }
  /// Whether a simpler rule is compared with those of such a grid, too.
  bool may_be(std::size_t dimensions) const { return is_found ? has(dimensions) : dimensions == 2; }
};

/// No partner is -1.
std::vector<RankRule> partner_rules(const std::vector<ObservedValue>& observed, const Vocabulary& vocabulary);
/// 1 or 0: whether something happens on a rank.
std::vector<RankRule> conditions(const Vocabulary& vocabulary);
/// Number of the part of the communicator that the rank is in; members of a part are a communicator. -1: in none.
std::vector<RankRule> part_rules(const Vocabulary& vocabulary);
/// Whole numbers that depend on the rank: tags, iterations.
std::vector<RankRule> number_rules(const std::vector<ObservedValue>& observed);

/// Those that explain all that was observed, of the lowest tier that has any; behind them those of grids that may be,
/// which explain it, too: where these disagree the runs do not tell which holds. Cost: rules times observations.
std::vector<RankRule> explaining(const std::vector<RankRule>& rules, const std::vector<ObservedValue>& observed,
                                 const Vocabulary& vocabulary = {});
/// Extents of grids that may be, which all runs share and the number of ranks asked for does not; in words.
std::vector<std::string> equal_extents(const std::vector<std::uint32_t>& runs, std::uint32_t ranks,
                                       const Vocabulary& vocabulary);

}  // namespace mora::predict
