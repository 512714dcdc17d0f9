/// Sums of weights over stretches give each stretch's line in constant time; then the dynamic programme.
#include "predict/calibration/segments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mora::predict {

namespace {

/// Of a stretch: Σw, Σwx, Σwy, Σwxx, Σwxy, Σwyy with w = 1/y².
struct Sums {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  void add(const FitPoint& p, int sign = 1) {
    const double weight = sign / (p.y * p.y);
    w += weight, x += weight * p.x, y += weight * p.y;
    xx += weight * p.x * p.x, xy += weight * p.x * p.y, yy += weight * p.y * p.y;
  }
  double error(const FitLine& l) const {
    const double e = yy - 2 * l.fixed * y - 2 * l.slope * xy + l.fixed * l.fixed * w + 2 * l.fixed * l.slope * x +
                     l.slope * l.slope * xx;
    return std::max(0.0, e);
  }
  FitLine line() const {
    if (w <= 0) return {};
    const double det = w * xx - x * x;
    FitLine l{y / w, 0};
    if (det > 1e-12 * w * xx) {
      l.slope = (w * xy - x * y) / det;
      l.fixed = (y - l.slope * x) / w;
    }
    // The optimum lies on the edge of what is allowed: one of the two is 0.
    if (l.fixed < 0) l = {0, xx > 0 ? std::max(0.0, xy / xx) : 0};
    if (l.slope < 0) l = {y / w, 0};
    return l;
  }
};

}  // namespace

FitLine fit_line(const std::vector<FitPoint>& points, std::size_t first, std::size_t count) {
  Sums sums;
  for (std::size_t i = first; i < first + count; ++i) sums.add(points[i]);
  return sums.line();
}

std::vector<FitRange> fit_ranges(const std::vector<FitPoint>& points, std::size_t fewest, std::size_t most) {
  const std::size_t n = points.size();
  if (n == 0) return {};
  if (n < 2 * fewest) return {{0, n, fit_line(points, 0, n)}};
  // A sum that is almost 0 would make every further range worth its price: measurements are no better than this.
  constexpr double least_error = 1e-4;
  std::vector<std::vector<double>> error(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    Sums sums;
    for (std::size_t j = i; j < n; ++j) {
      sums.add(points[j]);
      error[i][j] = sums.error(sums.line());
    }
  }
  constexpr double none = std::numeric_limits<double>::infinity();
  most = std::min(most, n / fewest);
  // best[k][j]: points 0 … j-1 in k + 1 ranges.
  std::vector<std::vector<double>> best(most, std::vector<double>(n + 1, none));
  std::vector<std::vector<std::size_t>> cut(most, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t j = fewest; j <= n; ++j) best[0][j] = error[0][j - 1];
  for (std::size_t k = 1; k < most; ++k) {
    for (std::size_t j = fewest * (k + 1); j <= n; ++j) {
      for (std::size_t i = fewest * k; i + fewest <= j; ++i) {
        const double sum = best[k - 1][i] + error[i][j - 1];
        if (sum < best[k][j]) {
          best[k][j] = sum;
          cut[k][j] = i;
        }
      }
    }
  }
  const double points_count = static_cast<double>(n);
  std::size_t chosen = 0;
  double least = none;
  for (std::size_t k = 0; k < most; ++k) {
    if (best[k][n] == none) continue;
    const double per_point = best[k][n] / points_count + least_error;
    const double criterion =
        points_count * std::log(per_point) + 3 * static_cast<double>(k + 1) * std::log(points_count);
    if (criterion < least) {
      least = criterion;
      chosen = k;
    }
  }
  std::vector<FitRange> ranges;
  for (std::size_t k = chosen + 1, end = n; k-- > 0;) {
    const std::size_t begin = k == 0 ? 0 : cut[k][end];
    ranges.push_back({begin, end - begin, fit_line(points, begin, end - begin)});
    end = begin;
  }
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

std::vector<double> cross_validated_errors(const std::vector<FitPoint>& points, std::size_t folds) {
  std::vector<double> errors(points.size(), 0);
  folds = std::min(folds, points.size());
  if (points.size() < 3) return errors;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<FitPoint> kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % folds != fold) kept.push_back(points[i]);
    }
    const auto ranges = fit_ranges(kept);
    for (std::size_t i = fold; i < points.size(); i += folds) {
      const FitRange* range = &ranges.front();
      for (const FitRange& r : ranges) {
        if (kept[r.first].x <= points[i].x) range = &r;
      }
      errors[i] = std::abs(range->line.at(points[i].x) - points[i].y) / points[i].y;
    }
  }
  return errors;
}

}  // namespace mora::predict
