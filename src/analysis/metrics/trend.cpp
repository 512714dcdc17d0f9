#include "analysis/trend.h"

#include <algorithm>
#include <cmath>

namespace mora::analysis {
namespace {

constexpr std::uint64_t fewest = 6;   ///< executions
constexpr double deviations = 6;      ///< an outlier is so many standard deviations of the others away
constexpr double explained = 0.7;     ///< of the variance, by the line or by turns
constexpr double least_change = 0.5;  ///< of the mean, from the first to the last execution or from turn to turn

}  // namespace

TrendShape shape_of(const Trend& trend) {
  TrendShape shape;
  shape.executions = trend.executions;
  if (trend.executions < fewest || trend.sum == 0) return shape;
  const auto n = static_cast<double>(trend.executions), sum = static_cast<double>(trend.sum);
  const auto squares = static_cast<double>(trend.squares), longest = static_cast<double>(trend.longest);
  const double others = (sum - longest) / (n - 1);
  const double scatter = std::max(0.0, squares - longest * longest - (n - 1) * others * others);
  if (longest >= 2 * others && longest - others >= deviations * std::sqrt(scatter / (n - 2))) {
    shape.kind = TrendKind::outlier;
    shape.from = std::llround(others);
    shape.to = trend.longest;
    shape.number = trend.longest_number;
    shape.excess = shape.to - shape.from;
    return shape;
  }
  const double mean = sum / n, spread = n * (n * n - 1) / 12;
  const double slope = (static_cast<double>(trend.weighted) - sum * (n - 1) / 2) / spread;
  const double variance = squares - n * mean * mean;
  const double growth = slope * (n - 1);
  if (variance <= 0) return shape;
  if (slope * slope * spread < explained * variance || std::abs(growth) < least_change * mean) {
    const double odd_ones = std::floor(n / 2), even_ones = n - odd_ones, odd = static_cast<double>(trend.odd);
    const double of_even = (sum - odd) / even_ones, of_odd = odd / odd_ones, step = std::abs(of_even - of_odd);
    if (step * step * even_ones * odd_ones / n < explained * variance || step < least_change * mean) return shape;
    shape.kind = TrendKind::alternating;
    shape.from = std::llround(std::min(of_even, of_odd));
    shape.to = std::llround(std::max(of_even, of_odd));
    shape.excess = std::llround(step * (of_even > of_odd ? even_ones : odd_ones));
    return shape;
  }
  shape.kind = slope > 0 ? TrendKind::growing : TrendKind::shrinking;
  shape.from = std::max<Nanoseconds>(0, std::llround(mean - growth / 2));
  shape.to = std::max<Nanoseconds>(0, std::llround(mean + growth / 2));
  shape.excess = std::llround(std::abs(growth) * n / 2);
  return shape;
}

}  // namespace mora::analysis
