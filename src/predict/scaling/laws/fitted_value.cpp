#include "predict/scaling/laws/fitted_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "predict/scaling/laws/process_laws.h"

namespace mora::predict {
namespace {

/// nullopt: the value depends on something else, too.
template <class KeyOf>
auto unique_by(const std::vector<ObservedValue>& observed, const KeyOf& key_of)
    -> std::optional<std::map<decltype(key_of(RankCase{})), std::int64_t>> {
  std::map<decltype(key_of(RankCase{})), std::int64_t> values;
  for (const auto& [at, value] : observed) {
    const auto [known, is_new] = values.try_emplace(key_of(at), value);
    if (!is_new && known->second != value) return std::nullopt;
  }
  return values;
}

std::optional<ByProcesses> by_processes(const std::vector<ObservedValue>& observed) {
  return unique_by(observed, [](const RankCase& c) { return c.ranks; });
}

std::vector<RankRule> rules_of(const std::vector<ExactLaw>& laws) {
  std::vector<RankRule> rules;
  for (const ExactLaw& law : laws)
    rules.push_back({law.words, [of = law.of](const RankCase& c) { return of(c.ranks); }, 0, 0, law.is_untested});
  return rules;
}

/// As recorded in iteration k of the loop, or of the one around it.
std::optional<RankRule> listed(const std::vector<ObservedValue>& observed, bool outer) {
  const auto values = unique_by(observed, [=](const RankCase& c) { return outer ? c.outer : c.number; });
  if (!values) return std::nullopt;
  return RankRule{fmt::format("as recorded in iteration k{}", outer ? " of the outer loop" : ""),
                  [values = *values, outer](const RankCase& c) {
                    const auto at = values.find(outer ? c.outer : c.number);
                    // Beyond the recorded iterations nothing is known: what no rule agrees with.
                    return at == values.end() ? INT64_MIN : at->second;
                  }};
}

/// Two kinds of ranks, each with laws.
std::vector<RankRule> by_kind_of_rank(const std::vector<ObservedValue>& observed, const Vocabulary& vocabulary) {
  std::vector<RankRule> found;
  for (unsigned tier = 0; tier < 2; ++tier) {
    const bool is_explained = !found.empty();
    for (const RankRule& condition : conditions(vocabulary)) {
      if (condition.tier != tier) continue;
      if (is_explained && (condition.dimensions == 0 || !vocabulary.may_be(condition.dimensions))) continue;
      std::vector<ObservedValue> kinds[2];
      for (const ObservedValue& one : observed) kinds[condition.of(one.at) != 0 ? 1 : 0].push_back(one);
      if (kinds[0].empty() || kinds[1].empty()) continue;
      const auto no = by_processes(kinds[0]), yes = by_processes(kinds[1]);
      if (!no || !yes) continue;
      for (const ExactLaw& there : exact_laws(*yes, vocabulary)) {
        for (const ExactLaw& elsewhere : exact_laws(*no, vocabulary)) {
          found.push_back(
              {fmt::format("{} {}, elsewhere {}", there.words, condition.words, elsewhere.words),
               [=](const RankCase& c) { return condition.of(c) != 0 ? there.of(c.ranks) : elsewhere.of(c.ranks); }, 0,
               0, there.is_untested || elsewhere.is_untested});
        }
      }
    }
  }
  return found;
}

/// n / P for each rank, the first ones one more; n follows a law.
std::vector<RankRule> block_distribution(const std::vector<ObservedValue>& observed, std::uint32_t unit,
                                         const Vocabulary& vocabulary) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> by_rank;
  for (const auto& [at, value] : observed) {
    const auto [known, is_new] = by_rank[at.ranks].try_emplace(at.rank, value);
    if (value % unit != 0 || (!is_new && known->second != value)) return {};
  }
  ByProcesses sums;
  for (const auto& [ranks, values] : by_rank) {
    if (values.size() != ranks) return {};
    for (const auto& [rank, value] : values) sums[ranks] += value / unit;
  }
  std::vector<RankRule> rules;
  for (const ExactLaw& law : exact_laws(sums, vocabulary)) {
    rules.push_back(
        {fmt::format("{} / P elements of {} bytes, the first ranks one more where that leaves a rest", law.words, unit),
         [of = law.of, unit](const RankCase& c) {
           const std::int64_t n = of(c.ranks);
           return (n / c.ranks + (c.rank < n % c.ranks ? 1 : 0)) * unit;
         },
         0, 0, law.is_untested});
  }
  return explaining(rules, observed);
}

/// What is left when the part that depends on the iteration is taken out is a law of P: v 2^k, v / 2^k, v + c k.
std::vector<RankRule> by_iteration(const std::vector<ObservedValue>& observed, const Vocabulary& vocabulary) {
  std::vector<RankRule> rules;
  const auto power = [](std::uint32_t k) { return std::int64_t{1} << std::min(k, 40U); };
  // INT64_MIN is refused, wherever it is asked for: nothing is so large.
  const auto product = [](std::int64_t a, std::int64_t b) -> std::optional<std::int64_t> {
    std::int64_t made = 0;
    return __builtin_mul_overflow(a, b, &made) ? std::nullopt : std::optional(made);
  };
  const auto try_with = [&](const std::string& words, auto without, auto with) {
    std::vector<ObservedValue> rest;
    for (const auto& [at, value] : observed) {
      const std::optional<std::int64_t> left = without(value, at.number);
      if (!left) return;
      rest.push_back({at, *left});
    }
    const auto values = by_processes(rest);
    if (!values) return;
    for (const ExactLaw& law : exact_laws(*values, vocabulary))
      rules.push_back({fmt::format("({}){}", law.words, words),
                       [of = law.of, with](const RankCase& c) { return with(of(c.ranks), c.number); }, 0, 0,
                       law.is_untested});
  };
  using Left = std::optional<std::int64_t>;
  try_with(
      " 2^k in iteration k",
      [&](std::int64_t v, std::uint32_t k) { return v % power(k) == 0 ? Left(v / power(k)) : Left(); },
      [power, product](std::int64_t v, std::uint32_t k) { return product(v, power(k)).value_or(INT64_MIN); });
  try_with(
      " / 2^k in iteration k", [&](std::int64_t v, std::uint32_t k) { return product(v, power(k)); },
      [power](std::int64_t v, std::uint32_t k) { return v / power(k); });
  std::map<std::uint32_t, std::int64_t> first;
  for (const auto& [at, value] : observed)
    if (at.number == 0) first.try_emplace(at.ranks, value);
  for (const auto& [at, value] : observed) {
    if (at.number != 1 || !first.contains(at.ranks)) continue;
    std::int64_t step = 0;
    if (__builtin_sub_overflow(value, first[at.ranks], &step)) break;
    try_with(
        fmt::format(" {:+d} k in iteration k", step),
        [=](std::int64_t v, std::uint32_t k) {
          const Left back = product(step, k);
          std::int64_t left = 0;
          return back && !__builtin_sub_overflow(v, *back, &left) ? Left(left) : Left();
        },
        [=](std::int64_t v, std::uint32_t k) {
          std::int64_t made = 0;
          const Left forth = product(step, k);
          return forth && !__builtin_add_overflow(v, *forth, &made) ? made : INT64_MIN;
        });
    break;
  }
  return explaining(rules, observed);
}

FittedValue made(std::vector<RankRule> rules) {
  FittedValue value;
  value.words = rules.front().words;
  if (rules.front().is_untested) value.leave_one_out.reset();
  value.rules = std::move(rules);
  return value;
}

std::string differences(const std::vector<ObservedValue>& observed) {
  const auto one = [](const ObservedValue& o) {
    return fmt::format("{} on rank {} of {}", o.value, o.at.rank, o.at.ranks);
  };
  // What differs within the largest run says most.
  const auto largest = std::max_element(observed.begin(), observed.end(),
                                        [](const auto& a, const auto& b) { return a.at.ranks < b.at.ranks; });
  for (const ObservedValue& other : observed) {
    if (other.at.ranks == largest->at.ranks && other.value != largest->value)
      return fmt::format("{}, {}", one(*largest), one(other));
  }
  return fmt::format("{}, {}", one(observed.front()), one(*largest));
}

constexpr std::uint32_t k_most_iterations = 6;  ///< that have rules of their own

/// A value of its own for each iteration of a loop that all runs execute equally often, as one over dimensions.
template <class Fit>
std::optional<FittedValue> fit_each(const std::vector<ObservedValue>& observed, const Fit& fit) {
  std::vector<std::vector<ObservedValue>> by_number;
  std::set<std::uint32_t> counts;
  for (const ObservedValue& one : observed) {
    counts.insert(one.at.count);
    if (one.at.number >= k_most_iterations || counts.size() > 1) return std::nullopt;
    if (by_number.size() <= one.at.number) by_number.resize(one.at.number + 1);
    by_number[one.at.number].push_back(one);
    by_number[one.at.number].back().at.number = 0;
  }
  if (by_number.size() < 2) return std::nullopt;
  FittedValue made;
  for (std::size_t k = 0; k < by_number.size(); ++k) {
    if (by_number[k].empty()) return std::nullopt;
    auto fitted = fit(by_number[k]);
    if (!fitted) return std::nullopt;
    made.words += fmt::format("{}in iteration {}: {}", k == 0 ? "" : "; ", k, fitted->words);
    if (!fitted->leave_one_out) made.leave_one_out.reset();
    made.each.push_back(std::move(*fitted));
  }
  return made;
}

/// Sizes that scatter by little may be fitted; messages that differ by more have a rule that is not known.
constexpr double k_size_limit = 0.05;

Fitted<FittedValue> fit_mean(const std::vector<ObservedValue>& observed, const FitTarget& target) {
  const double limit = std::min(target.limit, k_size_limit);
  std::map<std::uint32_t, std::pair<double, double>> sums;
  for (const auto& [at, value] : observed) {
    sums[at.ranks].first += static_cast<double>(value);
    ++sums[at.ranks].second;
  }
  std::map<std::uint32_t, double> means;
  for (const auto& [p, sum] : sums) means[p] = sum.first / sum.second;
  // Ranks that differ among themselves follow no mean.
  double squares = 0;
  for (const auto& [at, value] : observed) {
    const double error = means[at.ranks] > 0 ? static_cast<double>(value) / means[at.ranks] - 1 : 0;
    squares += error * error;
  }
  const double spread = std::sqrt(squares / static_cast<double>(observed.size()));
  const auto law = fit_law(means, target.ranks);
  if (!law) return tl::unexpected(fmt::format("no rule explains them ({})", differences(observed)));
  if (spread > limit)
    return tl::unexpected(fmt::format("no rule explains them ({}), and they are {:.0f} % from their mean",
                                      differences(observed), 100 * spread));
  if (law->leave_one_out > limit)
    return tl::unexpected(fmt::format("the best law, {}, is {:.0f} % off at a run that is left out (limit: {:.0f} %)",
                                      law->words, 100 * law->leave_one_out, 100 * limit));
  FittedValue value;
  value.fitted = law->at;
  value.fitted->lower /= 1 + 2 * spread;
  value.fitted->upper *= 1 + 2 * spread;
  value.words = law->words + ", fitted";
  value.leave_one_out = law->leave_one_out;
  return value;
}

}  // namespace

std::int64_t FittedValue::at(const RankCase& where, FitEnd end) const {
  if (!each.empty()) {
    RankCase within = where;
    within.number = 0;
    return where.number < each.size() ? each[where.number].at(within, end) : INT64_MIN;
  }
  if (!fitted) return rules.empty() ? -1 : rules.front().of(where);
  const double value = end == FitEnd::value ? fitted->value : end == FitEnd::lower ? fitted->lower : fitted->upper;
  return std::llround(std::min(value, 9e18));
}

std::string FittedValue::contradiction(const RankCase& where) const {
  if (!each.empty() && where.number < each.size()) {
    RankCase within = where;
    within.number = 0;
    return each[where.number].contradiction(within);
  }
  if (!each.empty()) return fmt::format("iteration {} was not recorded", where.number);
  if (rules.empty()) return {};
  const std::int64_t value = rules.front().of(where);
  if (value == INT64_MIN)
    return fmt::format("{}, but not so many iterations were recorded (k = {})", rules.front().words, where.number);
  for (const RankRule& other : rules) {
    if (other.of(where) != value)
      return fmt::format("the runs do not tell '{}' from '{}', which give rank {} of {} different ones",
                         rules.front().words, other.words, where.rank, where.ranks);
  }
  return {};
}

FittedValue constant(std::int64_t value) {
  return made({{fmt::format("{}", value), [=](const RankCase&) { return value; }}});
}

Fitted<FittedValue> fit_partner(const std::vector<ObservedValue>& observed, const FitTarget& target) {
  auto rules = explaining(partner_rules(observed, target.vocabulary), observed, target.vocabulary);
  if (rules.empty()) {
    if (auto list = listed(observed, false)) rules.push_back(std::move(*list));
  }
  if (rules.empty()) {
    if (auto each = fit_each(observed, [&](const auto& some) { return fit_partner(some, target); }))
      return std::move(*each);
  }
  if (rules.empty()) return tl::unexpected(fmt::format("no rule gives the partners (rank {})", differences(observed)));
  return made(std::move(rules));
}

Fitted<FittedValue> fit_number(const std::vector<ObservedValue>& observed, const FitTarget& target,
                               bool may_be_fitted) {
  const Vocabulary& vocabulary = target.vocabulary;
  if (observed.empty()) return constant(0);
  std::vector<RankRule> rules;
  if (const auto values = by_processes(observed)) {
    rules = rules_of(exact_laws(*values, vocabulary));
  } else {
    rules = explaining(number_rules(observed), observed);
    // Two iterations are no evidence of a law over iterations.
    const bool has_iterations =
        std::any_of(observed.begin(), observed.end(), [](const ObservedValue& one) { return one.at.number >= 2; });
    if (rules.empty() && has_iterations) rules = by_iteration(observed, vocabulary);
    for (const bool outer : {false, true}) {
      if (!rules.empty()) break;
      if (auto list = listed(observed, outer)) rules.push_back(std::move(*list));
    }
    const bool by_rank = unique_by(observed, [](const RankCase& c) { return std::pair(c.ranks, c.rank); }).has_value();
    if (rules.empty() && !by_rank) {
      if (auto each = fit_each(observed, [&](const auto& some) { return fit_number(some, target, false); }))
        return std::move(*each);
    }
    if (rules.empty()) rules = by_kind_of_rank(observed, vocabulary);
    for (const std::uint32_t unit : {8U, 4U, 1U}) {
      if (rules.empty() && may_be_fitted) rules = block_distribution(observed, unit, vocabulary);
    }
  }
  if (!rules.empty()) return made(std::move(rules));
  if (may_be_fitted) return fit_mean(observed, target);
  return tl::unexpected(fmt::format("no law explains them ({})", differences(observed)));
}

Fitted<FittedValue> fit_condition(const std::vector<ObservedValue>& observed, const FitTarget& target) {
  if (const auto values = by_processes(observed)) {
    const std::int64_t first = values->begin()->second;
    if (std::all_of(values->begin(), values->end(), [&](const auto& v) { return v.second == first; }))
      return made({{first != 0 ? "always" : "never", [=](const RankCase&) { return first; }}});
  }
  const std::vector<RankRule> all = conditions(target.vocabulary);
  std::vector<RankRule> rules = explaining(all, observed, target.vocabulary);
  if (rules.empty()) {
    if (auto list = listed(observed, false)) rules.push_back(std::move(*list));
  }
  if (rules.empty()) {
    if (auto each = fit_each(observed, [&](const auto& some) { return fit_condition(some, target); }))
      return std::move(*each);
  }
  for (unsigned tier = 0; tier < 2 && rules.empty(); ++tier) {
    std::vector<RankRule> both;
    for (const RankRule& a : all) {
      if (a.tier > tier) continue;
      const bool holds = std::all_of(observed.begin(), observed.end(),
                                     [&](const ObservedValue& one) { return one.value == 0 || a.of(one.at) != 0; });
      if (holds) both.push_back(a);
    }
    for (std::size_t i = 0; i < both.size(); ++i) {
      for (std::size_t j = i + 1; j < both.size(); ++j) {
        const RankRule &a = both[i], &b = both[j];
        RankRule rule{fmt::format("{} and {}", a.words, b.words),
                      [=](const RankCase& c) -> std::int64_t { return a.of(c) != 0 && b.of(c) != 0 ? 1 : 0; }};
        if (!explaining({rule}, observed).empty()) rules.push_back(std::move(rule));
      }
    }
  }
  if (!rules.empty()) return made(std::move(rules));
  return fit_number(observed, target, false).map_error([&](const std::string&) {
    return fmt::format("no rule says on which ranks ({})", differences(observed));
  });
}

}  // namespace mora::predict
