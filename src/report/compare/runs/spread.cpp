/// Sums are kept as 64-bit integers that stop at their limits, because results may come from damaged files. Differences
/// of means are computed over the common denominator, so that rounding of the means cannot change their sign.
#include "report/compare/runs/spread.h"

#include "base/names.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mora::compare {
namespace {

using Wide = __int128;

/// Nearest, halves away from zero; held at the limits of int64.
std::int64_t nearest(Wide part, Wide whole) {
  const Wide half = whole / 2;
  const Wide value = (part + (part < 0 ? -half : half)) / whole;
  constexpr Wide least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, least, most));
}

}  // namespace

std::int64_t held_sum(std::int64_t a, std::int64_t b) { return nearest(Wide{a} + b, 1); }

void Spread::extend(Value value, bool first) {
  if (first) {
    least = most = value;
    return;
  }
  least.amount = std::min(least.amount, value.amount);
  most.amount = std::max(most.amount, value.amount);
  least.ratio = std::min(least.ratio, value.ratio);
  most.ratio = std::max(most.ratio, value.ratio);
}

void Spread::add(Value value) {
  extend(value, unit == FigureUnit::ratio ? present == 0 : runs == 0);
  ++runs;
  ++present;
  sum.amount = held_sum(sum.amount, value.amount);
  sum.ratio += value.ratio;
}

void Spread::add_absent() {
  if (unit != FigureUnit::ratio) extend({}, runs == 0);
  ++runs;
}

Value Spread::mean() const {
  if (unit == FigureUnit::ratio) return {0, present == 0 ? 0 : sum.ratio / present};
  return {runs == 0 ? 0 : nearest(sum.amount, runs), 0};
}

Value Spread::range() const { return {nearest(Wide{most.amount} - least.amount, 1), most.ratio - least.ratio}; }

double Spread::number() const {
  if (unit == FigureUnit::ratio) return mean().ratio;
  return runs == 0 ? 0 : static_cast<double>(static_cast<long double>(sum.amount) / runs);
}

const char* to_string(Significance significance) {
  static constexpr const char* names[] = {"equal", "unknown", "insignificant", "significant"};
  return name_in(names, significance);
}

namespace {

template <class T>
Significance significance_of(T difference, T a_least, T a_most, T b_least, T b_most, bool is_known) {
  if (difference == 0) return Significance::equal;
  if (!is_known) return Significance::unknown;
  const bool overlap = a_least <= b_most && b_least <= a_most;
  const T wider = std::max(a_most - a_least, b_most - b_least);
  const T size = difference < 0 ? -difference : difference;
  return overlap || size <= wider ? Significance::insignificant : Significance::significant;
}

}  // namespace

std::optional<Change> change_between(const Spread& a, const Spread& b) {
  Change change;
  if (a.unit == FigureUnit::ratio) {
    if (a.present == 0 || b.present == 0) return std::nullopt;
    const bool is_known = a.present > 1 || b.present > 1;
    change.difference.ratio = b.mean().ratio - a.mean().ratio;
    if (a.mean().ratio != 0) change.ratio = b.mean().ratio / a.mean().ratio;
    change.significance =
        significance_of(change.difference.ratio, a.least.ratio, a.most.ratio, b.least.ratio, b.most.ratio, is_known);
    return change;
  }
  if (a.runs == 0 || b.runs == 0) return std::nullopt;
  // Over the common denominator, so that means that are no whole numbers do not shift the difference.
  const Wide common = Wide{a.runs} * b.runs;
  const Wide difference = Wide{b.sum.amount} * a.runs - Wide{a.sum.amount} * b.runs;
  change.difference.amount = nearest(difference, common);
  if (a.sum.amount != 0) {
    change.ratio = static_cast<double>(static_cast<long double>(b.sum.amount) * a.runs /
                                       (static_cast<long double>(a.sum.amount) * b.runs));
  }
  const bool is_known = a.runs > 1 || b.runs > 1;
  change.significance = significance_of<Wide>(difference, a.least.amount * common, a.most.amount * common,
                                              b.least.amount * common, b.most.amount * common, is_known);
  return change;
}

}  // namespace mora::compare
