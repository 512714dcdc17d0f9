#include "base/numbers/shares.h"

#include <algorithm>
#include <numeric>

namespace mora {

std::vector<std::int64_t> exact_shares(std::int64_t amount, const std::vector<std::int64_t>& weights) {
  __extension__ using Wide = unsigned __int128;
  std::vector<std::int64_t> shares(weights.size(), 0);
  Wide sum = 0;
  for (auto w : weights) sum += static_cast<Wide>(w);
  if (sum == 0) return shares;
  std::vector<Wide> remainders(weights.size());
  std::int64_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Wide product = static_cast<Wide>(amount) * static_cast<Wide>(weights[i]);
    shares[i] = static_cast<std::int64_t>(product / sum);
    remainders[i] = product % sum;
    given += shares[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; given < amount; ++i, ++given) ++shares[order[i]];
  return shares;
}

}  // namespace mora
