/// A traffic matrix while it is being filled: a row per sender, sorted and added up whenever it has doubled.
#pragma once

#include "predict/pattern/matrix.h"

namespace mora::predict {

class TrafficRows {
 public:
  TrafficRows() = default;
  explicit TrafficRows(std::uint32_t size) : size_(size) {}
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t messages, std::uint64_t bytes);
  /// Cells so far; exact after each doubling, never less than there are.
  std::uint64_t cells() const { return cells_; }
  TrafficMatrix finish();

 private:
  struct Row {
    std::vector<TrafficCell> cells;
    std::size_t tidy_at = 16;
  };
  void tidy(Row& row);
  std::uint32_t size_ = 0;
  std::uint64_t cells_ = 0;
  std::vector<Row> rows_;
};

/// Cell by cell.
TrafficMatrix sum(const TrafficMatrix& a, const TrafficMatrix& b);

}  // namespace mora::predict
