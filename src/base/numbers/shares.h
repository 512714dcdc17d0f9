/// Exact division of an integer amount into integer shares (largest-remainder rule), so that the shares always sum to
/// the amount and never depend on the order of evaluation. Pure function, thread-safe. O(n) for n weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mora {

/// share[i] = floor(amount * weights[i] / sum(weights)) plus the remainder given one by one to the
/// largest fractional parts (ties: smaller index). All weights >= 0, amount >= 0; all-zero weights
/// give all-zero shares. Intermediate products are 128-bit.
std::vector<std::int64_t> exact_shares(std::int64_t amount, const std::vector<std::int64_t>& weights);

/// The same for many divisions, one after the other: keeps its memory. Not thread-safe.
class ExactShares {
 public:
  /// Valid until the next call.
  const std::vector<std::int64_t>& operator()(std::int64_t amount, const std::vector<std::int64_t>& weights);

 private:
  __extension__ using Wide = unsigned __int128;
  std::vector<std::int64_t> shares_;
  std::vector<Wide> remainders_;
  std::vector<std::size_t> order_;
};

}  // namespace mora
