/// Rows that name their parent, in the order in which a tree is read: each row directly before its children. Pure
/// function, thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace mora::report {

/// Every row once, with its depth (roots 0). `Row` has `id` and `parent`, the parent's id or empty; children keep the
/// order of `rows`. A row whose parent does not stand before it in `rows` counts as a root, so that damaged rows, and
/// parents in a circle, are shown, too. O(n log n). The pointers live as long as `rows`.
template <typename Row>
std::vector<std::pair<const Row*, std::size_t>> tree_order(const std::vector<Row>& rows) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::vector<std::size_t>> children(rows.size());
  std::vector<std::pair<std::size_t, std::size_t>> to_visit;  // index, depth; the next one is the last
  std::map<std::string_view, std::size_t> places;
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto parent = places.find(rows[i].parent);
    const std::size_t place = rows[i].parent.empty() || parent == places.end() ? none : parent->second;
    (place == none ? roots : children[place]).push_back(i);
    places.emplace(rows[i].id, i);
  }
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) to_visit.emplace_back(*root, 0);
  std::vector<std::pair<const Row*, std::size_t>> order;
  order.reserve(rows.size());
  while (!to_visit.empty()) {
    const auto [i, depth] = to_visit.back();
    to_visit.pop_back();
    order.emplace_back(&rows[i], depth);
    for (auto child = children[i].rbegin(); child != children[i].rend(); ++child)
      to_visit.emplace_back(*child, depth + 1);
  }
  return order;
}

}  // namespace mora::report
