/// The waits of one location that have a cause: disjoint in time, in order. Of a wait that the location could have
/// avoided in part, that part is a wait of its own, right after the rest. Immutable once made; safe from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/core/waits.h"
#include "analysis/storage/gallop.h"
#include "analysis/storage/storage.h"

namespace mora::analysis {

/// One wait of the list, 32 bytes. It began as long before its end as the sums say. Times in ns.
struct CausedWait {
  Nanoseconds end = 0;
  Nanoseconds before = 0;  ///< sum of all earlier waits of the location
  cube::CallPathId call_path = 0;
  cube::LocationId cause = 0;
  cube::MetricId metric : 31 = 0;
  bool is_own : 1 = false;        ///< it could have avoided it
  std::uint32_t owns_before = 0;  ///< how many earlier ones it could have avoided
};

/// Searches are O(log n), near a good guess O(1).
class WaitList {
 public:
  /// Takes the waits in any order, O(n log n). Where two overlap (contradictory records), the later one loses the
  /// overlap.
  explicit WaitList(SpillVector<Wait> waits);
  WaitList() = default;

  std::size_t size() const { return waits_.size() - 1; }
  const CausedWait& operator[](std::size_t i) const { return waits_[i]; }
  Nanoseconds begin(std::size_t i) const { return end(i) - amount(i); }
  Nanoseconds amount(std::size_t i) const { return waits_[i + 1].before - waits_[i].before; }
  Nanoseconds end(std::size_t i) const { return waits_[i].end; }

  /// First wait that begins at or after t; size() = none. The nearer `guess`, the faster.
  std::size_t first_beginning_at(Nanoseconds t, std::size_t guess) const {
    return gallop(size(), guess, [&](std::size_t i) { return begin(i) < t; });
  }
  /// First wait that ends after t.
  std::size_t first_ending_after(Nanoseconds t, std::size_t guess) const {
    return gallop(size(), guess, [&](std::size_t i) { return end(i) <= t; });
  }
  /// If the location waits at t: when that ends; else t. A wait that ends at t does not count, one that begins at t
  /// does. `guess` becomes the first wait that ends after t.
  Nanoseconds after_waiting_at(Nanoseconds t, std::size_t& guess) const {
    const std::size_t i = guess = first_ending_after(t, guess);
    if (i >= size() || begin(i) > t) return t;
    return i + 1 < size() && waits_[i + 1].is_own && begin(i + 1) == end(i) ? end(i + 1) : end(i);
  }
  /// The same without what the location could have avoided.
  Nanoseconds after_inevitable_waiting_at(Nanoseconds t, std::size_t& guess) const {
    const std::size_t i = guess = first_ending_after(t, guess);
    return i < size() && begin(i) <= t && !waits_[i].is_own ? end(i) : t;
  }
  /// Waiting of the waits first … last - 1.
  Nanoseconds total(std::size_t first, std::size_t last) const { return waits_[last].before - waits_[first].before; }
  /// Whether the location waits in all of [from, begin of wait `last`); no wait goes on over `from`. The nearer `guess`
  /// is to the first wait that ends after `from`, the faster.
  bool is_covered(Nanoseconds from, std::size_t last, std::size_t guess) const {
    if (guess < last && end(guess) == from) ++guess;
    const std::size_t first = std::min(last, first_ending_after(from, guess));
    return total(first, last) == begin(last) - from;
  }
  /// Of that, what the location could have avoided.
  Nanoseconds own(std::size_t first, std::size_t last) const {
    return owns_[waits_[last].owns_before] - owns_[waits_[first].owns_before];
  }

 private:
  SpillVector<CausedWait> waits_{CausedWait{}};  ///< the last one only ends the sums
  SpillVector<Nanoseconds> owns_{0};             ///< sums of those it could have avoided: none, the first, …
};

}  // namespace mora::analysis
