/// How the executions of one stretch of computation follow each other: steady, growing, alternating, or one that stands
/// out.
///
/// Idea. Number, sum, sum weighted by position, sum of every second one, sum of squares and the longest execution are
/// added up while events stream by; a straight line through the executions (least squares), the means of both halves
/// that take turns and what is left without the longest one follow from them. Source: Mora's rule trends. Cost: O(1)
/// per execution, no memory of single ones. Limits: what grows and shrinks again is steady here, and so is what comes
/// back in every third execution; two that stand out are none.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "cube/cube.h"

namespace mora::analysis {

/// Exact sums over executions, numbered from 0.
struct Trend {
  std::uint64_t executions = 0;
  Nanoseconds sum = 0;
  Nanoseconds odd = 0;                 ///< of that: executions with an odd number
  __int128 weighted = 0, squares = 0;  ///< of duration x number, of duration^2
  Nanoseconds longest = 0;
  std::uint64_t longest_number = 0;

  void add(Nanoseconds duration) {
    if (duration > longest) longest = duration, longest_number = executions;
    weighted += static_cast<__int128>(executions) * duration;
    squares += static_cast<__int128>(duration) * duration;
    sum += duration;
    if ((executions & 1) != 0) odd += duration;
    ++executions;
  }
};

enum class TrendKind : std::uint8_t { steady, growing, shrinking, outlier, alternating };

/// What a trend says.
struct TrendShape {
  TrendKind kind = TrendKind::steady;
  Nanoseconds from = 0, to = 0;  ///< the line at the first and last execution; of an outlier: the others' mean, and it;
                                 ///< alternating: the smaller and the larger mean
  std::uint64_t number = 0;      ///< of the outlier, from 0
  std::uint64_t executions = 0;
  Nanoseconds excess = 0;  ///< time above the smaller end of the line, the others' mean or the smaller mean
};

/// What the sums of `trend` say of the executions; by Mora's rule trends. Steady if there are fewer than six.
TrendShape shape_of(const Trend& trend);

/// One that is not steady.
struct CallTrend {
  cube::CallPathId call_path = 0;
  cube::LocationId location = 0;
  TrendShape shape;
};

}  // namespace mora::analysis
