/// One description of a table, one writer for each format: text, JSON, CSV, Markdown. A verb says which columns there
/// are and what each row holds; how a format looks stands here and nowhere else.
///
/// A report of one HTML page gets the JSON. All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/table/cell.h"

namespace mora {

/// What stands in one place of every row.
struct Column {
  std::string name;       ///< key in JSON and CSV; heading of text and Markdown if there is no other
  std::size_t width = 0;  ///< in text: at least; more if a cell is wider
  std::size_t gap = 2;    ///< in text: blanks before it
  bool is_left = false;   ///< aligned to the left: texts; else to the right: numbers
  bool is_cut = false;    ///< in text: cells are cut in the middle to what the page has left
  std::size_t least = 0;  ///< but not below this width
  std::string heading = {};
};

/// A number; columns of a fixed width stand one blank apart, others two.
Column number(std::string name, std::size_t width = 0);
/// A text.
Column words(std::string name, std::size_t width = 0);
/// A text that may be long; the last column.
Column cut_words(std::string name, std::size_t least = 0);

/// Columns and rows. A row has a cell for every column; the last one of a row that has fewer is a text that runs on
/// over the rest of the line.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One row for each of `rows`: `cells` describes it.
  template <class Range, class Describe>
  Table(std::vector<Column> columns, const Range& rows, const Describe& cells) : columns_(std::move(columns)) {
    for (const auto& row : rows) rows_.push_back(cells(row));
  }
  /// `style`: of the whole line, in text (Cell::styled).
  void add(Cells cells, const char* style = "") {
    styles_.resize(rows_.size(), "");
    rows_.push_back(std::move(cells));
    styles_.push_back(style);
  }

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Cells>& rows() const { return rows_; }
  const char* style(std::size_t row) const { return row < styles_.size() ? styles_[row] : ""; }

 private:
  std::vector<Column> columns_;
  std::vector<Cells> rows_;
  std::vector<const char*> styles_;
};

/// How a table looks as text.
struct TextStyle {
  std::size_t width = 0;   ///< of the page, for columns that are cut; 0 = nothing is cut
  std::size_t indent = 0;  ///< blanks before each line
  bool has_heading = true;
  const char* heading_style = "";
  bool has_colour = false;
};
/// Lines with columns as wide as their widest cell; no blanks at the ends of lines.
std::string text_of(const Table& table, const TextStyle& style = {});

/// A line per row, after one with the names (RFC 4180).
std::string csv_of(const Table& table);
/// One line of CSV; for tables that are longer than memory.
std::string csv_line(const Cells& cells);
/// The names of the columns as a line of CSV.
std::string csv_head(const std::vector<Column>& columns);

/// A Markdown table.
std::string markdown_of(const Table& table);

/// An array with an object on one line for each row.
void write_json(JsonWriter& json, const Table& table);

}  // namespace mora
