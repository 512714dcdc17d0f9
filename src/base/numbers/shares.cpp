#include "base/numbers/shares.h"

#include <algorithm>
#include <numeric>

namespace mora {

namespace {

__extension__ using Wide = unsigned __int128;

/// A division of 64 bits where they are enough: the wide one is a call.
Wide quotient(Wide a, Wide b) {
  return (a | b) >> 64 == 0 ? static_cast<std::uint64_t>(a) / static_cast<std::uint64_t>(b) : a / b;
}

}  // namespace

std::vector<std::int64_t> exact_shares(std::int64_t amount, const std::vector<std::int64_t>& weights) {
  return ExactShares()(amount, weights);
}

const std::vector<std::int64_t>& ExactShares::operator()(std::int64_t amount,
                                                         const std::vector<std::int64_t>& weights) {
  shares_.assign(weights.size(), 0);
  Wide sum = 0;
  std::size_t used = 0, first_used = 0, last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    sum += static_cast<Wide>(weights[i]);
    if (used++ == 0) first_used = i;
    last = i;
  }
  if (sum == 0 || amount == 0) return shares_;
  if (used == 1) {
    shares_[last] = amount;
    return shares_;
  }
  if (used == 2) {  // the remainders make 0 or a whole together
    const Wide product = static_cast<Wide>(amount) * static_cast<Wide>(weights[first_used]);
    const Wide whole = quotient(product, sum);
    shares_[first_used] = static_cast<std::int64_t>(whole) + (2 * (product - whole * sum) >= sum ? 1 : 0);
    shares_[last] = amount - shares_[first_used];
    return shares_;
  }
  remainders_.resize(weights.size());
  std::int64_t left = amount;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Wide product = static_cast<Wide>(amount) * static_cast<Wide>(weights[i]);
    const Wide whole = quotient(product, sum);
    shares_[i] = static_cast<std::int64_t>(whole);
    remainders_[i] = product - whole * sum;
    left -= shares_[i];
  }
  if (left == 0) return shares_;
  order_.resize(weights.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto larger = [&](std::size_t a, std::size_t b) {
    return remainders_[a] != remainders_[b] ? remainders_[a] > remainders_[b] : a < b;
  };
  std::nth_element(order_.begin(), order_.begin() + (left - 1), order_.end(), larger);
  for (std::int64_t i = 0; i < left; ++i) ++shares_[order_[static_cast<std::size_t>(i)]];
  return shares_;
}

}  // namespace mora
