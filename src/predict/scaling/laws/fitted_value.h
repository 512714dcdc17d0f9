/// A value of a call site for every rank of a job of any size: from what was observed to rules that explain it.
///
/// Idea: the simplest dependence that the observations allow is taken: on the number of ranks alone, on the rank or the
/// iteration by a rule, on the iteration alone as it was recorded, on two kinds of ranks with a law each, on a part of
/// the whole for each rank (n / P, the first ones one more), on a rule of its own for each of few iterations. All rules
/// of that dependence that explain every observation are kept: where they disagree about a rank that is asked for, the
/// runs do not tell which holds, and the value is refused (contradiction()). Sizes that no rule explains may be fitted,
/// with an interval. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers/relative_fit.h"
#include "predict/scaling/laws/rank_rules.h"

namespace mora::predict {

/// Which end of fitted intervals is meant.
enum class FitEnd : std::uint8_t { value, lower, upper };

struct FittedValue {
  std::vector<RankRule> rules;        ///< that explain all observations; the first is used
  std::optional<LawInterval> fitted;  ///< instead of rules
  std::vector<FittedValue> each;      ///< instead of rules: of iteration 0, 1, … of the innermost loop
  std::string words;
  std::optional<double> leave_one_out = 0;  ///< nothing: an exact law of two terms, which three runs hardly test
  bool by_member = false;                   ///< ranks are those of the communicator, not of the world

  std::int64_t at(const RankCase& where, FitEnd end = FitEnd::value) const;
  /// Words of two rules that disagree there; empty: none do.
  std::string contradiction(const RankCase& where) const;
};

/// What is wrong where there is no value.
template <class T>
using Fitted = tl::expected<T, std::string>;

/// The same on all ranks of all jobs.
FittedValue constant(std::int64_t value);
/// What values are asked for.
struct FitTarget {
  std::uint32_t ranks = 0;
  double limit = 0.25;  ///< of the error of a fitted law at a run that is left out
  Vocabulary vocabulary;
  bool computes = true;  ///< false: what ranks compute does not count, and needs no law
};
Fitted<FittedValue> fit_partner(const std::vector<ObservedValue>& observed, const FitTarget& target);
/// `may_be_fitted`: sizes.
Fitted<FittedValue> fit_number(const std::vector<ObservedValue>& observed, const FitTarget& target, bool may_be_fitted);
/// 0 or 1.
Fitted<FittedValue> fit_condition(const std::vector<ObservedValue>& observed, const FitTarget& target);

}  // namespace mora::predict
