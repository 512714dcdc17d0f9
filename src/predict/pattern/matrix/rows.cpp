/// Sparse matrices by rows: cells are appended and added up when a row has doubled, so that filling costs O(log) per
/// cell and memory stays within twice the number of different cells.
#include "predict/pattern/matrix/rows.h"

#include <algorithm>

namespace mora::predict {

void TrafficRows::tidy(Row& row) {
  auto& cells = row.cells;
  const auto before = cells.size();
  const auto less = [](const TrafficCell& a, const TrafficCell& b) { return a.to < b.to; };
  const auto not_less = [](const TrafficCell& a, const TrafficCell& b) { return a.to >= b.to; };
  row.tidy_at = std::max<std::size_t>(16, 2 * before);
  if (std::adjacent_find(cells.begin(), cells.end(), not_less) == cells.end()) return;
  std::sort(cells.begin(), cells.end(), less);
  std::size_t last = 0;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i].to == cells[last].to)
      cells[last].traffic += cells[i].traffic;
    else
      cells[++last] = cells[i];
  }
  if (!cells.empty()) cells.resize(last + 1);
  cells_ -= before - cells.size();
  row.tidy_at = std::max<std::size_t>(16, 2 * cells.size());
}

bool TrafficRows::make_room() {
  if (!overflowed_)
    for (Row& row : rows_) tidy(row);
  overflowed_ |= cells_ >= most_;
  return !overflowed_;
}

void TrafficRows::add(std::uint32_t from, std::uint32_t to, std::uint64_t messages, std::uint64_t bytes) {
  if (messages == 0 || from >= size_ || to >= size_) return;
  if (rows_.empty()) rows_.resize(size_);
  Row& row = rows_[from];
  if (!row.cells.empty() && row.cells.back().to == to) {
    row.cells.back().traffic += {messages, bytes};
    return;
  }
  if (cells_ >= most_ && !make_room()) return;
  row.cells.push_back({from, to, {messages, bytes}});
  ++cells_;
  if (row.cells.size() >= row.tidy_at) tidy(row);
}

TrafficMatrix TrafficRows::finish() {
  TrafficMatrix matrix;
  matrix.size = size_;
  for (Row& row : rows_) tidy(row);
  matrix.cells.reserve(cells_);
  for (Row& row : rows_) {
    matrix.cells.insert(matrix.cells.end(), row.cells.begin(), row.cells.end());
    row = Row{};
  }
  rows_.clear();
  cells_ = 0;
  return matrix;
}

TrafficMatrix sum(TrafficMatrix a, const TrafficMatrix& b) {
  if (b.cells.empty()) return a;
  if (a.cells.empty()) return b;
  TrafficMatrix out;
  out.size = std::max(a.size, b.size);
  out.cells.reserve(std::max(a.cells.size(), b.cells.size()));
  const auto before = [](const TrafficCell& x, const TrafficCell& y) {
    return std::pair(x.from, x.to) < std::pair(y.from, y.to);
  };
  auto i = a.cells.cbegin(), j = b.cells.cbegin();
  while (i != a.cells.end() || j != b.cells.end()) {
    if (j == b.cells.end() || (i != a.cells.end() && before(*i, *j))) {
      out.cells.push_back(*i++);
    } else if (i == a.cells.end() || before(*j, *i)) {
      out.cells.push_back(*j++);
    } else {
      out.cells.push_back(*i++);
      out.cells.back().traffic += (j++)->traffic;
    }
  }
  return out;
}

Traffic TrafficMatrix::total() const {
  Traffic t;
  for (const TrafficCell& cell : cells) t += cell.traffic;
  return t;
}

Traffic TrafficMatrix::at(std::uint32_t from, std::uint32_t to) const {
  const auto found =
      std::lower_bound(cells.begin(), cells.end(), std::pair(from, to),
                       [](const TrafficCell& cell, const auto& key) { return std::pair(cell.from, cell.to) < key; });
  return found != cells.end() && found->from == from && found->to == to ? found->traffic : Traffic{};
}

NodeMatrix by_node(const TrafficMatrix& ranks, const Placement& placement) {
  NodeMatrix result;
  const auto nodes = static_cast<std::uint32_t>(placement.nodes.size());
  for (const auto& name : placement.nodes) result.per_node.push_back({name, 0, {}, {}, {}});
  for (const auto node : placement.node_of)
    if (node < nodes) ++result.per_node[node].ranks;
  TrafficRows rows(nodes);
  for (const TrafficCell& cell : ranks.cells) {
    if (cell.from >= placement.size() || cell.to >= placement.size()) continue;
    const auto from = placement.node_of[cell.from], to = placement.node_of[cell.to];
    if (from >= nodes || to >= nodes) continue;
    rows.add(from, to, cell.traffic.messages, cell.traffic.bytes);
    if (from == to) {
      result.per_node[from].intra += cell.traffic;
    } else {
      result.per_node[from].out += cell.traffic;
      result.per_node[to].in += cell.traffic;
    }
  }
  result.nodes = rows.finish();
  return result;
}

}  // namespace mora::predict
