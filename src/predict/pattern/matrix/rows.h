/// A traffic matrix while it is being filled: a row per sender, sorted and added up whenever it has doubled.
#pragma once

#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

/// A matrix while it is being filled: each row's cells by column, in any order.
class TrafficRows {
 public:
  TrafficRows() = default;
  /// More than `most` cells are not kept: overflowed() then, and the matrix must not be used.
  explicit TrafficRows(std::uint32_t size, std::uint64_t most = UINT64_MAX) : size_(size), most_(most) {}
  /// Amortised O(log) of the row's cells. Ranks outside of the matrix are ignored.
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t messages, std::uint64_t bytes);
  bool overflowed() const { return overflowed_; }
  /// Cells so far; exact after each doubling, never less than there are.
  std::uint64_t cells() const { return cells_; }
  /// The matrix, cells ascending; the rows are empty afterwards.
  TrafficMatrix finish();

 private:
  struct Row {
    std::vector<TrafficCell> cells;
    std::size_t tidy_at = 16;
  };
  /// Sorts a row and adds up equal cells.
  void tidy(Row& row);
  /// Tidies all rows; false if there are still more than `most` cells.
  bool make_room();
  std::uint32_t size_ = 0;
  std::uint64_t most_ = UINT64_MAX, cells_ = 0;
  bool overflowed_ = false;
  std::vector<Row> rows_;
};

/// Cell by cell.
/// The sum of two matrices, O(cells).
TrafficMatrix sum(TrafficMatrix a, const TrafficMatrix& b);

}  // namespace mora::predict
