#include "analysis/trend.h"

#include <algorithm>
#include <cmath>

namespace mora::analysis {
namespace {

constexpr std::uint64_t fewest = 6;   ///< executions
constexpr double deviations = 6;      ///< an outlier is so many standard deviations of the others away
constexpr double on_the_line = 0.7;   ///< of the variance, explained by the line
constexpr double least_growth = 0.5;  ///< of the mean, from the first to the last execution

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
  if (variance <= 0 || slope * slope * spread < on_the_line * variance || std::abs(growth) < least_growth * mean)
    return shape;
  shape.kind = slope > 0 ? TrendKind::growing : TrendKind::shrinking;
  shape.from = std::max<Nanoseconds>(0, std::llround(mean - growth / 2));
  shape.to = std::max<Nanoseconds>(0, std::llround(mean + growth / 2));
  shape.excess = std::llround(std::abs(growth) * n / 2);
  return shape;
}

}  // namespace mora::analysis
