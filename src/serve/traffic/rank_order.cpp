#include "serve/traffic/rank_order.h"

#include <algorithm>
#include <list>
#include <numeric>

namespace mora::serve {
namespace {

struct Pair {
  std::uint64_t bytes = 0;
  std::uint32_t a = 0, b = 0;
};

std::vector<Pair> heaviest_first(const ExchangedBytes& bytes) {
  ExchangedBytes both;
  for (const auto& [pair, amount] : bytes) {
    if (pair.first != pair.second) both[std::minmax(pair.first, pair.second)] += amount;
  }
  std::vector<Pair> pairs;
  for (const auto& [pair, amount] : both) pairs.push_back({amount, pair.first, pair.second});
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.bytes > y.bytes; });
  return pairs;
}

}  // namespace

std::vector<std::uint32_t> clustered_order(std::uint32_t items, const ExchangedBytes& bytes) {
  std::vector<std::list<std::uint32_t>> chains(items);
  std::vector<std::uint32_t> chain_of(items);
  std::iota(chain_of.begin(), chain_of.end(), 0U);
  for (std::uint32_t i = 0; i < items; ++i) chains[i].push_back(i);
  for (const Pair& pair : heaviest_first(bytes)) {
    std::uint32_t left = chain_of[pair.a], right = chain_of[pair.b];
    if (left == right) continue;
    const bool a_first = chains[left].front() == pair.a, a_last = chains[left].back() == pair.a;
    const bool b_first = chains[right].front() == pair.b, b_last = chains[right].back() == pair.b;
    if (!(a_last && b_first)) {
      if (a_first && b_first) chains[chains[left].size() <= chains[right].size() ? left : right].reverse();
      if (a_last && b_last) chains[chains[left].size() < chains[right].size() ? left : right].reverse();
      if (chains[left].back() != pair.a && chains[left].front() == pair.a) std::swap(left, right);
    }
    // The smaller chain takes the larger one's number, so that each item changes its number log(items) times.
    const std::uint32_t kept = chains[left].size() >= chains[right].size() ? left : right, gone = left + right - kept;
    for (const std::uint32_t item : chains[gone]) chain_of[item] = kept;
    if (kept == left)
      chains[kept].splice(chains[kept].end(), chains[gone]);
    else
      chains[kept].splice(chains[kept].begin(), chains[gone]);
  }
  std::vector<std::uint32_t> order;
  order.reserve(items);
  std::vector<bool> is_done(items);
  for (std::uint32_t i = 0; i < items; ++i) {
    if (is_done[chain_of[i]]) continue;
    is_done[chain_of[i]] = true;
    order.insert(order.end(), chains[chain_of[i]].begin(), chains[chain_of[i]].end());
  }
  return order;
}

}  // namespace mora::serve
