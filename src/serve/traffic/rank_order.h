/// An order in which those stand next to each other that exchange most.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mora::serve {

/// Bytes by (sender, receiver), of items 0 … `items` - 1.
using ExchangedBytes = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// Position -> item. The pairs are taken by what they exchange in both directions, most first (ties: the smaller
/// items), and the chains that their two ends belong to are joined, at the ends where the two are if they are at ends;
/// what is left stands in the order of the items. O(pairs log pairs + items log items).
std::vector<std::uint32_t> clustered_order(std::uint32_t items, const ExchangedBytes& bytes);

}  // namespace mora::serve
