/// Statistics of an arbitrarily long sequence of numbers in constant memory.
///
/// Exact: count, sum, minimum, mean, maximum, sample variance (divisor count - 1). Estimated: the three quartiles, by
/// the P² algorithm; they are exact at five values. The whole state is thirteen numbers; an object made from them
/// behaves bit for bit like the original. Values have the unit of what is added.
/// Source: EARL's statistics objects, Wolf 1998, 5.3.2 and 6.2; Jain 1985; what they leave open is rule
/// `statistics-objects`. Not thread-safe; objects are values: copy them, merge them.
#pragma once

#include <array>
#include <cstdint>

#include "base/error.h"

namespace mora {

class Statistics {
 public:
  /// Five marker heights, five marker positions, count, sum, sum of squared deviations from the mean. With k < 5 values
  /// the first k heights are the values in ascending order at positions 1…k and the others are 0.
  using State = std::array<double, 13>;

  /// Errors: usage, if `state` is none that state() can have returned.
  static Result<Statistics> from_state(const State& state);
  State state() const;

  /// Errors: usage, for infinities and NaN; nothing changes then.
  Result<void> add(double value);

  /// Adds the sequence of `other`. Exact for everything but the quartiles, unless one of the two has fewer than five
  /// values, which are then simply added. Else each side's markers are read as a distribution that is linear between
  /// them, the two are added, and the markers of the sum are read off: the error is that of both estimates and of the
  /// straight lines between markers, so merge few large parts rather than many small ones. merge(a, b) == merge(b, a).
  void merge(const Statistics& other);

  void reset() { *this = Statistics(); }

  std::int64_t count() const { return count_; }
  // Errors: usage, with fewer values than the query needs: 1; variance 2; quartiles 5.
  Result<double> sum() const;
  Result<double> minimum() const;
  Result<double> mean() const;
  Result<double> maximum() const;
  Result<double> variance() const;
  Result<double> lower_quartile() const;
  Result<double> median() const;
  Result<double> upper_quartile() const;

 private:
  void mark(double value);
  void move_markers(double value);
  void merge_markers(const Statistics& other);
  Result<double> quartile(std::size_t marker, const char* name) const;

  std::array<double, 5> height_{};
  std::array<std::int64_t, 5> position_{};
  std::int64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;  ///< sum of squared deviations from the mean
};

}  // namespace mora
