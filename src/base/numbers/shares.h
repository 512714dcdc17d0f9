/// Exact division of an integer amount into integer shares (largest-remainder rule), so that the shares always sum to
/// the amount and never depend on the order of evaluation. Pure function, thread-safe. O(n log n) for n weights.
#pragma once

#include <cstdint>
#include <vector>

namespace mora {

/// share[i] = floor(amount * weights[i] / sum(weights)) plus the remainder given one by one to the
/// largest fractional parts (ties: smaller index). All weights >= 0, amount >= 0; all-zero weights
/// give all-zero shares. Intermediate products are 128-bit.
std::vector<std::int64_t> exact_shares(std::int64_t amount, const std::vector<std::int64_t>& weights);

}  // namespace mora
