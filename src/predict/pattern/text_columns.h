/// A table for people: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace mora::predict {

class TextColumns {
 public:
  /// `left`: columns that are texts; all others are aligned to the right.
  explicit TextColumns(std::vector<std::string> head, std::vector<std::size_t> left = {0}) : left_(std::move(left)) {
    row(std::move(head));
  }
  void row(std::vector<std::string> cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
    rows_.push_back(std::move(cells));
  }
  std::string text() const {
    std::string out;
    for (const auto& cells : rows_) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string blanks(widths_[i] - cells[i].size(), ' ');
        const bool left = std::find(left_.begin(), left_.end(), i) != left_.end();
        line += "  " + (left ? cells[i] + blanks : blanks + cells[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    return out;
  }

 private:
  std::vector<std::size_t> left_, widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mora::predict
