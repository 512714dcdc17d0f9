#include "base/numbers/shares.h"

#include <algorithm>
#include <numeric>

namespace mora {

std::vector<std::int64_t> exact_shares(std::int64_t amount, const std::vector<std::int64_t>& weights) {
  return ExactShares()(amount, weights);
}

const std::vector<std::int64_t>& ExactShares::operator()(std::int64_t amount,
                                                         const std::vector<std::int64_t>& weights) {
  shares_.assign(weights.size(), 0);
  Wide sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    sum += static_cast<Wide>(weights[i]);
    last = i;
  }
  if (sum == 0 || amount == 0) return shares_;
  if (sum == static_cast<Wide>(weights[last])) {  // the only one
    shares_[last] = amount;
    return shares_;
  }
  remainders_.resize(weights.size());
  std::int64_t left = amount;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Wide product = static_cast<Wide>(amount) * static_cast<Wide>(weights[i]);
    // A division of 64 bits where they are enough: the wide one is a call.
    const bool is_narrow = (product | sum) >> 64 == 0;
    const Wide whole =
        is_narrow ? static_cast<std::uint64_t>(product) / static_cast<std::uint64_t>(sum) : product / sum;
    shares_[i] = static_cast<std::int64_t>(whole);
    remainders_[i] = product - whole * sum;
    left -= shares_[i];
  }
  if (left == 0) return shares_;
  order_.resize(weights.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto first = [&](std::size_t a, std::size_t b) {
    return remainders_[a] != remainders_[b] ? remainders_[a] > remainders_[b] : a < b;
  };
  std::nth_element(order_.begin(), order_.begin() + (left - 1), order_.end(), first);
  for (std::int64_t i = 0; i < left; ++i) ++shares_[order_[static_cast<std::size_t>(i)]];
  return shares_;
}

}  // namespace mora
