/// Distribution: how long waits were, as quartiles that do not depend on the order or the grouping of what was added
/// (Mora's rule wait-statistics; P², Jain 1985, would depend on the order).
///
/// Up to 64 values are kept as they are; more go to a log-linear histogram: buckets of one nanosecond below 4096 ns,
/// above that 2048 equal buckets per power of two. So quartiles are exact for 64 values and for short waits, else too
/// small by less than 1/2048 of themselves; count, sum, minimum and maximum are exact always. Which of both it is
/// depends on the number of values only, so parts merged in any order agree. Memory: 16 bytes per bucket in use, at
/// most 110 000 buckets. Adding costs O(1), amortised over sorting. Not thread-safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/result.h"
#include "analysis/storage/buffer.h"

namespace mora::analysis {

class Distribution {
 public:
  static constexpr std::size_t exact_at_most = 64;

  /// Precondition: value >= 0.
  void add(Nanoseconds value);
  /// The same as if all values of `other` had been added here.
  void merge(const Distribution& other);

  std::uint64_t count() const { return count_; }
  Nanoseconds sum() const { return sum_; }
  /// Quartiles are nearest ranks: the smallest value such that k quarters of all are not larger.
  WaitStatistics statistics() const;

  /// For another partition, which merges it.
  void pack(BufferWriter& out) const;
  void unpack_and_merge(BufferReader& in);

 private:
  using Bucket = std::pair<std::uint32_t, std::uint64_t>;  ///< number, how many values

  static std::uint32_t bucket_of(Nanoseconds value);
  static Nanoseconds least_in(std::uint32_t bucket);
  void spread();              ///< the exact values into buckets
  void sort_waiting() const;  ///< waiting_ into buckets_
  void add_buckets(const std::vector<Bucket>& other);

  std::uint64_t count_ = 0;
  Nanoseconds sum_ = 0;
  Nanoseconds min_ = 0;
  Nanoseconds max_ = 0;
  std::vector<Nanoseconds> exact_;              ///< all values, if there are at most exact_at_most
  mutable std::vector<std::uint32_t> waiting_;  ///< bucket numbers not sorted in yet
  mutable std::vector<Bucket> buckets_;         ///< sorted
};

}  // namespace mora::analysis
