/// Straight lines by ranges of sizes, whose ends are found: segmented regression.
///
/// Idea: of all ways to cut the points into ranges the one with the least sum of squared relative errors plus a price
/// for each range (the Bayesian information criterion: a range costs as many errors as its three parameters explain by
/// chance). A range's line is the weighted least-squares one, weights 1/y², with neither value at 0 nor slope below 0;
/// lines need not meet. Dynamic programming over the ends finds the best cut. Source: Schwarz 1978 (the
/// criterion); Mora's rule calibration-practice (weights, fewest points). Cost: O(n² + n²
/// k) for n points and k ranges. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace mora::predict {

struct FitPoint {
  double x = 0, y = 0;  ///< bytes, ns; y is above 0
};
struct FitLine {
  double fixed = 0, slope = 0;
  double at(double x) const { return fixed + slope * x; }
};
struct FitRange {
  std::size_t first = 0, count = 0;  ///< points
  FitLine line;
};

/// The line of points [first, first + count): both parameters are at least 0. Of no points: 0.
FitLine fit_line(const std::vector<FitPoint>& points, std::size_t first, std::size_t count);

/// Ascending points; ranges in order, each of at least `fewest` points unless there are not so many at all; at most
/// `most` of them.
std::vector<FitRange> fit_ranges(const std::vector<FitPoint>& points, std::size_t fewest = 4, std::size_t most = 6);

/// Relative errors |predicted - y| / y of each point, predicted from a fit without it and its fold: every `folds`-th
/// point is left out together. Points at the ends are predicted by the nearest range.
std::vector<double> cross_validated_errors(const std::vector<FitPoint>& points, std::size_t folds = 5);

}  // namespace mora::predict
